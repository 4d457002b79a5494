"""How many of a kind somebody has: what a newer count says of an older one."""

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
