"""What a language model adds to distilling: checked, and left out where it cannot be trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from app.distil.facts.fact import ATTRIBUTES, Fact, Tense, is_single
from app.distil.facts.retelling import quoted
from app.distil.facts.values import normal
from app.distil.facts.whose import subject_of_quote
from app.distil.gist.checking import invented
from app.distil.gist.summary import MAX_TOKENS
from app.domain.conversation import Message
from app.domain.errors import ForewordError
from app.domain.ids import MessageId
from app.domain.memories import Memory
from app.domain.storable import text_problem
from app.ports import TokenCounter
from app.ports.language import LanguageModel
from app.services.distilling.step import utterance_of

_log = getLogger(__name__)

_READ = 12_000
"""Tokens that a model is given at once; more comes in several windows."""

_LONGEST_SAID = 9_000
"""Tokens of one message; of a longer one a model is told how it begins."""

_WRITES = 2_000
_LONGEST_QUOTE = 200
_CONFIDENCE = 0.7

_BULLETS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["bullets"],
    "properties": {
        "bullets": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "sources"],
                "properties": {
                    "text": {"type": "string"},
                    "sources": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    },
}
_FACTS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "source",
                    "quote",
                    "subject",
                    "attribute",
                    "value",
                    "tense",
                    "positive",
                ],
                "properties": {
                    "source": {"type": "string"},
                    "quote": {"type": "string"},
                    "subject": {"type": "string"},
                    "attribute": {"type": "string", "enum": sorted(ATTRIBUTES)},
                    "value": {"type": "string"},
                    "tense": {"type": "string", "enum": [each.value for each in Tense]},
                    "positive": {"type": "boolean"},
                },
            },
        }
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A line that may be told further, and the messages that it is made of."""

    text: str
    sources: Sequence[MessageId]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWriter:
    """Writes summaries in its own words, which must hold up against what was said."""

    model: LanguageModel
    tokens: TokenCounter
    prompt: str

    async def write(
        self, before: Sequence[Told], messages: Sequence[Message], *, most: int = MAX_TOKENS
    ) -> Sequence[Told] | None:
        """
        The bullets of the next summary; None: the model does not answer, or not well.

        What is too much to be read at once is read in windows, each with the lines of the last.
        """
        told, lines = before, _lines(messages, self.tokens)
        if not (told or lines):
            return None
        while lines or told is before:
            count = _fitting(lines, self.tokens, _READ - self.tokens.count(_laid_out("P", told)))
            written = await self._window(told, lines[:count], most)
            if written is None:
                return None
            told, lines = written, lines[count:]
        return told

    async def _window(
        self, before: Sequence[Told], said: Sequence[Told], most: int
    ) -> Sequence[Told] | None:
        material = _named("P", before) | _named("M", said)
        text = "\n".join(_laid_out(*each) for each in (("P", before), ("M", said)) if each[1])
        if self.tokens.count(text) > _READ:
            return None
        try:
            answer = await self.model.answer(
                instructions=self.prompt.replace("{most}", str(most)),
                material=text,
                schema=_BULLETS,
                most=_WRITES,
            )
            bullets = [_bullet(each, material) for each in answer["bullets"]]
        except (ForewordError, LookupError, TypeError, ValueError) as error:
            _log.warning("a summary is made by rules instead", extra={"reason": str(error)[:200]})
            return None
        written = "\n".join(f"- {each.text}" for each in bullets)
        if not bullets or self.tokens.count(written) > most:
            _log.warning("a summary is made by rules instead", extra={"reason": "its length"})
            return None
        return bullets


def _lines(messages: Sequence[Message], tokens: TokenCounter) -> Sequence[Told]:
    """What users and assistants said, a line for each message."""
    said = [(each, utterance_of(each)) for each in messages if each.content]
    return [
        Told(
            text=_begun(f"{utterance.speaker}: {' '.join(utterance.content.split())}", tokens),
            sources=[message.id],
        )
        for message, utterance in said
        if utterance.is_said
    ]


