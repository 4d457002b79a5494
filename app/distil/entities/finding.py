"""Finding entities in a message by rules, and by what is known already."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from app.distil.entities.capitals import FIRST_WORDS, names_by_capitals, titles_quoted
from app.distil.entities.entity import (
    NOTHING_KNOWN,
    SPELLED_EXACTLY,
    Gazetteer,
    Mention,
    normal_form,
)
from app.distil.entities.kinds import told_by_words
from app.distil.entities.naming_things import things_named
from app.distil.language.lexicon import KIND_OF_TOOL, OTHER_WORDS
from app.distil.language.sentences import sentences_of
from app.domain.entities import EntityType, Sighting
from app.text.scripts import fold

MAX_CHARACTERS = 20_000
"""Of a message that are read for entities."""

_URL = re.compile(r"https?://[^\s<>\"'`\])}\u3002\uff0c]{3,500}")
_EXTENSION = (
    r"\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|c|h|cpp|cs|sql|yml|yaml|toml|json|md|sh|css|html|ipynb"
    r"|csv|txt|pdf|docx?|xlsx?|png|jpe?g|svg|lock|ini|cfg|env|log)\b"
)
_ENDS_A_FILE = re.compile(_EXTENSION)
_FILE = re.compile(
    r"(?<![\w/])(?:[~.]{0,2}/)?(?:[\w.-]{1,60}/){0,12}[\w-]{1,60}(?:\.[\w-]{1,20}){0,3}"
    + _EXTENSION
)
_IDENTIFIER = re.compile(
    r"""
    \b(?: [A-Z]{2,10}-\d{1,8}(?:-[A-Z0-9]{1,8}){0,3} | [A-Z]{1,4}\d{1,3}-\d{3,8}(?:-[A-Z0-9]{1,8})?
    | \d{3,8}-\d{3,8} | 0x[0-9a-fA-F]{4,40} | [A-Z]{1,5}-\d{1,6}
    | [A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8}
    | [a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,8} | [A-Z]?[a-z]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,6}
    | [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12} )\b
    """,
    re.VERBOSE,
)
_ENDS_A_SERVICE = re.compile(
    r"(?<!-of)-(?:api|service|svc|db|worker|gateway|proxy|cli|sdk|daemon|exporter|consumer|scheduler"
    r"|runner|frontend|backend)(?![\w@/-])"
)
_SERVICE = re.compile(
    r"(?<![\w@./-])(?!(?:self|customer|room|full|front|rest|web|public|private|co|in|after|native|key"
    r"|third-party|open|first|text|fast|food|inter)-)[a-z][a-z0-9]{1,20}(?:-[a-z0-9]{2,20}){0,3}"
    + _ENDS_A_SERVICE.pattern
)
"""Parts of a system, "billing-api"; not "customer-service"."""

_BRANDS = frozenset(
    """iPhone iPad eBay GitHub YouTube LinkedIn JavaScript TypeScript PostgreSQL
    MongoDB MySQL OpenAI PayPal WhatsApp GitLab FastAPI SQLite PyTorch McDonald""".split()
)
"""Spelled like names in code."""

_LOOKED_BACK = 40


def mentions_of(
    content: str, known: Gazetteer = NOTHING_KNOWN, seen: Sequence[Sighting] = ()
) -> Sequence[Mention]:
    """
    The mentions in a message by their places; none overlaps another.

    A name that nothing but its capital gives away is one inside a sentence, in quotation marks, or
    where another name of it follows, of type UNKNOWN unless `known`, the name itself (a given one)
    or the words around it tell more. Code is read for
    names in code and files only.

    Args:
        content: What was said.
        known: Entities met before, speakers too.
        seen: What a model found, which counts where rules find nothing that is certain.
    """
    text = content[:MAX_CHARACTERS]
    taken: dict[int, Mention] = {}
    free = _Free(text)
    titles = partial(_titles, known=known)
    parts: list[Mention] = []
    whole = partial(_whole, known=known, parts=parts)
    for find in (_urls, _files, _services, titles, whole, _identifiers):
        free.take(find(free.text), taken)
    joined = any(each.type in SPELLED_EXACTLY for each in taken.values())
    free.take(_seen(text, free.text, seen, known), taken)
    free.take(_names(content=text, free=free.text, known=known), taken)
    free.take(_called(text, free.text, known), taken)
    if parts or joined:  # else there is nothing known that was not taken
        free.take(_known(free.text, known), taken)
    return [taken[start] for start in sorted(taken)]


class _Free:
    """A text in which what was understood is blanked out."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, found: Iterator[Mention], taken: dict[int, Mention]) -> None:
        pieces, end = list[str](), 0
        for each in found:
            taken[each.start] = each
            pieces += [self.text[end : each.start], " " * (each.stop - each.start)]
            end = each.stop
        if pieces:
            self.text = "".join([*pieces, self.text[end:]])


