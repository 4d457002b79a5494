"""How many of a kind somebody has: what a newer count says of an older one."""

import re
from collections.abc import Mapping

_NUMBERS: Mapping[str, int] = {
    word: at
    for at, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)
}
_SINGULAR: Mapping[str, str] = {
    "kid": "child", "kids": "child", "children": "child", "puppies": "puppy", "kitties": "kitty",
}  # fmt: skip
_CHILDREN = frozenset({"child", "son", "daughter", "twin"})
_PAIR = 2
_SOME_OF = re.compile(r"(?:one|two) of (?:my|our|their) (?P<kind>\w[\w-]*)")


def counted(value: str) -> tuple[int, str] | None:
    """How many, and of what, "two dogs": (2, "dog"); None where more is told of them."""
    words = value.casefold().split()
    if len(words) == 1:
        return 1, _singular(words[0])
    number = _number(words[0]) if len(words) == _PAIR else None
    return (number, _singular(words[1])) if number else None


def outnumbers(newer: str, older: str) -> bool:
    """Whether who has `newer` no longer has `older`, of one kind: "three dogs", and "a dog"."""
    one, other = counted(newer), counted(older)
    return bool(one and other and one[1] == other[1] and one[0] >= _PAIR and one != other)


def is_counted_no_more(older: str, lost: str) -> bool:
    """
    Whether who had `older` has another number once `lost` is gone: "two dogs", and "dog".

    Of whom "one of my dogs" is gone some are left: that ends no "dog".
    """
    had, gone = counted(older), counted(lost)
    some = _SOME_OF.fullmatch(lost.casefold())
    if some:
        return bool(had and had[0] >= _PAIR and had[1] == _singular(some["kind"]))
    several = bool(gone and _singular(lost.casefold()) != lost.casefold())
    return bool(had and gone and had[1] == gone[1] and (had[0] >= _PAIR or several))


def has_any_of(value: str, kind: str) -> bool:
    """Whether who has `value` has any of a kind; who has a son has children."""
    had, wanted = counted(value), counted(kind)
    if not (had and wanted):
        return False
    return had[1] == wanted[1] or (wanted[1] == "child" and had[1] in _CHILDREN)


def _number(word: str) -> int | None:
    return int(word) if word.isdecimal() and len(word) <= _PAIR else _NUMBERS.get(word)


def _singular(noun: str) -> str:
    return _SINGULAR.get(noun, noun.removesuffix("s"))
