"""What a reranker that answers, fails, is busy or late makes of the best candidates."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from app.domain.context import Degraded, Step
from app.domain.errors import RerankerBusy, RerankerUnavailable
from app.ranking import Floats
from app.ranking.rereading import Opinion
from app.services.context.refine import Refiner, RefinerLimits
from tests.factories import Counted, an_item, recalled

ITEMS = [an_item(1, "green tea"), an_item(2, "milk", name="Mara"), an_item(3, "coffee")]
RELEVANCE = np.array([0.3, 0.9, 0.5], dtype=np.float32)


@dataclass
class LongestFirst:
    """A reranker that likes long texts, unless it has trouble."""

    trouble: Exception | None = None
    asked: list[tuple[str, Sequence[str], float]] = field(default_factory=list)
    model: str = "longest first"

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        await asyncio.sleep(0)
        self.asked.append((query, texts, seconds))
        if self.trouble:
            raise self.trouble
        return np.array([len(each) for each in texts], dtype=np.float32)


async def read(
    reranker: LongestFirst, telemetry: Counted, *, left: float | None = None, candidates: int = 2
) -> Opinion | Degraded:
    limits = RefinerLimits(deadline=0.5, candidates=candidates, share=0.8)
    refiner = Refiner(reranker=reranker, telemetry=telemetry, limits=limits)
    return await refiner.read("tea?", recalled(*ITEMS), RELEVANCE, left=left)


async def test_the_most_relevant_are_read_with_their_speaker() -> None:
    reranker, telemetry = LongestFirst(), Counted()

    said = await read(reranker, telemetry)

    assert isinstance(said, Opinion)
    assert (list(said.at), said.scores.tolist(), said.share) == ([1, 2], [10, 6], 0.8)
    assert reranker.asked == [("tea?", ["Mara: milk", "coffee"], 0.5)]
    assert [texts for texts, _ in telemetry.reread] == [2]
    assert telemetry.missing == []


@pytest.mark.parametrize(("left", "allowed"), [(None, 0.5), (0.2, 0.2), (7.0, 0.5)])
async def test_it_has_as_long_as_the_request_has_left(left: float | None, allowed: float) -> None:
    reranker = LongestFirst()

    await read(reranker, Counted(), left=left)

    assert [seconds for _, _, seconds in reranker.asked] == [allowed]


@pytest.mark.parametrize("left", [0.0, -1.0])
async def test_without_time_it_is_not_even_asked(left: float) -> None:
    reranker = LongestFirst()

    said = await read(reranker, Counted(), left=left)

    assert said == Degraded(source=Step.RERANK, reason="deadline")
    assert reranker.asked == []


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (TimeoutError(), "deadline"),
        (RerankerBusy(), "busy"),
        (RerankerUnavailable("no such file"), "The reranking model does not answer"),
        (ZeroDivisionError(), "internal error"),
    ],
)
async def test_trouble_is_named_and_counted(trouble: Exception, reason: str) -> None:
    telemetry = Counted()

    said = await read(LongestFirst(trouble), telemetry)

    assert said == Degraded(source=Step.RERANK, reason=reason)
    assert telemetry.missing == [(Step.RERANK, reason)]
    assert telemetry.reread == []