def _mention(name: str, kind: EntityType, start: int, known: Gazetteer = NOTHING_KNOWN) -> Mention:
    normal = known.resolve(normal_form(name, kind))
    return Mention(
        normal=normal,
        name=name,
        type=known.types.get(normal, kind),
        start=start,
        stop=start + len(name),
    )


def _seen(text: str, free: str, seen: Sequence[Sighting], known: Gazetteer) -> Iterator[Mention]:
    """What a model found, unless it is understood already or no name in a line."""
    end = 0
    for each in sorted(seen, key=lambda each: (each.start, -each.stop)):
        name = text[each.start : each.stop]
        is_name = name == name.strip() and 0 < len(name) <= _LONGEST_NAME and "\n" not in name
        if is_name and each.start >= end and free[each.start : each.stop] == name:
            end = each.stop
            yield _mention(name, each.type, each.start, known)


def _urls(text: str) -> Iterator[Mention]:
    for found in _URL.finditer(text):
        yield _mention(found[0].rstrip(".,;:!?"), EntityType.URL, found.start())


def _files(text: str) -> Iterator[Mention]:
    if _ENDS_A_FILE.search(text):  # which costs a tenth of what it spares
        for found in _FILE.finditer(text):
            yield _mention(found[0], EntityType.FILE, found.start())


def _called(text: str, free: str, known: Gazetteer) -> Iterator[Mention]:
    for sentence in sentences_of(text):
        for start, stop in things_named(free, sentence.start, sentence.stop):
            yield _mention(text[start:stop], EntityType.UNKNOWN, start, known)


def _services(text: str) -> Iterator[Mention]:
    if _ENDS_A_SERVICE.search(text):
        for found in _SERVICE.finditer(text):
            yield _mention(found[0], EntityType.IDENTIFIER, found.start())


def _identifiers(text: str) -> Iterator[Mention]:
    for found in _IDENTIFIER.finditer(text):
        name = found[0]
        kind = EntityType.PRODUCT if name in _BRANDS else EntityType.IDENTIFIER
        yield _mention(name, kind, found.start())


def _known(text: str, known: Gazetteer) -> Iterator[Mention]:
    """Names that are known, and tools, however they are spelled; the longest first."""
    names = frozenset(known.types) | frozenset(known.aliases)
    pattern = _any_of(names)
    for found in pattern(text):
        name = found[0]
        normal = known.resolve(normal_form(name))
        is_tool = normal in KIND_OF_TOOL and _is_no_other_word(name)
        if normal in known.types or is_tool:
            mention = _mention(name, EntityType.PRODUCT, found.start(), known)
            yield mention if mention.type is not EntityType.UNKNOWN else _told(text, mention)


def _whole(text: str, known: Gazetteer, parts: list[Mention]) -> Iterator[Mention]:
    """Names that are known; those that are a part of a longer one here go to `parts`."""
    for mention in _known(text, known):
        if _may_go_on(mention, known) and _goes_on(text, mention, known):
            parts.append(mention)
        else:
            yield mention


def _may_go_on(mention: Mention, known: Gazetteer) -> bool:
    """Of an organisation, a part of its name may be one of another's: "Fable Labs"."""
    if mention.type is EntityType.ORGANISATION:
        return normal_form(mention.name) in known.aliases
    return mention.type in _OF_SEVERAL_NAMES


