"""How pets and kin are called where that is told behind them: "I have a dog. His name is Rex"."""

import re
from collections.abc import Iterator

from app.distil.facts.living import PETS
from app.distil.facts.statement import Statement
from app.distil.facts.values import kind_of, proper
from app.distil.language.lexicon import ONE_OF_A_KIND, ONE_OF_FEW
from app.text.patterns import one_of

_SEVERAL = frozenset("bees chickens hens sheep goats puppies kitties".split())
_PET = frozenset(each for each in PETS - _SEVERAL if each.removesuffix("s") not in PETS - {each})
_ONE = _PET | ONE_OF_FEW
_ONE_OF_THEM = one_of(*sorted(_ONE))
_OWNED = re.compile(
    rf"""
    \b (?: (?:I|we)(?:'ve|\s+have)? (?:\s+(?:also|just|recently|now|finally))?
      | (?:\A|(?<=,\s)) (?:just|recently)? )
    \s* \b(?:have|got|adopted|bought|rescued|own)
    \s+ (?:an?|another|one) \s+ (?:[a-z-]+\s+){{0,2}}? (?P<got>{_ONE_OF_THEM})(?![\w-])
    | \b(?:my|our) \s+ (?:[a-z]+\s+)? (?P<own>{_ONE_OF_THEM})(?![\w'-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[a-z-]+", re.IGNORECASE)
_BY_PRONOUN = (
    r"\W*(?:(?:and|so|we|I)\s+)*(?:(?:his|her|its|their)\s+name(?:'s|\s+is)"
    r"|(?:he|she|it)(?:'s|\s+is)\s+(?:called|named)|(?:named|called|call)\s+(?:him|her|it|them))\s+"
)
_BEGUN = re.compile(_BY_PRONOUN, re.IGNORECASE)
_BEHIND = re.compile(
    rf"{_BY_PRONOUN}|,?\s+(?:who(?:'s|\s+is)\s+)?(?:called|named)\s+|,\s+(?=(?-i:[^\W\d_a-z]))",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:\Z|[,.;!()]|\s(?:and|who|but|so|because|after)\s)")
_CONFIDENCE = 0.85


Called = tuple[Statement, int, int]
"""That somebody is called so, and where in a sentence that is told, as of `kin_named`."""


def called_behind(plain: str, speaker: str, *, before: str | None) -> Iterator[Called]:
    """
    Names that stand behind pets and kin of the speaker.

    `before` is whom the sentence before told of; this one may begin with "Her name is".
    """
    begun = _BEGUN.match(plain) if before else None
    if before and begun:
        yield from _called(plain, speaker, before, (0, begun.end()))
    for found in _OWNED.finditer(plain):
        kin = (found["got"] or found["own"]).casefold()
        if behind := _BEHIND.match(plain, found.end()):
            yield from _called(plain, speaker, kin, (found.start(), behind.end()))


def told_of(plain: str) -> str | None:
    """The pet or kin of the speaker that a sentence tells of, if it is one alone."""
    if not _OWNED.search(plain):
        return None
    named = {each.casefold() for each in _WORD.findall(plain)} & _ONE
    return named.pop() if len(named) == 1 else None


def _called(plain: str, speaker: str, kin: str, place: tuple[int, int]) -> Iterator[Called]:
    start, stop = place
    name = proper(plain[stop:])
    if not name or kind_of(name) or " " in name or not _ENDS.match(plain, stop + len(name)):
        return
    statement = Statement(
        subject=f"{speaker}'s {kin}",
        attribute="name",
        value=name,
        confidence=_CONFIDENCE,
        single=kin in ONE_OF_A_KIND,
    )
    yield statement, start, stop + len(name)
