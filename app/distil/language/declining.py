"""Whether a reply says no more than that it has no answer: "I'm not sure. Could you tell me?"."""

import re

from app.distil.language.sentences import sentences_of
from app.text.patterns import one_of

_LONGEST = 400
"""Characters; who says more has something to say."""

_KNOWLEDGE = (
    r"(?:(?:any|enough|specific|further|more|such|that|the|a|other) )*(?:information|info|records?"
    r"|details?|data|memory|memories|mentions?|knowledge|context|access|idea|clue|notes?)"
)
_SORRY = (
    r"(?:i(?:'m| am) )?(?:so |very |really )?(?:sorry|afraid)|unfortunately|apologies|hm+|well|oh"
)
_NOTHING = one_of(
    r"i(?:'m| am) (?:\w+ )?(?:not (?:sure|certain|aware)|unaware|unfamiliar"
    r"|unable to (?:find|recall|remember|say|tell|determine|answer))\b",
    r"i(?: \w+)? (?:do not|don't|cannot|can't|can not|could not|couldn't)(?: \w+)? "
    r"(?:know|recall|remember|say for sure)\b",
    rf"i(?: \w+)? (?:do not|don't|did not|didn't|cannot|can't) (?:have|see|find) {_KNOWLEDGE}\b",
    rf"i have no {_KNOWLEDGE}\b",
    r"(?:there(?:'s| is| are|'re)|i (?:see|find)) no (?:mentions?|information|records?|memory)\b",
    r"you (?:haven't|have not|didn't|never) (?:told|tell|mention(?:ed)?|shared?|said|say)\b",
    r"no (?:idea|clue)\b", r"not sure\b", r"let me (?:think|check|look|see)(?: about it)?\W*\Z",
    r"(?:that(?:'s| is) )?(?:a )?(?:good|great) question\W*\Z", r"sorry\W*\Z",
    r"(?:das )?wei(?:ß|ss) ich (?:leider )?nicht\b", r"keine ahnung\b", r"je ne sais pas\b",
    r"no (?:lo )?sé\b",
)  # fmt: skip
_DECLINES = re.compile(rf"\W*(?:(?:{_SORRY})\b\W*(?:but\b\W*)?)?{_NOTHING}", re.IGNORECASE)
_TELLS = re.compile(
    r"[\d:;]|, (?:only|just|probably|perhaps|maybe|around|about|it|he|she|they|the|your|i think)\b"
    r"|\bbut\b(?! (?:i (?!think|guess|know|remember|heard)"
    r"|(?:if|feel|please|could you|can you)\b))",
    re.IGNORECASE,
)
"""What says something all the same: "I can't recall exactly, around 300 euros"."""
_OFFERS = re.compile(
    r"\W*(?:if you|feel free|please (?:let|tell|share|provide|give|clarify)|could you|can you"
    r"|would you|(?:do|can|could|would) you|tell me|let me know"
    r"|(?:i(?:'m| am) )?happy to|i can (?:help|try|look))\b",
    re.IGNORECASE,
)


def declines(reply: str) -> bool:
    """Whether all of it says that nothing is known, asks for it, or offers help."""
    if len(reply) > _LONGEST:
        return False
    said = [each.text for each in sentences_of(reply)]
    if not said or not _says_nothing(said[0]):
        return False
    return all(_says_nothing(each) or _offers(each) for each in said[1:])


def _says_nothing(sentence: str) -> bool:
    return bool(_DECLINES.match(sentence)) and not _TELLS.search(sentence)


def _offers(sentence: str) -> bool:
    return bool(_OFFERS.match(sentence)) and not _TELLS.search(sentence)
