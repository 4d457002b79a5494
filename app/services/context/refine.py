"""Having the best candidates read together with the query, within the time there is."""

import time
from dataclasses import dataclass
from logging import getLogger

from app.domain.context import Degraded, Step
from app.domain.errors import ForewordError, RerankerBusy
from app.ports import Telemetry
from app.ports.language import Reranker
from app.ranking import Floats
from app.ranking.pool import Recalled
from app.ranking.rereading import Opinion, best_for_reading
from app.text.terms import indexed_text

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinerLimits:
    """
    Seconds that reading may take; how many candidates are read; what the order of the reranker
    counts, from 0 to 1.
    """

    deadline: float = 1.0
    candidates: int = 32
    share: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Refiner:
    """Asks the reranker, and says so where it does not answer."""

    reranker: Reranker
    telemetry: Telemetry
    limits: RefinerLimits

    async def read(
        self, query: str, recalled: Recalled, relevance: Floats, *, left: float | None
    ) -> Opinion | Degraded:
        """
        What the reranker says of the most relevant, or why it says nothing.

        Args:
            query: As it was asked, without what it excludes.
            recalled: The n candidates.
            relevance: Of each of them, shape (n,).
            left: Seconds that the request still has; None: as many as the limits allow.
        """
        at = best_for_reading(relevance, most=self.limits.candidates)
        texts = [indexed_text(recalled.contents[each], recalled.names[each]) for each in at]
        seconds = self.limits.deadline if left is None else min(left, self.limits.deadline)
        if seconds <= 0:
            return self._miss("deadline")
        started = time.perf_counter()
        try:
            scores = await self.reranker.score(query, texts, seconds=seconds)
        except TimeoutError:
            return self._miss("deadline")
        except RerankerBusy:
            return self._miss("busy")
        except ForewordError as error:
            return self._miss(error.title.rstrip("."))
        except Exception:  # noqa: BLE001  (a mistake in the reranker must not cost the answer)
            _log.exception("reranking failed")
            return self._miss("internal error")
        self.telemetry.reranked(len(texts), time.perf_counter() - started)
        return Opinion(at=at, scores=scores, share=self.limits.share)

    def _miss(self, reason: str) -> Degraded:
        self.telemetry.source_missing(Step.RERANK, reason)
        return Degraded(source=Step.RERANK, reason=reason)