def _begun(text: str, tokens: TokenCounter) -> str:
    while (count := tokens.count(text)) > _LONGEST_SAID:
        text = text[: len(text) * _LONGEST_SAID // count]
    return text


def _fitting(lines: Sequence[Told], tokens: TokenCounter, room: int) -> int:
    """How many of the next lines there is room for; one at least, if there are any."""
    for at, each in enumerate(lines):
        room -= tokens.count(f"M{at + 1}: {each.text}\n")
        if room < 0:
            return max(at, 1)
    return len(lines)


def _named(letter: str, lines: Sequence[Told]) -> dict[str, Told]:
    return {f"{letter}{at}": each for at, each in enumerate(lines, start=1)}


def _laid_out(letter: str, lines: Sequence[Told]) -> str:
    return "\n".join(f"{name}: {each.text}" for name, each in _named(letter, lines).items())


def _bullet(given: Mapping[str, Any], material: Mapping[str, Told]) -> Told:
    """
    One bullet of an answer.

    Raises:
        ValueError: It cites nothing, or says what its sources do not.
        LookupError: The same, of another shape.
    """
    text = " ".join(str(given["text"]).split()).removeprefix("- ")
    cited = [material[name] for name in dict.fromkeys(given["sources"])]
    sources = list(dict.fromkeys(one for each in cited for one in each.sources))
    if not text or not sources or text_problem(text):
        raise ValueError("a bullet without words or sources, or with what cannot be stored")
    if invented(text, "\n".join(each.text for each in cited)):
        raise ValueError("a bullet that says more than its sources")
    return Told(text=text, sources=sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReader:
    """Finds facts that no rule finds; each quotes its message, word for word."""

    model: LanguageModel
    tokens: TokenCounter
    prompt: str

    async def read(self, messages: Sequence[Message]) -> Sequence[tuple[Fact, Message]]:
        """
        What holds up of the facts that the model finds; nothing where it does not answer.

        What is too much to be read at once is read in windows.
        """
        by_id = {each.id: each for each in messages}
        lines, found = _lines(messages, self.tokens), list[tuple[Fact, Message]]()
        while lines:
            count = _fitting(lines, self.tokens, _READ)
            said = _named("M", lines[:count])
            material = {name: by_id[each.sources[0]] for name, each in said.items()}
            found += await self._window(_laid_out("M", lines[:count]), material)
            lines = lines[count:]
        return found

    async def _window(
        self, text: str, material: Mapping[str, Message]
    ) -> Sequence[tuple[Fact, Message]]:
        try:
            answer = await self.model.answer(
                instructions=self.prompt.replace("{attributes}", ", ".join(sorted(ATTRIBUTES))),
                material=text,
                schema=_FACTS,
                most=_WRITES,
            )
            listed = list(answer["facts"])
        except (ForewordError, LookupError, TypeError) as error:
            _log.warning("facts are drawn by rules alone", extra={"reason": str(error)[:200]})
            return []
        found = (_fact(each, material) for each in listed)
        return [each for each in found if each is not None]


def found_by_model(item: Memory) -> bool:
    """Whether a fact was found so, and not by a rule."""
    return item.metadata.get("confidence") == _CONFIDENCE


def _fact(given: Mapping[str, Any], material: Mapping[str, Message]) -> tuple[Fact, Message] | None:
    """A fact that stands in its message as it says; None: it does not."""
    try:
        message = material[given["source"]]
        quote, value = str(given["quote"]).strip(), str(given["value"]).strip()
        told = str(given["subject"])
        tense, positive, attribute = Tense(given["tense"]), given["positive"], given["attribute"]
    except (LookupError, TypeError, ValueError):
        return None
    said = utterance_of(message)
    start = said.content.find(quote)
    stands = bool(quote) and start >= 0 and len(quote) <= _LONGEST_QUOTE
    if not (stands and normal(value) and value in quote and isinstance(positive, bool)):
        return None
    subject = subject_of_quote(told, quote, str(attribute), said.speaker)
    if attribute not in ATTRIBUTES or subject is None:
        return None
    fact = Fact(
        subject=subject.name,
        attribute=attribute,
        value=" ".join(value.split()),
        text=quoted(" ".join(quote.split()), said.speaker),
        start=start,
        stop=start + len(quote),
        said_at=said.said_at,
        confidence=_CONFIDENCE,
        positive=positive,
        tense=tense,
        single=subject.single and is_single(attribute),
        valid_from=said.said_at if tense is Tense.NOW else None,
    )
    return fact, message
