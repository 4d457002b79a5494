"""A round of questions to sources."""

import asyncio
from collections.abc import Sequence

import pytest

from app.domain.context import Candidate, Degraded, Source
from app.domain.errors import EmbedderUnavailable
from app.domain.telling import Answered
from app.services.context.asking import Asking
from tests.factories import Counted


async def answer(found: Sequence[int]) -> Sequence[int]:
    await asyncio.sleep(0)
    return found


async def fail(error: Exception) -> Sequence[int]:
    await asyncio.sleep(0)
    raise error


def a_round(patience: float = 5.0) -> tuple[Asking, list[Answered]]:
    heard: list[Answered] = []

    def listen(told: Answered | Candidate) -> None:
        assert isinstance(told, Answered)
        heard.append(told)

    return Asking(telemetry=Counted(), patience=patience, count=len, listener=listen), heard


async def test_each_source_is_heard_once_and_timed() -> None:
    asking, heard = a_round()
    near, told = asking.ask(Source.SEMANTIC, answer([1, 2])), asking.ask(Source.LEXICAL, answer([]))
    await asking.wait()

    assert (asking.answer(near), asking.answer(told)) == ([1, 2], [])
    assert {each.source: each.found for each in heard} == {Source.SEMANTIC: 2, Source.LEXICAL: 0}
    assert set(asking.began) == set(asking.seconds) == {"semantic", "lexical"}
    assert all(seconds >= 0 for seconds in asking.seconds.values())
    assert asking.degraded == []


async def test_who_was_not_asked_has_no_answer() -> None:
    asking, heard = a_round()
    await asking.wait()
    assert asking.answer(None) is None
    assert not heard


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (EmbedderUnavailable("it is away"), EmbedderUnavailable().title.rstrip(".")),
        (ZeroDivisionError(), "internal error"),
        (asyncio.CancelledError(), "internal error"),
    ],
)
async def test_what_fails_is_named_and_costs_the_others_nothing(
    error: Exception, reason: str
) -> None:
    asking, heard = a_round()
    near, told = asking.ask(Source.SEMANTIC, fail(error)), asking.ask(Source.LEXICAL, answer([1]))
    await asking.wait()

    assert (asking.answer(near), asking.answer(told)) == (None, [1])
    assert asking.degraded == [Degraded(source=Source.SEMANTIC, reason=reason)]
    assert {each.source: each.missing for each in heard} == {
        Source.SEMANTIC: reason,
        Source.LEXICAL: None,
    }


async def test_why_a_source_stays_away_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    asking, _ = a_round()
    asking.ask(Source.SEMANTIC, fail(EmbedderUnavailable("The model at far.example is away.")))
    await asking.wait()
    (line,) = (each for each in caplog.records if each.name == "app.services.context.asking")
    assert line.__dict__["source"] == "semantic"
    assert line.__dict__["reason"] == "The model at far.example is away."


async def test_what_is_late_is_named_once_whatever_becomes_of_it() -> None:
    asking, heard = a_round(patience=0.001)
    opened = asyncio.Event()

    async def late() -> Sequence[int]:
        await opened.wait()
        raise ZeroDivisionError

    near = asking.ask(Source.SEMANTIC, late())
    await asking.wait()
    assert asking.answer(near) is None
    opened.set()
    await asyncio.wait({near})
    await asyncio.sleep(0)

    assert asking.answer(near) is None
    assert asking.degraded == [Degraded(source=Source.SEMANTIC, reason="deadline")]
    assert [each.missing for each in heard] == ["deadline"]
