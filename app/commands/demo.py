"""The command `foreword demo`: a small sample of our own, and what to ask of it."""

import shlex
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from app.commands.reaching import Service, reaching
from app.terminal import counted

if TYPE_CHECKING:
    from app.client import Message

USER = "demo"
QUESTIONS = (
    "Which database did we pick, and why?",
    "What does Mira's sourdough need?",
    "When does the night train to Vienna leave?",
)


def _said(*turns: tuple[str, str, str]) -> "list[Message]":
    """Messages of who said what and when."""
    return [
        {
            "external_id": f"demo-{at}",
            "role": "assistant" if who == "assistant" else "user",
            "name": None if who == "assistant" else who,
            "content": content,
            "created_at": moment,
        }
        for at, (who, content, moment) in enumerate(turns)
    ]


_SAMPLE: "dict[str, tuple[str, list[Message]]]" = {
    "demo-backend": (
        "Backend of the orchard app",
        _said(
            ("Mira", "We need to settle the database this week.", "2026-03-02T09:00:00Z"),
            (
                "assistant",
                "PostgreSQL covers your full-text search; SQLite would do for a single grower.",
                "2026-03-02T09:00:20Z",
            ),
            (
                "Mira",
                "Then we pick PostgreSQL: three growers will write at the same time.",
                "2026-03-02T09:03:00Z",
            ),
            (
                "assistant",
                "Noted. `harvest_id` stays the key of the yields table.",
                "2026-03-02T09:03:15Z",
            ),
        ),
    ),
    "demo-bread": (
        "Bread on Sunday",
        _said(
            ("Mira", "My sourdough stays flat. What am I missing?", "2026-03-08T07:30:00Z"),
            (
                "assistant",
                "Let it rise for twelve hours at 18 degrees, and use 2 % salt.",
                "2026-03-08T07:30:30Z",
            ),
            ("Mira", "The longer rise did it, the crumb is open now.", "2026-03-15T10:00:00Z"),
        ),
    ),
    "demo-travel": (
        "Spring journey",
        _said(
            ("Mira", "I go to Vienna by night train in April.", "2026-03-20T18:00:00Z"),
            (
                "assistant",
                "It leaves Hamburg at 20:29 and arrives at 09:17; book a couchette early.",
                "2026-03-20T18:00:25Z",
            ),
        ),
    ),
}


@reaching
def demo(service: Service) -> None:
    """Store a small sample, under the user "demo", and print three requests to try."""
    new = 0
    with service.client(may_make=True) as client:
        for name, (label, messages) in _SAMPLE.items():
            told = {"external_id": name, "user_id": USER, "label": label}
            begun = messages[0].get("created_at")
            stored = client.remember(messages, wait=True, created_at=begun, **told)
            new += len(stored["message_ids"]) - stored["duplicates"]
    requests = [_request(each, service) for each in QUESTIONS]
    facts: dict[str, Any] = {"user_id": USER, "messages": new, "requests": requests}

    def show(console: Console) -> None:
        console.print(f'{counted(new, "new message")} of the user "{USER}". Try:\n')
        for each in requests:
            console.print(Text(f"  {each}"), soft_wrap=True)

    service.tell(facts, show)


def _request(question: str, service: Service) -> str:
    told = {"--url": service.url, "--data-dir": service.data_dir}
    where = [str(each) for option in told.items() if option[1] is not None for each in option]
    return shlex.join(["foreword", "ask", question, "--user-id", USER, *where])
