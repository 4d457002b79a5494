"""The lines of summaries, each with what it cites, and how they are found again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from app.domain.conversation import Message
from app.domain.ids import MessageId
from app.domain.memories import Memory
from app.services.distilling.rewording import Told


@dataclass(frozen=True, slots=True)
class Bullet:
    """A line of a summary; what quotes one message tells its place, content[start:stop]."""

    text: str
    sources: Sequence[MessageId]
    _: KW_ONLY
    start: int | None = None
    stop: int | None = None

    def told(self) -> Mapping[str, object]:
        ids = [str(each) for each in self.sources]
        if self.start is None:
            return {"message_ids": ids}
        return {"message_ids": ids, "start": self.start, "stop": self.stop}


def laid_out(bullets: Sequence[Bullet]) -> str:
    return "\n".join(f"- {each.text}" for each in bullets)


def cited_by(bullets: Sequence[Bullet]) -> list[MessageId]:
    """Each message once, in the order in which they are told."""
    return list(dict.fromkeys(one for each in bullets for one in each.sources))


def places_told(summary: Memory) -> Collection[tuple[str, object]]:
    """Of what a summary quotes: the message, and where the sentence begins."""
    return {
        (str(one), each.get("start")) for each in _listed(summary) for one in each["message_ids"]
    }


def lines_of(summary: Memory, messages: Sequence[Message]) -> Sequence[Told]:
    """Its lines, each with those of `messages` that it cites."""
    lines = [each.removeprefix("- ") for each in summary.content.splitlines()]
    there = {str(each.id): each.id for each in messages}
    cited = [each["message_ids"] for each in _listed(summary)]
    if len(cited) != len(lines):
        cited = [list(there)] * len(lines)
    return [
        Told(text=line, sources=[there[one] for one in several if one in there])
        for line, several in zip(lines, cited, strict=True)
    ]


def _listed(summary: Memory) -> Sequence[Mapping[str, Any]]:
    """The bullets as `Bullet.told` has them; what else a caller put there is none."""
    listed = summary.metadata.get("bullets")
    bullets = listed if isinstance(listed, list) else []
    return [
        each
        for each in bullets
        if isinstance(each, dict) and isinstance(each.get("message_ids"), list)
    ]
