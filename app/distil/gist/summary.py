"""
Summaries made of sentences that were said, word for word, each with its place.

First `excerpts_of` names the sentences that may be told, which are then embedded by whoever can;
`summarise` chooses among them and the bullets of the summary before. Nothing is reworded, so no
name, number or identifier can come in that nobody said.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import fsum

import numpy as np
from numpy.typing import NDArray

from app.distil.gist.picking import picked
from app.distil.gist.shortening import shortened
from app.distil.gist.tagging import COMMON, IMPORTANCE, Kind, identifiers_in, kind_of_sentence
from app.distil.language.sentences import Sentence, sentences_of
from app.distil.language.utterance import Utterance
from app.text.scripts import UNSPACED

Floats = NDArray[np.float32]
CountTokens = Callable[[str], int]

MAX_TOKENS = 400
"""Of a summary, as `Summary.text` has it."""

MAX_EXCERPTS = 800
"""Sentences that are looked at; of more those with the strongest cues, later ones first."""

_TOLD_BY_USER, _IDENTIFIER, _KEPT = 0.08, 0.2, 0.04
_MOST_IDENTIFIERS = 3
_NEEDS_SUBSTANCE = (Kind.COMMITMENT, Kind.CORRECTION)
_SUBSTANCE = re.compile(r"\d|(?<=[a-z,] )[A-Z][a-z]")
_WITHOUT_SUBSTANCE = 0.5
"""Worth of "I'll draw one": a commitment or correction that names nothing and no number."""

_PLAIN = frozenset({Kind.PREFERENCE, Kind.NAME, Kind.STATEMENT, Kind.QUESTION})
_SAYING, _FULL = 0.8, 10
"""How much of the worth of such a sentence is for what it says, and how many words say enough."""

_TELLING = re.compile(r"[^\W\d_]{4,}|[^\W\d_\x00-\x7f]{2,}|\b[A-Z]\w+|\w{0,40}\d\w*")
_HEARD = re.compile(
    r"\A(?:(?:ok|okay|great|good|fine|noted|understood|sure|perfect|alright|got\s+it|yes|done|will\s+do"
    r"|saved|updated|recorded|changed)"
    r"\b\W*)+",
    re.IGNORECASE,
)
"""How who takes note begins."""

_CHARACTERS_OF_WORD = 2
"""Of scripts without spaces."""

_CUE, _CENTRAL, _PLACE = 1.0, 0.05, 0.02
_LEAST = 0.3
"""Worth below which a sentence, "Coffee break", would only fill what room is left."""

_OVERHEAD = 100
"""Tokens added to those of a bullet where worth per token is compared: short ones say little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """
    A sentence that may be told: `said` is content[start:stop] of the message at `position`.

    `text` is the bullet, with who said it. `first` is whether its message begins with it.
    """

    position: int
    start: int
    stop: int
    speaker: str
    said: str
    kind: Kind
    by_program: bool
    first: bool

    @property
    def text(self) -> str:
        return f"{self.speaker}: {self.said}"

    @property
    def place(self) -> tuple[int, int]:
        return self.position, self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Bullets in the order in which they were said; `tokens` are of `text`."""

    bullets: Sequence[Excerpt]
    tokens: int

    @property
    def text(self) -> str:
        return _laid_out(self.bullets)


def excerpts_of(
    messages: Iterable[tuple[int, Utterance]], *, most: int = MAX_EXCERPTS
) -> Sequence[Excerpt]:
    """
    The sentences of messages that a summary could tell, in order, at most `most`.

    Only what users and assistants say, no code, no quotes, no small talk, and of an assistant
    nothing that only says again what it was just told.

    Args:
        messages: With their positions in the conversation.
    """
    found = _told_first(each for each in messages if each[1].is_said)
    best = nsmallest(most, found, key=lambda each: (-_cue(each), -each.position, each.start))
    return sorted(best, key=lambda each: each.place)


def _told_first(messages: Iterable[tuple[int, Utterance]]) -> Iterator[Excerpt]:
    """All but what an assistant repeats of a message before it that asks nothing."""
    stated: frozenset[str] = frozenset()
    for position, said in messages:
        sentences = list(sentences_of(said.content))
        for each in _of_message(position, said, sentences):
            if not (said.by_program and _only_repeats(each.said, stated)):
                yield each
        if not said.by_program:
            asks = any(each.asks for each in sentences)
            stated = frozenset() if asks else _words(said.content)


def _only_repeats(answer: str, stated: frozenset[str]) -> bool:
    rest = _HEARD.sub("", answer)
    words = _words(rest)
    return not rest or (bool(words) and words <= stated)


def _of_message(position: int, said: Utterance, sentences: Sequence[Sentence]) -> Iterable[Excerpt]:
    for number, sentence in enumerate(sentences):
        for part in shortened(sentence):
            kind = Kind.QUESTION if sentence.asks else kind_of_sentence(part)
            if kind is not Kind.SMALL_TALK:
                first = number == 0 and part.start == sentence.start
                yield _excerpt(position, said, part, kind, first=first)


def _excerpt(
    position: int, said: Utterance, sentence: Sentence, kind: Kind, *, first: bool
) -> Excerpt:
    return Excerpt(
        position=position,
        start=sentence.start,
        stop=sentence.stop,
        speaker=" ".join(said.speaker.split()),
        said=sentence.text,
        kind=kind,
        by_program=said.by_program,
        first=first,
    )


def summarise(
    new: tuple[Sequence[Excerpt], Floats],
    count: CountTokens,
    *,
    before: tuple[Sequence[Excerpt], Floats] | None = None,
    most: int = MAX_TOKENS,
) -> Summary:
    """
    The summary of what was said, or of that and of what a summary before kept.

    Sentences are worth more for being a decision, commitment, preference or number, holding an
    identifier, saying much, standing near to what all of it is about, and coming early or late.
    They are taken by worth for their tokens; what resembles those taken is worth less, and what
    says next to nothing is left out beside anything that says more.

    Args:
        new: Excerpts and their embeddings, shape (n, d), normalised.
        count: Counts tokens.
        before: The same of the bullets of the last summary; what is in both counts once.
        most: Tokens of the whole.
    """
    excerpts, vectors, kept = _joined(new, before)
    if not excerpts or most <= 0:
        return Summary(bullets=(), tokens=0)
    costs = np.array([count(f"- {each.text}\n") for each in excerpts], np.float64)
    worth = _worth(excerpts, vectors, kept)
    costs[worth < min(_LEAST, worth.max() / 2)] = np.inf
    valued = worth / np.sqrt(costs + _OVERHEAD)
    chosen = picked(valued, costs, vectors, said=[each.said for each in excerpts], most=most)
    return _fitting([excerpts[at] for at in chosen], count, most)


def _joined(
    new: tuple[Sequence[Excerpt], Floats], before: tuple[Sequence[Excerpt], Floats] | None
) -> tuple[Sequence[Excerpt], Floats, int]:
    """What can be told, the bullets of before first, and how many those are."""
    excerpts, vectors = new
    if before is None or not before[0]:
        return excerpts, vectors, 0
    places = {each.place for each in before[0]}
    fresh = [at for at, each in enumerate(excerpts) if each.place not in places]
    joined = np.concatenate([before[1], vectors[fresh]]) if fresh else before[1]
    return [*before[0], *(excerpts[at] for at in fresh)], joined, len(before[0])


def _worth(excerpts: Sequence[Excerpt], vectors: Floats, kept: int) -> NDArray[np.float64]:
    cues = np.array([_cue(each) for each in excerpts])
    last = max(each.position for each in excerpts)
    places = np.array([_placed(each, last) for each in excerpts])
    worth: NDArray[np.float64] = _CUE * cues + _CENTRAL * _centrality(vectors) + _PLACE * places
    worth[:kept] += _KEPT
    return worth


def _cue(excerpt: Excerpt) -> float:
    told = 0.0 if excerpt.by_program else _TOLD_BY_USER
    named = _IDENTIFIER * min(identifiers_in(excerpt.said), _MOST_IDENTIFIERS)
    worth = IMPORTANCE[excerpt.kind] / 9
    if excerpt.kind in _NEEDS_SUBSTANCE and not (named or _SUBSTANCE.search(excerpt.said)):
        worth = _WITHOUT_SUBSTANCE
    if excerpt.kind in _PLAIN:
        worth *= 1 - _SAYING + _SAYING * _said_by(excerpt.said)
    return fsum([worth, told, named])


def _said_by(said: str) -> float:
    """How much a sentence says, from 0 to 1: its different long words, names and numbers."""
    unspaced = len(UNSPACED.findall(said)) / _CHARACTERS_OF_WORD
    return min((len(_words(said)) + unspaced) / _FULL, 1.0)


def _words(said: str) -> frozenset[str]:
    return frozenset(each.casefold() for each in _TELLING.findall(said)) - COMMON


def _placed(excerpt: Excerpt, last: int) -> float:
    """1 for the first and the last message, less between; half of it behind a first sentence."""
    middle = max(last / 2, 1.0)
    outer = abs(excerpt.position - middle) / middle
    return min(outer, 1.0) * (1.0 if excerpt.first else 0.5)


@np.errstate(invalid="ignore")
def _centrality(vectors: Floats) -> NDArray[np.float64]:
    """Cosine to the mean of all, scaled to 0 to 1; linear in their number."""
    likeness = (vectors @ vectors.mean(axis=0)).astype(np.float64)
    spread = float(np.ptp(likeness))
    if spread == 0.0:
        return np.ones_like(likeness)
    scaled: NDArray[np.float64] = (likeness - likeness.min()) / spread
    return scaled


def _fitting(chosen: list[Excerpt], count: CountTokens, most: int) -> Summary:
    """In order; the last that were chosen go while the whole has more tokens than its bullets."""
    while chosen:
        bullets = sorted(chosen, key=lambda each: each.place)
        tokens = count(_laid_out(bullets))
        if tokens <= most:
            return Summary(bullets=bullets, tokens=tokens)
        chosen.pop()
    return Summary(bullets=(), tokens=0)


def _laid_out(bullets: Sequence[Excerpt]) -> str:
    return "\n".join(f"- {each.text}" for each in bullets)
