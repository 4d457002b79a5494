"""Names that nothing but their capitals gives away, and what capitals tell nothing of."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from app.distil.entities.headings import (
    WORD,
    heading_around,
    headings,
    may_be_in_title,
    names_in_heading,
)
from app.distil.entities.kinds import BODIES, is_given, told_by_words
from app.distil.entities.sameness import leads_to_another_name
from app.distil.language.lexicon import (
    CALENDAR,
    COUNTED,
    EXCLAMATIONS,
    INITIALS,
    KIN,
    LANGUAGES,
    NO_NAMES,
    NOTED,
    OCCUPATIONS,
    PEOPLES,
    TIMES,
    TITLES,
    VERBS_OF_RULES,
)
from app.distil.language.sentences import sentences_of
from app.domain.entities import EntityType

FIRST_WORDS = NO_NAMES | CALENDAR | PEOPLES | LANGUAGES | EXCLAMATIONS
"""Words that have a capital where no name begins, folded."""

_CAPITAL = re.compile(
    r"(?<![\w@#.'-])(?=[^\W\d_a-z])[^\W\d_][\w-]{1,40}(?:[ ](?:(?:van|von|de|der|of)[ ]){0,2}"
    r"(?=[^\W\d_a-z])[^\W\d_][\w-]{0,40}){0,3}"
)
_IN_TITLES_OF_WORKS = frozenset(
    """the a an my our your his her their its this that these those no not one some many most all
    each every both in on at for with to from by after before life time people""".split()
)
_SPLITS = (NO_NAMES - _IN_TITLES_OF_WORKS) | CALENDAR | {"am", "pm"}
"""Words that no name holds: "Last August I told Anna" names Anna."""

_ALONE = FIRST_WORDS | _SPLITS
_NO_NAME_ALONE = (
    TIMES
    | OCCUPATIONS
    | TITLES
    | KIN
    | set(map(str.casefold, BODIES))
    | {f"{each}s" for each in PEOPLES}
)
_ENDS_WHAT_ONE_IS = OCCUPATIONS | TITLES | {"team", "department", "office"}
_CALLED_MET = frozenset("office police gala opera museum".split())
"""What "the Met" is of: nobody met an Office."""

_ADDED = re.compile(
    r"-(?:[a-z]+(?:ed|ing)|based|like|related|friendly|free|ready|only|style|wide|specific|driven"
    r"|level|first|term|time|up|off|out|in|ins|on|to)\Z"
)
"""What makes an ordinary word of a name, or of another word: "AI-generated", "Check-ins"."""

_ABSTRACT = re.compile(
    r".{4,}(?:tion|sion|ment|ness|ship|ility|ivity|ance|ence|ency|ancy|ology)s?\Z|.{5,}ings?\Z"
    r"|.{4,}ically\Z|.{5,}[ai]ble\Z"
)
"""How nouns end that have a capital for their weight more often than for a name."""

_SHOUTED = re.compile(r"[^\W\d_a-z]{2,}(?:[ ][^\W\d_a-z]{2,}){1,3}")
_PART_OF_SENTENCE = frozenset(",;&/)}%+")
"""Behind these a sentence goes on: a capital there is of a name."""

_SHORTENED = re.compile(r"(?:\b(?i:mr|mrs|ms|dr|prof|st|vs|mt|jr)|\b[A-Za-z])\.\Z")
_NAMED_BEFORE = re.compile(
    r"\b(?:book|novel|song|film|movie|series|show|album|game|play|piece|titled|call(?:s|ed)?(?:\s+\w+)?"
    r"|renamed\b[^.!?\n]{0,40})\s+\Z"
)
_NAMED_BEHIND = re.compile(r"\s+by\s+[^\W\d_a-z]")
_LOOKED_BACK = 50
_QUOTES = frozenset('"\u201c\u201e\u00ab')
_QUOTED = re.compile(
    r"(?<![\w'])(?:\"(?P<a>[^\"\n]{3,60})\"|\u201c(?P<b>[^\u201c\u201d\"\n]{3,60})\u201d"
    r"|\u201e(?P<c>[^\u201c\u201d\u201e\n]{3,60})\u201c|\u00ab(?P<d>[^\u00ab\u00bb\n]{3,60})\u00bb)"
)
_NUMBERED = re.compile(r" ?#?\d")
_SHORTEST = 2
"""Letters of a name."""


def names_by_capitals(content: str, free: str) -> Iterator[tuple[int, str, EntityType]]:
    """
    Where names stand that begin with a capital, and what the words around them tell they are.

    Inside a sentence a capital gives a name away. Where a sentence, a quotation or what is set in
    bold begins, other words must tell that it is one; in a heading, of which all words have
    capitals, only given names and those that all know are found. Code holds no names.

    Args:
        content: What was said.
        free: The same with all that is understood already blanked out.
    """
    for sentence in sentences_of(content):
        if sentence.text.isupper():
            continue
        found: Sequence[tuple[int, int]] | None = None
        for run in _CAPITAL.finditer(free, sentence.start, sentence.stop):
            if run[0].isupper() and _SHOUTED.fullmatch(run[0]):
                continue
            if found is None:
                found = headings(content, sentence)
            heading = found and heading_around(run.start(), found)
            if heading:
                yield from names_in_heading(content, run, heading)
                continue
            for start, name in _pieces(run):
                yield from _named(content, start, name, sentence.start)


def _pieces(run: re.Match[str]) -> Iterator[tuple[int, str]]:
    """What is left of words with capitals in a row without those that no name holds."""
    if " " not in run[0]:
        initials = run[0].isupper() and run[0].casefold() in INITIALS
        if not initials and run[0].casefold() not in _ALONE:
            yield from _piece(run.start(), [run[0]])
        return
    words: list[str] = []
    at = begin = run.start()
    for word in [*run[0].split(" "), ""]:
        folded = word.casefold()
        if not word or folded in _SPLITS or (not words and folded in FIRST_WORDS):
            yield from _piece(begin, words)
            words = []
        elif words or word[0].isupper():
            begin = begin if words else at
            words.append(word)
        at += len(word) + 1


def _piece(begin: int, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """As much of a name as ends with a word that has a capital."""
    last = max((at for at, word in enumerate(words, start=1) if word[0].isupper()), default=0)
    name = " ".join(words[:last]).rstrip("-_")
    if len(name) >= _SHORTEST:
        yield begin, name


def _named(
    content: str, start: int, name: str, begin: int
) -> Iterator[tuple[int, str, EntityType]]:
    first, blank, rest = name.partition(" ")
    opens = _opens(content, start, begin)
    if opens and blank and _only_opens(content, first, rest):
        start, name, opens = start + len(first) + 1, rest, False
        if not name[0].isupper() or len(name) < _SHORTEST:
            return
    kind = told_by_words(content, start, start + len(name), begin)
    if kind is None and not opens and is_given(name, leniently=True):
        kind = EntityType.PERSON
    if _is_no_name(content, start, name, person=kind is EntityType.PERSON):
        return
    if kind is not EntityType.PERSON and _is_ordinary(content, name, opens=opens):
        return
    if kind or not opens or leads_to_another_name(content, start + len(name)):
        yield start, name, kind or EntityType.UNKNOWN


def _opens(content: str, start: int, begin: int) -> bool:
    """Whether nothing, or a mark behind which a sentence may begin, stands before a place."""
    at = start - 1
    while at >= begin and content[at] == " ":
        at -= 1
    if at < begin or content[at] != ".":
        return at < begin or not (content[at].isalnum() or content[at] in _PART_OF_SENTENCE)
    return not _SHORTENED.search(content, max(at - _LOOKED_BACK, begin), at + 1)


def _only_opens(content: str, first: str, rest: str) -> bool:
    """Whether a first word is of the sentence, not of the name: "Ask Anna", "Recently Wyatt"."""
    folded = first.casefold()
    if folded in NOTED and rest.casefold() not in _CALLED_MET:
        return True
    if is_given(first):
        return False
    is_verb = folded in VERBS_OF_RULES or folded.endswith("ly")
    named = is_given(rest.partition(" ")[0], leniently=True)
    return is_verb or named or _is_written_small(content, folded)


def _is_no_name(content: str, start: int, name: str, *, person: bool) -> bool:
    """Times, jobs and kin, "Step 3", "AI-generated"."""
    words = name.casefold().split(" ")
    last = words[-1]
    if len(words) == 1:
        counts = last in COUNTED and _NUMBERED.match(content, start + len(name))
        alone = last in _NO_NAME_ALONE or counts
        return bool(alone or _ADDED.search(name) or content[start - 1 : start] == "`")
    surname = person and last in OCCUPATIONS  # "Cook"
    job = last in _ENDS_WHAT_ONE_IS and not surname and not is_given(name.partition(" ")[0])
    times = all(word in TIMES for word in words)
    return job or times or bool(_ADDED.search(name))


def _is_ordinary(content: str, name: str, *, opens: bool) -> bool:
    """Whether a name is a word that has no capital elsewhere, or looks like one at an opening."""
    folded = name.casefold()
    return bool(opens and _ABSTRACT.match(folded)) or _is_written_small(content, folded)


def _is_written_small(content: str, folded: str) -> bool:
    """Whether the same message has a word, or several in a row, without a capital too."""
    if " " in folded:
        return any(f" {folded}{end}" in content for end in (" ", ",", ".", "s "))
    small = _small_words(content)
    return folded in small or f"{folded}s" in small


@lru_cache(maxsize=4)  # each capital of a message asks, one after the other
def _small_words(content: str) -> frozenset[str]:
    """Behind a blank: what a line begins with may be a command, "git push"."""
    return frozenset(word.rstrip(",.") for word in content.split(" ") if word[:1].islower())


def titles_quoted(free: str) -> Iterator[tuple[int, str]]:
    """What quotation marks hold that is spelled as the title of a work: "The Name of the Wind"."""
    if not _QUOTES.intersection(free):
        return
    for found in _QUOTED.finditer(free):
        kind = found.lastgroup or ""
        title = found[kind].rstrip(" ,.")
        words = WORD.findall(title)
        weighty = [word for word in words if word.casefold() not in FIRST_WORDS]
        work = len(words) > 1 or (words and _is_said_to_be_named(free, found))
        spelled = title[:1].isalnum() and title.replace("!", "").replace("?", "") == title
        if work and weighty and spelled and all(map(may_be_in_title, words)):
            yield found.start(kind), title


def _is_said_to_be_named(text: str, quoted: re.Match[str]) -> bool:
    """Whether the words around a single one in quotation marks tell that it is a name."""
    before = text[max(quoted.start() - _LOOKED_BACK, 0) : quoted.start()]
    return bool(_NAMED_BEFORE.search(before) or _NAMED_BEHIND.match(text, quoted.end()))
