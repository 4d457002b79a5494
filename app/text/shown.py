"""What a reader has before them anyway."""

from collections.abc import Sequence

from app.domain.conversation import Message

_TELLING = 24
"""Characters of what is the same text wherever it stands; less is by chance a part of another."""


class Shown:
    """Texts, of which it is known whether another one is said in them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._whole = frozenset(each.strip() for each in texts)
        self._joined = "\0".join(texts)

    def __contains__(self, text: object) -> bool:
        said = str(text).strip()
        return said in self._whole or (len(said) >= _TELLING and said in self._joined)


def unshown(shown: Sequence[str], messages: Sequence[Message]) -> Sequence[Message]:
    """Those of `messages` that say something which no text in `shown` says."""
    if not shown:
        return messages
    there = Shown(shown)
    return [each for each in messages if each.content and each.content not in there]
