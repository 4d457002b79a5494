"""What a sentence says to be the same under two names: "Katherine, also called Kate"."""

import re
from functools import lru_cache

from app.distil.entities.entity import Mention
from app.distil.language.sentences import QUOTED, Sentence
from app.domain.entities import EntityType

SAME_AS = "same as"
"""The type of the relation of two names of one thing, whichever came first."""

MOST_APART = 60
"""Characters between two names that are said to be the same."""

_OFTEN = r"""(?:now|also|usually|mostly|often|sometimes|better|commonly|formerly|previously
    |originally|once|still|officially|later|since|recently|always|just)\s+"""
_KNOWN = r"known\s+(?:to\s+\w+\s+(?:\w+\s+)?)?as"
_OTHER_NAME = r"""(?:short|an?\s+(?:abbreviation|acronym|nickname|alias)|another\s+name
    |the\s+(?:old|new|former|original|short|full|code|other)\s+name)\s+(?:for|of)"""
_RENAMED = r"renamed(?:\s+(?:to|as|into))?"
_EVERYBODY = r"""(?:everyone|everybody|people|they|we|friends|(?:my|our|his|her|their)\s+
    (?:friends|family|colleagues|team))"""
_BEHIND_NAME = rf"""
    (?:is|was|has\s+been|had\s+been)\s+(?:
        (?:{_OFTEN}){{0,2}}(?:{_KNOWN}|nicknamed|{_RENAMED}|{_OTHER_NAME})
        | (?:{_OFTEN}){{1,2}}(?:called|named) )
    | (?:{_OFTEN})?(?:goes|went)\s+by(?:\s+the\s+(?:nick)?name(?:\s+of)?)?
    | used\s+to\s+be\s+(?:called|named|known\s+as)
    | (?:has\s+)?changed\s+(?:its|his|her|their)\s+name\s+to
    | (?:{_OFTEN})?(?:prefers|likes|wants)\s+to\s+be\s+called
"""
_APART = rf"""
    a\.?k\.?a\.? | f\.?k\.?a\.? | formerly | short\s+for
    | (?:{_OFTEN}){{0,2}}(?:{_KNOWN}|nicknamed|{_RENAMED}) | (?:{_OFTEN}){{1,2}}(?:called|named)
    | (?:whom?|which|that)\s+{_EVERYBODY}\s+(?:{_OFTEN})?calls?
    | (?:who|which|that)\s+(?:{_BEHIND_NAME})
"""
_BARE = rf"a\.?k\.?a\.? | f\.?k\.?a\.? | (?:{_OFTEN})?{_KNOWN} | renamed\s+(?:to|as|into)"
_LEADS_ON = re.compile(
    rf"""
    [\x00"\u201d]? (?: (?:\s*[,(\[]\s*|\s+[-\u2013\u2014]\s+)(?:{_APART})
    | \s+(?:{_BARE}|{_BEHIND_NAME})
    | 's\s+(?:nickname|(?:real|full|legal|birth|old|new|former|other|original)\s+name)
      \s+(?:is|was) )
    :?\s+(?:the\s+)?[\x00"\u201c]?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FIRM = re.compile(r"k\.?a\b|known|nicknamed|renamed|\bname\b", re.IGNORECASE)
"""By these words alone; after others, what follows the name must not go on."""

_OR = re.compile(r"\x00?(?:\s*[,(]\s*(?:or\s+)?|\s+or\s+)\x00?", re.IGNORECASE)
_FOR_SHORT = re.compile(r"\x00?\s+for\s+short\b", re.IGNORECASE)
_TO = re.compile(r"\x00?\s+(?:to|as|into)\s+(?:the\s+)?\x00?", re.IGNORECASE)
_BEFORE_OLD_NAME = re.compile(
    r"\b(?:renamed(?:\s+(?:\w+\s+){0,3}from)?|changed\s+(?:\w+\s+){1,2}name\s+from"
    r"|name\s+(?:was|has\s+been)\s+changed\s+from)\s+(?:the\s+)?\x00?\Z",
    re.IGNORECASE,
)
_BEFORE_OWN_NAME = re.compile(
    rf"""
    (?: (?:\A|[,;:.!(\u2013\u2014-]\s*|\b(?:and|but|so|please|just|simply|can|may)\s+)call\s+me
    | \b{_EVERYBODY}\s+(?:all\s+|{_OFTEN})?calls?\s+me
    | \bI\s+(?:{_OFTEN})?go\s+by(?:\s+the\s+(?:nick)?name(?:\s+of)?)?
    | \b(?:I'm|I\s+am)\s+(?:{_OFTEN})?(?:{_KNOWN}|nicknamed)
    | \bI\s+prefer\s+to\s+be\s+called
    | \bmy\s+(?:nickname|(?:real|full|legal|birth|other)\s+name)\s+is )
    \s+\x00?\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GENITIVE = re.compile(
    r"(?:['\u2019]s|(?<=s)['\u2019])\s+"
    r"(?!(?:in|on|at|and|or|but|as|for|since|now|with|near|from|to|is|was|who|which|where)\b)[a-z]"
)
"""What is of Bob is not Bob; who works at "Macy's in Boston" works there."""

_PART_OF_NAME = re.compile(r"['-]\w")
_ENDS = re.compile(
    r"\x00?(?:\s*(?:\Z|[.,;:!)\]\u2013\u2014])"
    r"|\s+(?:and|but|or|by|in|at|for short|to|on|since|from|as|these|now|who|which|because|so|when"
    r"|last|this|instead|today|again|too|while|until|internally|please|everywhere|online)\b)",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:not|no longer|never|nobody|no one|none|cannot|almost|nearly|wrongly|mistakenly)\b|n't\b",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\b(?:\w+\s+(?:from|of)|[A-Z]\w+\s+(?:at|in|on|near|for|with))\s+(?:the\s+)?\Z"
)
"""Before a name that tells more of what stands there: "the lady from Leeds, also called Kate"."""

_NO_SUBJECT = re.compile(
    r"\b(?:at|in|on|near|for|with|to|by|about|under|behind)\s+(?:the\s+)?\Z", re.IGNORECASE
)
_LAST_WORDS = ("me", "by", "of", "name", "as", "is", "called", "nicknamed")
"""Any of what is looked for before a name of one's own ends with one of these: most does not."""

_LOOKED_BACK, _SHORTLY = 60, 12
_VERB_FOLLOWS = re.compile(r"\x00?\s+\w")
_FORMERLY = re.compile(r"\W+formerly\W+", re.IGNORECASE)
_SHOUTED = 3
"""Letters of what is no name in capitals alone: "call me ASAP"."""


def leads_to_another_name(text: str, stop: int) -> bool:
    """Whether what ends at `stop` has a name with a capital behind it that it is said to have."""
    found = _LEADS_ON.match(text, stop, stop + MOST_APART)
    return found is not None and text[found.end() : found.end() + 1].isupper()


def says_same(sentence: Sentence, one: Mention, other: Mention) -> bool:
    """Whether a sentence that is meant says of two mentions, one behind the other, that."""
    plain = sentence.plain
    start, stop = one.stop - sentence.start, other.start - sentence.start
    between, behind = plain[start:stop], other.stop - sentence.start
    if len(between) > MOST_APART:
        return False
    if _TO.fullmatch(between):
        told = _ends_with(_BEFORE_OLD_NAME, sentence, one)
    elif _OR.fullmatch(between):
        told = bool(_FOR_SHORT.match(plain, behind)) and not _ends_with(_OF_ANOTHER, sentence, one)
    else:
        told = _leads_on(sentence, one, between)
        told = told and bool(_FIRM.search(between) or _ENDS.match(plain, behind))
    return told and _is_whole(sentence, other) and _doubted_from(plain) >= stop


def _leads_on(sentence: Sentence, one: Mention, between: str) -> bool:
    """Whether `between` tells that `one` has another name; formerly people were somewhere else."""
    if not _LEADS_ON.fullmatch(between):
        return False
    if one.type is EntityType.PERSON and _FORMERLY.fullmatch(between):
        return False
    is_subject = not (_VERB_FOLLOWS.match(between) and _ends_with(_NO_SUBJECT, sentence, one))
    return is_subject and not _ends_with(_OF_ANOTHER, sentence, one)


def is_own_name(sentence: Sentence, mention: Mention) -> bool:
    """Whether the speaker of a sentence that is meant says to be called so: "call me Teo"."""
    start, stop = mention.start - sentence.start, mention.stop - sentence.start
    before = sentence.plain[max(start - _SHORTLY, 0) : start]
    return (
        before.rstrip(f" {QUOTED}").casefold().endswith(_LAST_WORDS)
        and _ends_with(_BEFORE_OWN_NAME, sentence, mention)
        and not (len(mention.name) >= _SHOUTED and mention.name.isupper())
        and _is_whole(sentence, mention)
        and bool(_ENDS.match(sentence.plain, stop))
        and _doubted_from(sentence.plain) >= start
    )


def _ends_with(pattern: re.Pattern[str], sentence: Sentence, mention: Mention) -> bool:
    """Whether what stands before a mention, as far as it is looked back, ends with a pattern."""
    stop = mention.start - sentence.start
    return bool(pattern.search(sentence.plain, max(stop - _LOOKED_BACK, 0), stop))


@lru_cache(maxsize=8)  # each mention of a sentence asks, one after the other
def _doubted_from(plain: str) -> int:
    """Where a sentence begins to deny or to doubt; behind its end, if it does not."""
    found = _DOUBTED.search(plain)
    return found.start() if found else len(plain) + 1


def is_whose(sentence: Sentence, mention: Mention) -> bool:
    """Whether a mention only tells whose something is: "Bob's brother", "James' boss"."""
    return bool(_GENITIVE.match(sentence.plain, mention.stop - sentence.start))


def _is_whole(sentence: Sentence, mention: Mention) -> bool:
    """Whether a mention is all of a name: no part of a genitive, nor of what is quoted."""
    plain = sentence.plain
    start, stop = mention.start - sentence.start, mention.stop - sentence.start
    if plain[stop - 1] != QUOTED:
        return not _PART_OF_NAME.match(plain, stop)
    around = plain[max(start - 2, 0) : start], plain[stop : stop + 2]
    return [each.count(QUOTED) for each in around] == [1, 1]
