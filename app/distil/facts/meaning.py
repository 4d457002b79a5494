"""Which parts of a sentence its speaker holds true: no question, no "if", no hearsay."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from app.distil.facts.standing import modal_of_rule
from app.distil.language.sentences import Sentence

Stretch = tuple[int, int]
"""From where to where in a sentence."""

SAID_BY_WHO_KNOWS = r"""
    (?:the|my|our)\ (?:new\ )?(?:doctor|allergist|gp|dietitian|nutritionist|dermatologist
      |specialist|consultant|cardiologist|gastroenterologist|neurologist|optician|dentist|midwife
      |nurse|blood\ tests?|allergy\ tests?|tests?|test\ results?|results?)
    \ (?:now\ )?(?:says?|said|confirmed|confirms?|showed|shows?|told\ me|tells\ me)(?:\ that)?
    (?=,?\ i(?:'m|\ am|\ have|'ve\ got)\b)
"""
"""What one has, or has not, by the word of a doctor: the speaker holds it true."""

_BY_WHO_KNOWS = re.compile(rf"\b{SAID_BY_WHO_KNOWS}", re.VERBOSE)
_SUPPOSED = r"""
    if | unless | suppose | supposing | imagine | assuming | assume\ that | pretend | what\ if
    | wish(?!\ (?:me|us)\b) | wishes | wished | as\ though | would\ like | would\ love
    | i'd | we'd | would've
    | hypothetically | whether | according\ to | let's\ say | (?:\A|(?<=[,;]\s))say | pretends?
    | once\ (?:i|we) | until\ (?:i|we) | in\ case\ (?:i|we)
