"""Whom "she" may mean of those whom a message names: not who is spoken to, nor a brother."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from app.distil.entities.entity import Mention
from app.domain.conversation import Message, Role
from app.text.patterns import one_of

_LOOKED_BACK = 60
"""Characters before a name that may tell who it is."""

_ADDRESSING = re.compile(
    r"(?P<begins>(?:\A|[.!?\n\u2026]\s{0,3})(?:(?:well|ok|okay|oh)\s)?)\Z"
    r"|\b(?:hi|hello|hey|dear|thanks|thank you|sorry|welcome|good (?:morning|evening)),?\s\Z"
    r"|(?P<comma>,\s)\Z",
    re.IGNORECASE,
)
"""What stands before the name of who is spoken to."""

_ENDS = re.compile(r"\s?(?:[!.?\n\u2026]|\Z)")

_HERS = one_of(
    *("(?:grand|step|god)?(?:mother|daughter)", "(?:step)?sister", "mom", "mum", "grand?ma"),
    *("wife", "aunt", "niece", "girlfriend", "mrs\\.?", "ms\\.?"),
)
_HIS = one_of(
    *("(?:grand|step|god)?(?:father|son)", "(?:step)?brother", "dad", "grand?pa", "husband"),
    *("uncle", "nephew", "boyfriend", "mr\\.?"),
)
_KIN = rf"(?:(?P<hers>{_HERS})|(?P<his>{_HIS}))(?:-in-law)?"
_BEFORE = re.compile(
    r"(?P<told>\b(?:told|tell(?:ing)?|ask(?:ed)?|gave|show(?:ed)?|remind(?:ed)?|promised?|texted)\s)?"
    rf"\b(?:(?:my|our|your|his|her|their)\s(?:\w+\s)?)?{_KIN}\s(?:is\s(?:called|named)\s)?\Z",
    re.IGNORECASE,
)
"""Not "I told my sister Tom was here"."""

_FIRST = re.compile(rf"{_KIN}\s", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s(?:is|was)\s(?:my|our|your)\s(?:(?:older|elder|younger|little|big|twin|best)\s)?"
    rf"{_KIN}(?!['\u2019\w-]|\s(?:and|or)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Naming:
    """
    A message, what was read of it, and whom or what that names, by places; and with whom or what
    it begins, where that was asked for.
    """

    message: Message
    content: str
    mentions: Sequence[Mention]
    answer: Mention | None = None


def spoken_of(naming: Naming) -> Iterator[Mention]:
    """The mentions but those by which the assistant addresses who it answers: "Sure, Tom!"."""
    answers = naming.message.role is Role.ASSISTANT
    if naming.answer:
        yield naming.answer
    for each in naming.mentions:
        if not (answers and _addresses(naming.content, each)):
            yield each


def is_name_of(mention: Mention, speakers: Collection[str]) -> bool:
    """Whether it is a speaker's own name, or a part of it; `speakers` are folded."""
    words = set(mention.normal.split())
    return any(words <= set(speaker.split()) for speaker in speakers)


def known_apart(named: Sequence[Naming]) -> tuple[frozenset[str], frozenset[str]]:
    """
    The normal forms of names of women, and of men, as "my sister Maria" tells.

    Whoever is called both is in neither.
    """
    women, men = set[str](), set[str]()
    for each in named:
        for mention in each.mentions:
            if kin := _kin(each.content, mention):
                (women if kin["hers"] else men).add(mention.normal)
    return frozenset(women - men), frozenset(men - women)


def _addresses(content: str, mention: Mention) -> bool:
    before = content[max(0, mention.start - _LOOKED_BACK) : mention.start]
    found = _ADDRESSING.search(before)
    if found is None:
        return False
    if found["comma"]:
        return _ENDS.match(content, mention.stop) is not None
    return found["begins"] is None or content.startswith(",", mention.stop)


def _kin(content: str, mention: Mention) -> re.Match[str] | None:
    """What tells whether somebody is a woman or a man, where a message does."""
    before = content[max(0, mention.start - _LOOKED_BACK) : mention.start]
    if found := _BEFORE.search(before):
        return None if found["told"] else found
    return _FIRST.match(mention.name) or _BEHIND.match(content, mention.stop)
