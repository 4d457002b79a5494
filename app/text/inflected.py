"""
Other forms of the words of a query in a language that inflects and compounds more than English.

"einbehält" is "einbehalten" there, "Umzugsfirma" the "Umzugsunternehmen", "Umzugslaster" the
"Laster", and no stemmer makes them one term. So what begins as a word does is looked up, and what
a long one may be made of, and counts where a memory has it.
"""

from collections.abc import Iterator, Sequence

_BEGINNING = 0.55
"""Of the letters of a word: what is common to most of its forms."""

_SHORTEST_BEGINNING = 4

_INFLECTED = 5
"""Letters, at least, of a word that is looked up in other forms."""

_COMPOUND, _PART = 9, 4
"""Letters, at least, of a word that may be made of several, and of each of these."""

_LONGEST = 32
"""Letters of a word that is looked at."""


def beginnings_of(words: Sequence[str]) -> Sequence[str]:
    """What other forms and compounds of these begin with, in their order."""
    looked_up = (word for word in words if _INFLECTED <= len(word) <= _LONGEST and word.isalpha())
    return [word[: max(_SHORTEST_BEGINNING, round(_BEGINNING * len(word)))] for word in looked_up]


def parts_of(words: Sequence[str]) -> Iterator[str]:
    """What these may be made of, if they are compounds, be it a word or not."""
    for word in words:
        if _COMPOUND <= len(word) <= _LONGEST and word.isalpha():
            for at in range(_PART, len(word) - _PART + 1):
                yield word[:at]
                yield word[at:]
