"""Slips of who types: words by which rules know what is said, spelled as people misspell them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.distil.language.sentences import Sentence

_SPELLED = """
    allergic: alergic allergc alergik allergik allergick alergick alegric allegric elergic
    live: liv lvie liev
    lives: livs lvies
    living: livin livng lving liveing
    work: wrok wokr owrk wrk
    works: wroks wokrs wrks
    working: workin wrking worknig workng wroking
    moved: moveed movd mooved mvoed moevd
    prefer: perfer prefere preffer preferr
    vegetarian: vegitarian vegetarain vegeterian vegatarian vegetarien vegitarien
    vegan: veagn vegen vegn
    married: maried marreid marrid
    studying: studing studyng studyin
    study: studdy stduy
    learning: learnin lerning leanring
    speak: speek spaek
    have: hav hve ahve hvae
    hate: haet hte
    love: lvoe luv
    favourite: favorit favrite faverite favourit favoritte favroite
    always: alwys allways alwyas alaways
    never: nevr nver neevr
    husband: husbend husbnad husban
    wife: wif wfie
    daughter: dauther daugther doughter daughtr
    brother: brohter borther brothr
    sister: sistr sitser
    mother: mohter
    father: fahter
    friend: freind frend
    colleague: collegue coleague colleage
    engineer: engeneer enginer engineeer
    teacher: techer teahcer
    nurse: nusre nures
    developer: devloper develeper developper
    accountant: acountant accountent
    student: studnet studant
    birthday: birtday brithday bday
    email: emial
    deadline: deadlne dedline
    diabetic: diabtic
    diabetes: diabetis diabeties
"""
_RIGHT: Mapping[str, str] = {
    slip: right.strip()
    for line in _SPELLED.strip().splitlines()
    for right, _, slips in [line.partition(":")]
    for slip in slips.split()
}
_NO_LETTERS = str.maketrans(dict.fromkeys(".,;:!?()\"'\u2019/-\n\t", " "))
_SLIP = re.compile(rf"(?<![\w'-])(?:{'|'.join(sorted(_RIGHT))})(?![\w'-])", re.IGNORECASE)
_FORMS = frozenset("form frm fom fron".split())
_FORM = re.compile(r"\b(?:i'?m|i am|i come|originally) (form|frm|fom|fron)(?= \w)", re.IGNORECASE)
"""Behind these no word of its own."""

_LOOKED_AT = 20_000
"""Characters of a message: who types more did not type it."""


@dataclass(frozen=True, slots=True)
class Mended:
    """
    A sentence without its slips.

    `shifts` are places in it, in order, behind which all stands so many code points too far.
    """

    sentence: Sentence
    shifts: Sequence[tuple[int, int]] = ()

    def as_typed(self, at: int) -> int:
        """Where in the message that is typed which stands at a place of it in what is mended."""
        inside = at - self.sentence.start
        return at - sum(by for place, by in self.shifts if place <= inside)


def has_slips(content: str) -> bool:
    words = content[:_LOOKED_AT].casefold().translate(_NO_LETTERS).split()
    return not (_RIGHT.keys().isdisjoint(words) and _FORMS.isdisjoint(words))


def mended(sentence: Sentence) -> Mended:
    """`sentence` as it was meant to be typed; what is quoted in it is not its writer's to mend."""
    slips = [
        (found.start(), found[0], _RIGHT[found[0].casefold()])
        for found in _SLIP.finditer(sentence.plain)
    ]
    slips += [(found.start(1), found[1], "from") for found in _FORM.finditer(sentence.plain)]
    text, plain = sentence.text, sentence.plain
    shifts: list[tuple[int, int]] = []
    moved = 0
    for start, slip, right in sorted(slips):
        at, stop = start + moved, start + moved + len(slip)
        word = right.capitalize() if slip[0].isupper() else right
        text, plain = text[:at] + word + text[stop:], plain[:at] + word + plain[stop:]
        moved += len(right) - len(slip)
        shifts.append((at + len(word), len(right) - len(slip)))
    return Mended(replace(sentence, text=text, plain=plain), shifts)
