"""Asking for what was meant, where a query is misspelt."""

import asyncio
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.context import ContextRequest
from app.ports.store import Store
from app.services.context.situation import Situation
from app.text.scripts import fold, stem
from app.text.spelling import RARE, meant, respelled, suspects, terms_near
from app.text.umlauts import other_spellings, spelled_otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Speller:
    """Corrects what is neither a word nor in memory; most queries have nothing of the kind."""

    store: Store
    words: Container[str]
    lexical_complete: Callable[[], bool] = lambda: True
    """Whether full text holds all that was said; while it is built anew, nothing is corrected."""

    async def corrected(
        self, request: ContextRequest, situation: Situation
    ) -> tuple[ContextRequest, Mapping[str, str]]:
        """
        The request for what was meant, and what was, by the folded words that it stands for: those
        with umlauts that memory spells in the other way, and those that are misspelt.

        Raises:
            StoreUnavailable: What memory holds could not be read.
        """
        if not (situation.flags.hybrid and self.lexical_complete()):
            return request, {}
        request, spelled = await self._as_said(request, situation)
        request, corrections = await self._as_meant(request, situation)
        return request, {**spelled, **corrections}

    async def _as_said(
        self, request: ContextRequest, situation: Situation
    ) -> tuple[ContextRequest, Mapping[str, str]]:
        others = other_spellings(request.query, self._knows)
        if not others:
            return request, {}
        terms = [_term(each) for both in others.items() for each in both]
        async with self.store.read(situation.tenant) as snapshot:
            held = await snapshot.recall.frequencies(terms, scopes=situation.within.scopes)
        there = {
            word: other
            for word, other in others.items()
            if _term(other) in held and _term(word) not in held
        }
        query = spelled_otherwise(request.query, there)
        return replace(request, query=query), {fold(word): there[word] for word in there}

    async def _as_meant(
        self, request: ContextRequest, situation: Situation
    ) -> tuple[ContextRequest, Mapping[str, str]]:
        words = suspects(request.query, self._knows)
        if not words:
            return request, {}
        scopes = situation.within.scopes
        async with self.store.read(situation.tenant) as snapshot:
            own = await snapshot.recall.frequencies(list(map(stem, words)), scopes=scopes)
            words = [word for word in words if own.get(stem(word), 0) <= RARE]
            if not words:
                return request, {}
            # Of a word there are some hundred terms: to make them takes milliseconds.
            terms = await asyncio.to_thread(_all_near, words)
            held = await snapshot.recall.held_among(terms, scopes=scopes)
        corrections = await asyncio.to_thread(self._corrections, words, held)
        return replace(request, query=respelled(request.query, corrections)), corrections

    def _knows(self, word: str) -> bool:
        return word in self.words

    def _corrections(self, words: Sequence[str], held: Mapping[str, int]) -> Mapping[str, str]:
        found = ((word, meant(word, held, self._knows)) for word in words)
        return {word: right for word, right in found if right is not None}


def _all_near(words: Sequence[str]) -> Sequence[str]:
    return [term for word in words for term in terms_near(word)]


def _term(word: str) -> str:
    return stem(fold(word))
