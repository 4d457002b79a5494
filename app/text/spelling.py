"""
Words of a query that may be misspelt, and what was meant: "desesrts" finds what says "desserts".

Who types fast swaps, doubles, leaves out or changes a letter, and then neither full text nor a
model of word pieces knows the word. What is misspelt is told by two that know words: a list of
English ones, and the memory that is asked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from app.text.scripts import fold, stem_anew
from app.text.terms import STOP_WORDS

Knows = Callable[[str], bool]
"""Whether a folded word is one."""

MOST = 3
"""Words of a query; where there are more, it is in another language, or no prose."""

RARE = 2
"""Documents that may hold a misspelt word, too: the query itself may be stored."""

READ = 1_000
"""Characters of a query that are looked through."""

_SHORTEST, _LONGEST = 3, 24
"""Letters of a word."""

_SHORT, _SURE = 5, 7
"""
Letters of a word that may have any slip in it: a shorter one is one letter away from many others.
And those from which on it may be taken for one that memory has not either.
"""

STANDING_ALONE = re.compile(r"(?<!\S)\(?([^\W\d_]+)(?=(?:['\u2019]s)?[.,;:!?)]*(?:\s|\Z))")
"""What stands by itself: no part of a path, an address or a name in code, and not quoted."""

_TYPED = frozenset(
    """
    arent asap brb btw cant couldnt didnt doesnt dont gotta hadnt hasnt havent hes hows idk imho imo
    isnt ive kinda lets lmk lol nvm omg pls plz shes shouldnt sorta tbh thats theres theyre tho thru
    thx tmrw tmw ttyl wasnt werent whats whens wheres whos whys wont wouldnt yall youd youll youre
    youve
    """.split()
)
"""What people write in chats, and mean."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_SWAPPED, _DOUBLED, _MISCOUNTED, _CHANGED = 0.0, 1.0, 2.0, 3.0
"""How unlikely each slip is, beside the others."""

_AT_FIRST = 1.0
"""By how much it is less likely in the first letter of a word."""

_SAID = 1.5
"""By how much a word is likelier that memory has."""

_UNKNOWN = 2.5
"""By how much one is less likely that is not known."""

_ENDINGS = frozenset({"", "es", "s"})
"""Of a word that is in memory, beside its term, where it is not known and a letter is amiss."""


def suspects(query: str, knows: Knows) -> Sequence[str]:
    """
    The words, folded, that are not known, where most of the others are.

    A word with a capital is a name, and names are left alone: Carla is not Karla.
    """
    words = dict.fromkeys(STANDING_ALONE.findall(query[:READ]))
    plain = [fold(word) for word in words if word.islower()]
    unknown = [word for word in plain if not _is_right(word, knows)]
    if len(unknown) > MOST or 2 * len(unknown) > len(plain):
        return []
    return [word for word in unknown if word.isascii() and _SHORTEST <= len(word) <= _LONGEST]


def terms_near(word: str) -> Sequence[str]:
    """The terms that full text may hold of a folded word, and of what may have been meant."""
    return list(dict.fromkeys([stem_anew(word), *map(stem_anew, _near(word))]))


def meant(word: str, held: Mapping[str, int], knows: Knows) -> str | None:
    """
    What was meant by a folded word; None if it is right, or if nobody can tell.

    The likeliest slip counts, and of several the word that is said most. What memory has not is
    meant only if nothing else is as likely. A word that memory has is right, but for a RARE one
    beside which the other is said as often.

    Args:
        word: Of the suspects.
        held: How many documents hold each of its `terms_near`, where any does.
        knows: Whether a word is one.
    """
    own = stem_anew(word)
    if held.get(own, 0) > RARE:
        return None
    options = dict[str, tuple[float, int, str]]()
    for spelled, slip in _near(word).items():
        term = stem_anew(spelled)
        cost = _cost(slip, spelled, knows, ending=_ending(spelled, term, held))
        if term != own and cost is not None and held.get(term, 0) >= held.get(own, 0):
            option = (cost, -held.get(term, 0), spelled)
            options[term] = min(option, options.get(term, option))
    best, other, *_ = [*sorted(options.values()), None, None]
    if best is None or (other and other[:2] == best[:2]):
        return None
    return best[2]


def respelled(query: str, corrections: Mapping[str, str]) -> str:
    """`query` with what was meant, told by folded words."""

    def right(word: str) -> str:
        return corrections.get(fold(word), word) if word.islower() else word

    return rewritten(query, right)


def rewritten(query: str, spelled: Callable[[str], str]) -> str:
    """`query` with each word that stands by itself as `spelled` gives it."""
    return STANDING_ALONE.sub(
        lambda found: found[0].removesuffix(found[1]) + spelled(found[1]), query
    )


def _is_right(word: str, knows: Knows) -> bool:
    return word in STOP_WORDS or word in _TYPED or knows(word)


def _ending(spelled: str, term: str, held: Mapping[str, int]) -> str | None:
    """What a word that is in memory has beside its term; None for another one."""
    if term not in held:
        return None
    return spelled[len(term) :] if spelled.startswith(term) else "?"


def _cost(slip: float, spelled: str, knows: Knows, *, ending: str | None) -> float | None:
    """How unlikely a word is; None if it is none, or too far away."""
    said, short = ending is not None, len(spelled) < _SHORT
    if short and not (said and slip == _SWAPPED):
        return None
    if knows(spelled):
        near = said or slip == _SWAPPED or len(spelled) >= _SURE
        return slip - (_SAID if said else 0.0) if near else None
    likely = (
        said
        and len(spelled) > _SHORT
        and (slip <= _DOUBLED or (slip <= _MISCOUNTED and ending in _ENDINGS))
    )
    return slip - _SAID + _UNKNOWN if likely else None


@lru_cache(maxsize=256)
def _near(word: str) -> Mapping[str, float]:
    """All that is one slip away, some 54 times its letters, with how unlikely the slip is."""
    near = dict[str, float]()
    for spelled, cost in _slips(word):
        near[spelled] = min(cost, near.get(spelled, cost))
    near.pop(word, None)
    return near


def _slips(word: str) -> Iterator[tuple[str, float]]:
    for at in range(len(word) + 1):
        before, behind = word[:at], word[at:]
        more = 0.0 if at else _AT_FIRST
        if len(behind) > 1:
            yield before + behind[1] + behind[0] + behind[2:], _SWAPPED + more
        if behind:
            twice = behind[0] in (before[-1:], behind[1:2])
            yield before + behind[1:], (_DOUBLED if twice else _MISCOUNTED) + more
        for letter in _LETTERS:
            again = letter in (before[-1:], behind[:1])
            yield before + letter + behind, (_DOUBLED if again else _MISCOUNTED) + more
            if behind:
                yield before + letter + behind[1:], _CHANGED + more