def _goes_on(text: str, mention: Mention, known: Gazetteer) -> bool:
    """Whether "Bob" goes on ("Bob Stone"), or "Smith", by which "Bob Smith" is known, began."""
    after = _NEXT_NAME.match(text, mention.stop)
    if after and (folded := fold(after[1])) not in FIRST_WORDS and folded not in known.types:
        return True
    before = _NAME_BEFORE.search(text, max(mention.start - _LOOKED_BACK, 0), mention.start)
    alias = normal_form(mention.name) in known.aliases
    return bool(alias and before and fold(before[1]) not in FIRST_WORDS)


_OF_SEVERAL_NAMES = frozenset({EntityType.PERSON, EntityType.UNKNOWN})
_NEXT_NAME = re.compile(r"[ ](?=[^\W\d_a-z])([^\W\d_][\w-]{1,40})")
_NAME_BEFORE = re.compile(r"(?<![\w@#.'-])(?=[^\W\d_a-z])([^\W\d_][\w-]{1,40})[ ]\Z")


def _told(text: str, mention: Mention) -> Mention:
    """A mention of what nothing more was known of, with what the words before it tell."""
    kind = told_by_words(text[: mention.stop], mention.start, mention.stop, 0)
    return mention if kind is None else replace(mention, type=kind)


def _is_no_other_word(name: str) -> bool:
    """A tool that is a word as well ("go", "express") is one with its capital only."""
    return not name.islower() or (len(name) > _SHORT and name not in OTHER_WORDS)


@lru_cache(maxsize=16)
def _any_of(names: frozenset[str]) -> Callable[[str], Iterator[re.Match[str]]]:
    """Finds any of the names, of any case; looks words up in a table, so many cost no more."""
    table = names | frozenset(KIND_OF_TOOL)
    longest = _longest_by_first_word(table)

    def find(text: str) -> Iterator[re.Match[str]]:
        end = 0
        words = list(_WORD.finditer(text))
        small = text.casefold() if text.isascii() else None  # folded at once, place by place
        for at, word in enumerate(words):
            folded = fold(word[0]) if small is None else small[word.start() : word.end()]
            if folded not in longest or word.start() < end:
                continue
            for last in range(min(at + longest[folded], len(words)) - 1, at - 1, -1):
                start, stop = word.start(), words[last].end()
                if _may_be_name(text[start:stop]) and normal_form(text[start:stop]) in table:
                    found = _ANY.match(text, start, stop)
                    if found:
                        yield found
                        end = stop
                    break

    return find


def _longest_by_first_word(names: Iterable[str]) -> Mapping[str, int]:
    """
    How many words are looked at where the first one of a name stands.

    A name of very many is looked for nowhere: where its first word stands all over a message, as in
    the name "I I I …", each place would be read that many times.
    """
    longest: dict[str, int] = {}
    for name in names:
        first, *more = name.split(" ")
        if len(more) < _MOST_WORDS:
            told = max(len(more) + 2, _LOOKED_AT)  # a version may follow
            longest[first] = max(told, longest.get(first, 0))
    return longest


def _may_be_name(text: str) -> bool:
    """Whether it is short enough, and in one line."""
    return len(text) <= _LONGEST_NAME and "\n" not in text


_WORD = re.compile(r"[\w+#]+(?:[.-][\w+#]+){0,4}")
_ANY = re.compile(r".+", re.DOTALL)
_LONGEST_NAME = 80
_MOST_WORDS = 8
_LOOKED_AT = 4
"""Words where a name is short: behind it may stand a legal form, a version, a genitive."""

_SHORT = 6


def _titles(free: str, known: Gazetteer) -> Iterator[Mention]:
    for start, title in titles_quoted(free):
        yield _mention(title, EntityType.UNKNOWN, start, known)


def _names(*, content: str, free: str, known: Gazetteer) -> Iterator[Mention]:
    for start, name, kind in names_by_capitals(content, free):
        yield _mention(name, kind, start, known)
