"""Who said a candidate, against whom and what the query speaks of."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.bm25 import Bags, numbers_in_order
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.terms import terms_of
from app.text.wording import TIME_WORDS

_LITTLE = 3
"""Words, the speaker's name among them: "Tom: works" tells not where Tom lives, near as it is."""


@dataclass(frozen=True, slots=True)
class Voices:
    """The speakers of a pool, and the terms of the query that are `named` among them."""

    query: QueryView
    pool: Pool
    named: frozenset[str]

    @classmethod
    def of(cls, query: QueryView, pool: Pool) -> Self:
        speakers = frozenset[str]().union(*map(_terms_of_name, set(pool.recalled.names)))
        return cls(query, pool, speakers.intersection(query.terms))

    def columns(self) -> dict[str, Floats | float]:
        """Each of shape (n,), or one number for all."""
        return {**self._names(), **self._roles(), "time_told": self._times()}

    def beyond_name(self, cosine: Floats, matched: Floats) -> Floats:
        """
        What the cosines tell of meaning, shape (n,), where the query says the name of a speaker: of
        a message of hardly more than that name, half, unless it has what else is asked (`matched`).
        """
        if not self.named:
            return cosine
        said_little = (self.pool.whole_bags.length <= _LITTLE) & (matched <= 0)
        return np.where(said_little, cosine / np.float32(2), cosine)

    def _names(self) -> dict[str, Floats | float]:
        if not self.named:
            return {"speaker_named": 0.0, "other_named": 0.0}
        names = self.pool.recalled.names
        own = {name: _terms_of_name(name) for name in set(names)}
        is_named = {name: bool(terms & self.named) for name, terms in own.items()}
        is_other = {name: bool(self.named - terms) for name, terms in own.items()}
        return {
            "speaker_named": np.array([is_named[name] for name in names], dtype=np.float32),
            "other_named": np.array([is_other[name] for name in names], dtype=np.float32),
        }

    def _roles(self) -> dict[str, Floats | float]:
        wording, roles = self.query.wording, self.pool.recalled.roles
        by_user = np.array([1.0 if role == "user" else -1.0 for role in roles], dtype=np.float32)
        return {
            "said_by_asker": by_user * np.float32(wording.of_asker),
            "said_to_assistant": by_user * np.float32(wording.of_assistant),
        }

    def _times(self) -> Floats | float:
        if not self.query.wording.asks_when:
            return 0.0
        return tells_time(self.pool.bags).astype(np.float32)


@lru_cache(maxsize=4_096)
def _terms_of_name(name: str | None) -> frozenset[str]:
    return frozenset(terms_of(name)) if name else frozenset()


_TIMES = numbers_in_order(terms_of(" ".join(TIME_WORDS)))


def tells_time(bags: Bags) -> NDArray[np.bool_]:
    """Which of the n documents name a time or a number, shape (n,)."""
    return bags.holding(_TIMES)
