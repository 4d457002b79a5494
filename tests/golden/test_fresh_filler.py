"""What was said long ago and answers stands before what was said just now and does not."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from app.settings import Settings
from tests.api.speaking import Json, context, settings_for, store, talking_to
from tests.databases import run_apart
from tests.fakes_embedder import a_compiled_model

TOLD = (
    "Which database should the backend use?",
    "We picked PostgreSQL, because of its full-text search.",
    "My cat is called Schnitzel.",
    "The train to Vienna leaves at 9:40 from platform 3.",
)
SMALL_MATTERS = (
    "Shall we order new chairs for the office?",
    "The printer on the second floor is jammed again.",
    "I prefer the blue logo over the green one.",
    "Our invoice from the electrician is still open.",
    "The meeting with Sofia moved to Thursday.",
    "Please remind me to water the plants.",
    "The backup disk is almost full.",
    "Let us try the Thai restaurant next week.",
    "My bicycle has a flat tyre.",
    "The new intern starts in March.",
    "Rent went up by five percent.",
    "I finished the book about glaciers.",
    "We should repaint the hallway.",
    "Grandmother turns ninety in June.",
)
REPORTS = tuple(f"Build {400 + at} passed in {30 + at} seconds." for at in range(14))
NOW = datetime.now(UTC)
QUESTIONS = {
    "What is my cat called?": "Schnitzel",
    "When does the train to Vienna leave?": "9:40",
    "Which database did we pick?": "PostgreSQL",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """The bundle for each question, of 21 days of chat about other matters around the answers."""
    a_compiled_model()
    bundles: dict[str, Json] = {}
    run_apart(_ask(settings_for(tmp_path_factory.mktemp("filler")), bundles))
    return bundles


async def _ask(settings: Settings, bundles: dict[str, Json]) -> None:
    async with talking_to(settings) as client:
        days = {10.0: TOLD, 21.0: SMALL_MATTERS, 4.0: REPORTS, 0.5: SMALL_MATTERS}
        for at, (age, texts) in enumerate(days.items()):
            said = _said(texts, NOW - timedelta(days=age))
            await store(client, *said, user_id="bob", external_id=f"chat-{at}")
        for question in QUESTIONS:
            bundles[question] = await context(client, question, user_id="bob", explain=True)


def _said(texts: Sequence[str], begun: datetime) -> list[Json]:
    times = (begun + timedelta(minutes=at) for at in range(len(texts)))
    return [
        {"role": "user", "name": "Bob", "content": text, "created_at": at.isoformat()}
        for text, at in zip(texts, times, strict=True)
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_old_answer_stands_before_all_that_was_said_since(
    found: dict[str, Json], question: str
) -> None:
    memories = found[question]["retrieved_memories"]
    said = [each["content"] for each in memories if each["type"] == "message"]
    assert QUESTIONS[question] in said[0] or said[0] in TOLD, said[:5]
    assert any(QUESTIONS[question] in each for each in said[:2]), said[:5]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_does_not_answer_has_little_relevance_however_fresh(
    found: dict[str, Json], question: str
) -> None:
    signals = [
        each["signals"]["relevance"]
        for each in found[question]["retrieved_memories"]
        if each["content"] in {*SMALL_MATTERS, *REPORTS}
    ]
    assert all(each < 0.6 for each in signals), signals
