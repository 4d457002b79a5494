"""The commands `foreword ask`, `conversations`, `history` and `forget`."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from app.commands.naming import conversation_id
from app.commands.reaching import Service, User, reaching
from app.domain.watching import Step, Watch
from app.progress import watched
from app.terminal import counted, harmless, stop

if TYPE_CHECKING:
    from app.client import Bundle, Client
    from app.client.answers import Conversation as ListedConversation

_MOST_SIGNALS = 6
_WIDEST = 100_000
_TOLD: "tuple[Literal['label', 'external_id', 'folder'], ...]" = ("label", "external_id", "folder")


class Kind(StrEnum):
    """What can be forgotten."""

    USER = "user"
    CONVERSATION = "conversation"
    MESSAGE = "message"
    MEMORY = "memory"


@reaching
def ask(
    service: Service,
    query: Annotated[str, typer.Argument(help="What the next turn is about.")],
    user_id: User = None,
    conversation: Annotated[
        str | None, typer.Option(help="The one going on now, by its id or name.")
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens.", min=1)] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Why each item is in it.")] = False,  # noqa: FBT002  (a switch)
) -> None:
    """Build the context for the next turn, as a model would get it."""
    with service.client() as client:
        running = conversation and conversation_id(client, conversation, user_id, whole=False)
        wanted = {"user_id": user_id, "conversation_id": running, "budget_tokens": budget}
        given = {name: each for name, each in wanted.items() if each is not None}
        bundle = client.context(query, format="markdown", explain=explain, **given)

    def show(console: Console) -> None:
        console.print(_as_told(bundle["text"] or "(nothing)"), soft_wrap=True)
        if explain:
            console.print(_signals(bundle))
            console.print(_dropped(bundle))
        console.print(_footer(bundle["metadata"]), style="dim")

    service.tell(bundle, show)


@reaching
def conversations(
    service: Service,
    user_id: User = None,
    search: Annotated[str | None, typer.Option(help="In label, folder or external id.")] = None,
    limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=500)] = 20,
) -> None:
    """List conversations, newest first."""
    with service.client() as client:
        page = client.conversations(user_id=user_id, q=search, limit=limit)

    def show(console: Console) -> None:
        table = _listed(page["items"])
        roomy = console.options.update(max_width=_WIDEST)
        if Measurement.get(console, roomy, table).maximum <= console.width:
            console.print(table)
            return
        for each in page["items"]:
            console.print(f"{each['id']}  {_last_day(each)}  {each['message_count']} said")
            told = [said for name in _TOLD if (said := each[name])]
            console.print(Padding(_text(" · ".join(told), "dim"), (0, 0, 0, 2)))

    service.tell(page, show)


def _listed(several: "Sequence[ListedConversation]") -> Table:
    """A line for each, as wide as it needs."""
    told = [name for name in _TOLD if any(each[name] for each in several)]
    table = Table("id", "last", box=None)
    table.add_column("said", justify="right")
    for name in told:
        table.add_column("name" if name == "external_id" else name)
    for each in several:
        cells = [_text(each[name] or "") for name in told]
        table.add_row(each["id"], _last_day(each), str(each["message_count"]), *cells)
    return table


def _last_day(listed: "ListedConversation") -> str:
    return (listed["last_message_at"] or listed["created_at"])[:10]


@reaching
def history(
    service: Service,
    conversation: Annotated[
        str, typer.Argument(help="Its id or name, or how the name begins; `conversations` shows.")
    ],
    user_id: User = None,
    limit: Annotated[int, typer.Option(help="How many of the last.", min=1, max=500)] = 50,
) -> None:
    """Show the last messages of a conversation."""
    with service.client() as client:
        meant = conversation_id(client, conversation, user_id, whole=False)
        page = client.history(meant, order="desc", limit=limit)
    said = page["items"][::-1]

    def show(console: Console) -> None:
        for each in said:
            who = each["name"] or each["role"]
            left = "  (of a branch that was left)" if each.get("aside") else ""
            console.print(_text(f"{who}  {_day(each['created_at'])}{left}", "bold"))
            console.print(_text(each["content"] or "(calls tools)"), end="\n\n")

    service.tell({"items": said, "next_cursor": page["next_cursor"]}, show)


@reaching
def forget(
    service: Service,
    kind: Annotated[Kind, typer.Argument(help="What it is.")],
    identity: Annotated[
        str, typer.Argument(help="Its id; of a user or a conversation the name will do.")
    ],
    user_id: User = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,  # noqa: FBT002  (a switch)
) -> None:
    """Erase something and all that is derived from it, and show the receipt."""
    if not identity:
        stop(f"which {kind.value}? What is given is empty")
    if not yes:
        if not sys.stdin.isatty():
            stop("this cannot be undone: --yes says that it is meant")
        typer.confirm(f"Erase {kind.value} {identity} for good?", abort=True)
    with service.client() as client, watched(quiet=service.as_json) as watch:
        if kind is Kind.CONVERSATION:
            identity = conversation_id(client, identity, user_id, whole=True)
        receipt = _forgotten(client, kind.value, identity, watch)

    def show(console: Console) -> None:
        console.print(
            _erased(receipt["erased"]) or _text(f"Of {kind.value} {identity} there was nothing")
        )
        unasked = " and ".join(receipt.get("unasked", []))
        why = f" or may, since there was no answer of: {unasked}" if unasked else ""
        console.print(f"{receipt['remaining']} remain{why}. Receipt {receipt['erasure_id']}")

    service.tell(receipt, show)


def _erased(counts: Mapping[str, int]) -> Table | None:
    """None for nothing."""
    table = Table("erased", "", box=None)
    for name, count in counts.items():
        if count:
            table.add_row(name.replace("_", " "), str(count))
    return table if table.rows else None


def _forgotten(client: "Client", kind: str, identity: str, watch: Watch) -> Mapping[str, Any]:
    from app.client import ClientError  # noqa: PLC0415  (slow)

    for told in client.forgetting(kind, identity):
        if "erasure_id" in told:
            return told
        watch(Step(name="erasing", done=told["done"], total=told["total"], unit="items"))
    raise ClientError("the service ended before it was done; it goes on when it runs again")


def _as_told(text: str) -> Text:
    """Line by line as a model reads it: what is quoted stands out, and stays whose it is."""
    told = Text()
    for line in harmless(text).splitlines(keepends=True):
        style = "bold" if line.startswith("#") else "" if line.startswith(">") else "dim"
        told.append(line, style)
    return told


def _text(said: str, style: str = "") -> Text:
    return Text(harmless(said), style)


def _signals(bundle: "Bundle") -> Table:
    table = Table("score", "sources", "signals", "content", box=None)
    for each in bundle["retrieved_memories"]:
        plain = {name: worth for name, worth in each["signals"].items() if "." not in name}
        best = sorted(plain.items(), key=lambda pair: -pair[1])[:_MOST_SIGNALS]
        signals = " ".join(f"{name}={worth:.2f}" for name, worth in best)
        content = _text(each["content"][:60].replace("\n", " "))
        table.add_row(f"{each['score']:.3f}", " ".join(each["sources"]), signals, content)
    return table


def _dropped(bundle: "Bundle") -> str:
    reasons: dict[str, int] = {}
    for each in bundle["metadata"]["dropped"]:
        reasons[each["reason"]] = reasons.get(each["reason"], 0) + 1
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return f"Left out: {told or 'nothing'}"


def _footer(metadata: Mapping[str, Any]) -> str:
    told = [
        f"{metadata['total_tokens']} of {metadata['budget_tokens']} tokens",
        counted(metadata["candidates"], "candidate"),
        f"{metadata['timings_ms']['total']:.0f} ms",
        *([] if metadata["sufficient"] else ["no likely answer"]),
        *(f"{each['source']}: {each['reason']}" for each in metadata["degraded"]),
    ]
    return " · ".join(told)


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")
