"""
Lists of messages that tell no conversation, and grow.

Such a list is called by all that is said in it. When it was shorter, it was called by less: those
names lead to what came in then, so that what was said since goes on with it. To what came in when
it was longer no name leads, but what it says.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from app.formats import messages, sharegpt
from app.formats.fields import digests
from app.formats.found import Grown, Rejected, Said

MOST_MESSAGES = 5_000
MOST_BYTES = 16 * 2**20
"""Of a list that is larger, which is given out as it is read, no beginning is looked for."""

_LINE_ENDS = re.compile(b"(\r\n|\r|\n)")


@dataclass(slots=True)
class Naming:
    """The name of a list, made as it is read, and those of its beginnings."""

    _told: blake2b = field(default_factory=lambda: blake2b(digest_size=16))
    _before: set[str] = field(default_factory=set)
    _parts: int = 0

    def add(self, part: bytes) -> None:
        """Go on behind a place where the list could have ended."""
        if self._parts and not self.full:
            self._before.add(self.name)
        self._told.update(part)
        self._parts += 1

    @property
    def full(self) -> bool:
        """Whether it is so long that no more of its beginnings are named."""
        return self._parts > 2 * MOST_MESSAGES

    @property
    def name(self) -> str:
        return self._told.hexdigest()

    @property
    def before(self) -> frozenset[str]:
        return frozenset(self._before)


def naming_of_lines(chunks: Iterable[bytes]) -> Naming:
    """Of a table, which could have ended with each line, and before the end of that."""
    naming = Naming()
    for chunk in chunks:
        for each in [chunk] if naming.full else filter(None, _LINE_ENDS.split(chunk)):
            naming.add(each)
    return naming


def grown(
    several: Iterable[Said | Rejected], naming: Naming, *, size: int
) -> Iterator[Said | Rejected]:
    """With what the list of this naming was before, in a file of `size` bytes."""
    if size > MOST_BYTES or naming.full or not naming.before:
        yield from several
        return
    kept = list(several)
    talk = [each for each in kept if isinstance(each, Said) and _is_called(each, naming.name)]
    before = Grown(naming.before, [said for each in talk for said in each.conversation.messages])
    for each in kept:
        if isinstance(each, Said) and _is_called(each, naming.name):
            yield replace(each, grown=before)
        else:
            yield each


def grown_alone(said: Said) -> Said:
    """A conversation that is all of its file, with what it was before if it tells no id."""
    spoken = said.conversation.messages
    if not 0 < len(spoken) <= MOST_MESSAGES:
        return said
    for told in (messages.told, sharegpt.told):
        *before, name = digests(map(told, spoken))
        if _is_called(said, name):
            return replace(said, grown=Grown(frozenset(before), spoken))
    return said


def _is_called(said: Said, name: str) -> bool:
    return said.conversation.external_id == name