"""
"""What all of a sentence hangs on, up to a "but"."""

_TOLD = r"""
    maybe | perhaps | possibly | might | probably | supposedly | apparently
    | i\ (?:guess|think|suppose|believe|assume|doubt|don't\ think|hope) | not\ sure | i'm\ unsure
    | (?<!\bi\ )(?:replied|answered|wrote|announced)
      (?=(?:,|,?\ that)\ (?:i|we|my|our)\b|\ (?:i|we)\b)
    | says? | (?<!\bas\ )said | saying | told | tells | claims? | claimed | heard | reads
    | (?<!\bi\ )(?<!just\ )(?<!and\ )(?<!really\ )wants?\ (?!you|to\ be\ called)
    | wanted(?!\ to\ (?:let|tell|share|say)\b) | reckons | rumou?r | hopes | demands | insists
    | insisted
    | (?<!never\ )(?<!not\ )(?<!don't\ )(?<!dont\ )suggests? | suggested | proposes | proposed
    | thinks | believes | should | could | ought
"""
"""What only its own clause hangs on."""

_MADE_UP = r"""
    kidding | joking | haha+ | lol | yeah,?\ right | oh\ sure | oh,\ sure | sure,\ and | as\ a\ joke
    | (?<!favourite\ )(?<!favorite\ )(?:novel|movie|film|story|hero|character)
      (?!\ (?:director|editor|maker|critic|producer|writer|studio|festival|school|fan|buff)\b)
    | favou?rite\ (?:novel|movie|film|story|hero|character)(?!\ is\b)
    | dream | fictional | for\ example | e\.g
    | in\ theory | (?<=,\ )well,?\ not\ any\ ?more
    | (?<=\bi\ )quote | unquote | quote(?=:|\ (?:unquote|i|we|my)\b)
"""
_DOUBT = re.compile(
    rf"\b(?:(?P<all>{_SUPPOSED})|(?P<one>{_TOLD})|(?P<none>{_MADE_UP}))\b", re.VERBOSE
)
"""In small letters: without regard to case so many words take four times as long."""

_REASON = re.compile(r"(?<=\w),?\s+because\s", re.IGNORECASE)
_OWN = r"(?:i(?:'?m|'?ve)?|we(?:'re|'ve)?|my|our)\b"
_OPINION = (
    r"(?:i\s+(?:think|guess|suppose|believe|hope|assume|heard|doubt|mean)\b"
    r"|(?:my|our)\s+\w+\s+(?:says?|said|thinks|claims|reckons|believes|told)\b)"
)
_JOINT = re.compile(
    rf"(?P<apart>;\s+|,?\s+but\s+(?=(?:\w+\s+)?{_OWN}))"
    rf"|(?P<new>,?\s+so\s+(?={_OWN})|,\s+(?:and|plus|while)\s+(?=(?:then\s+|now\s+)?{_OWN}))"
    rf"|,?\s+(?:so|but)\s+(?=(?:maybe|perhaps|could|can|should|would|might)\b)"
    rf"|(?P<spliced>,\s+(?={_OWN})(?!{_OPINION}))|\s+and\s+(?={_OWN})",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:says?|said|told\s+\w+|claims?|claimed|heard|thinks|believes|reckons|insists|replied"
    r"|answered|wrote|announced)"
)
_OF_SELF = re.compile(
    rf"\b{_SAYS},?\s+(?:that\s+)?"
    r"(?:i|we|my|our)(?:'?m|'ve|'re)?\b(?!\s+(?:should|need|must|could|ought|can|have\s+to))",
    re.IGNORECASE,
)
"""Hearsay of the speaker themself, which may go on behind an "and"."""

_TELLS = re.compile(rf"\b{_SAYS}\Z", re.IGNORECASE)
_TOLD_BY_SELF = re.compile(
    r"(?:\b(?:as|like)\s+(?:\w+\s+){1,3}"
    r"|\b(?:i|we)(?:(?:'ve|\s+have)?(?:\s+(?:already|just|always|also|once))?)\s+)"
    rf"{_SAYS}\Z",
    re.IGNORECASE,
)
"""Before a comma: "as I said", "I told you"; behind it is what one says now."""

_BEGINS_WITH_WHY = re.compile(r"\W*because\b", re.IGNORECASE)
_SUPPOSES = re.compile(
    r"\W*(?:(?:so|and|but|ok|well)\W+)?(?:if|unless|suppos\w+|imagine|assum\w+|say)\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:(?:not\s+(?:\w+\s+)?|un)sure|i\s+(?:think|guess|suppose|believe)|maybe|perhaps"
    r"|be\s+wrong)(?:\s+about\s+(?:that|it)|\s+(?:if|whether)\s+.{0,20}(?:right|true|correct)"
    r"|\s+anymore)?[\s.!,)]*\Z",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"""
    \s(?: (?<=[,;:\u2013\u2014]\s)(?:(?:so|and|but)\s+)? | (?:so|and|but|-)\s+ )
    (?P<question>
      (?: (?:can|could|would|will|do|does|did|should|shall|may|is|are|am|was|were|have|has)\s+
          (?:you|u|i|we|it|this|that|there|the|my|our|he|she|they|anyone|someone)
        | what | what's | whats | how(?!\s+many) | why | any\s+(?:tips|ideas?|advice|thoughts|good
          |suggestions?|recommendations?)
        | (?:where|when|who|which)\s+(?:should|can|could|do|does|is|are|would)
        | (?:i'?m|i\s+am|i\s+was)\s+(?:\w+\s+)?wondering | i\s+wonder )\b
      (?!\s+(?:right|correct|true|ok|so|still)\W*\Z)
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEGINS_ASKING = re.compile(
    r"""\W*(?:(?:so|and|but|ok|okay|well|hey|hi|also|or)\W+)*
    (?:can|could|would|will|do|does|did|don'?t|doesn'?t|didn'?t|should|shall|may|is|are|am|was|were
    |have|has|had|isn'?t|aren'?t|wasn'?t|what|what's|whats|how|hows|how's|why|where|when|who|whom
    |whose|which|any|u|you|got)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_WORDS_OF_A_QUESTION = 3
_LOOKED_BACK = 60


@dataclass(frozen=True, slots=True)
class _Part:
    """
    A clause with a subject of its own, and its doubt, one that all hangs on if there is such.

    What is told before it does not reach it if it stands `apart`, what is supposed if it is `free`.
    It is meant up to `reason`, in which its doubt stands, if there is one.
    """

    start: int
    stop: int
    apart: bool
    free: bool
    doubt: re.Match[str] | None
    reason: int | None

    @property
    def supposes(self) -> bool:
        return bool(self.doubt and self.doubt["all"] and self.reason is None)


def is_meant(sentence: Sentence) -> bool:
    """Whether all of a sentence states what its speaker holds true."""
    return not sentence.asks and not _DOUBT.search(_in_small_letters(sentence.plain))


def _in_small_letters(plain: str) -> str:
    """As long as before; a few letters are longer when they are small."""
    small = plain.lower()
    return small if len(small) == len(plain) else plain


def meant_of(sentence: Sentence) -> Sequence[Stretch]:
    """
    What of a sentence is meant, in order.

    What stands before a question is, and so is what has a subject of its own beside hearsay: "He
    says it rains, but I live in Graz." What is only in a reason takes nothing back: "We dropped
    Kafka because nobody wanted it."
    """
    stop = _end_of_what_is_stated(sentence)
    small = _BY_WHO_KNOWS.sub(_blanked, _in_small_letters(sentence.plain))
    if asked := modal_of_rule(sentence.plain):
        small = small[: asked[0]] + " " * (asked[1] - asked[0]) + small[asked[1] :]
    doubts = list(_DOUBT.finditer(small, 0, stop)) if stop else []
    if not doubts:
        return [(0, stop)] if stop else []
    if any(each["none"] for each in doubts) or _TAKEN_BACK.search(sentence.plain[:stop]):
        return []
    parts = _parts(sentence.plain, stop, doubts)
    return list(_without_doubt(sentence.plain, parts))


def _blanked(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _end_of_what_is_stated(sentence: Sentence) -> int:
    """Where a sentence begins to ask."""
    if sentence.asks and _BEGINS_ASKING.match(sentence.plain):
        return 0
    found = _ASKED.search(sentence.plain)
    if found and len(sentence.plain[found.start("question") :].split()) >= _WORDS_OF_A_QUESTION:
        return len(sentence.plain[: found.start()].rstrip(" ,;:\u2013\u2014"))
    return 0 if sentence.asks else len(sentence.plain)


def _parts(plain: str, stop: int, doubts: Sequence[re.Match[str]]) -> Sequence[_Part]:
    joints = [each for each in _JOINT.finditer(plain, 0, stop) if not _is_quoted(plain, each)]
    starts = [0, *(each.end() for each in joints)]
    stops = [*(each.start() for each in joints), stop]
    parts: list[_Part] = []
    for joint, start, end in zip([None, *joints], starts, stops, strict=True):
        own = [each for each in doubts if start <= each.start() < end]
        doubt = next((each for each in own if each["all"]), own[0] if own else None)
        before = (parts[-1].start, parts[-1].stop) if parts else (0, 0)
        of_self = _OF_SELF.search(plain, *before) or _BEGINS_WITH_WHY.match(plain, *before)
        free = joint is None or joint.lastgroup in ("apart", "new")
        by_itself = joint is None or joint.lastgroup == "apart"
        apart = by_itself or bool(joint and joint.lastgroup and not of_self)
        reason = _REASON.search(plain, start, doubt.start()) if doubt else None
        parts.append(_Part(start, end, apart, free, doubt, reason.start() if reason else None))
    return parts


def _is_quoted(plain: str, joint: re.Match[str]) -> bool:
    """Whether a comma parts who says something from what they say: "He said, I live in Rome"."""
    before = max(joint.start() - _LOOKED_BACK, 0), joint.start()
    tells = joint["spliced"] and _TELLS.search(plain, *before)
    return bool(tells) and not _TOLD_BY_SELF.search(plain, *before)


def _without_doubt(plain: str, parts: Sequence[_Part]) -> Iterator[Stretch]:
    if _SUPPOSES.match(plain.casefold()):
        return
    hangs = goes_on = False
    for at, part in enumerate(parts):
        if part.free:
            together = takewhile(lambda each: not each.free, parts[at + 1 :])
            hangs = part.supposes or any(each.supposes for each in together)
        goes_on = goes_on and not part.apart
        if not (hangs or goes_on):
            yield part.start, (part.reason or part.start) if part.doubt else part.stop
        goes_on = goes_on or part.doubt is not None
