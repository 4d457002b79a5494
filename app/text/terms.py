"""
Words as full text knows them: folded, without stop words, stemmed.

Both databases index the terms that this module makes, so a query finds the same on each, and no
query string can reach a database's own query syntax: a term holds letters, their signs, digits and
"_" only.

A name such as `replacePlaceholders` is its parts and its whole; text without spaces is n-grams.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, takewhile

from app.text import identifiers
from app.text.function_words import tongue_of
from app.text.inflected import beginnings_of, parts_of
from app.text.scripts import (
    UNSPACED,
    WORD_CHARACTER,
    bare,
    beginning,
    fold,
    grams,
    runs,
    stem,
)
from app.text.stretches import AT_ONCE, stretches

VERSION = "3"
"""Rises with every change that gives a text other terms: full text is then rebuilt."""

MAX_QUERY_TERMS = 64
"""A longer query keeps its longest terms, which tend to be its rarest."""

_MAX_QUERY_TOKENS = 8 * MAX_QUERY_TERMS
_MAX_ASKED_CHARACTERS = 500
"""Of one token of a query, so that remembering many stays cheap."""

MAX_TERM_CHARACTERS = 64
"""Longer runs (base64, hashes) are cut: their beginning still finds them."""

MAX_PREFIXES = 8
"""Of one query: each costs a look through the vocabulary."""

MIN_PREFIX_CHARACTERS = 3

_SPELLED_CHARACTERS = 2_000
"""Of a query, in which names are looked for that are marked as such."""

_REMEMBERED_CHARACTERS = 100
"""A longer token is seldom met again."""

_SEPARATED = r"(?:(?:[-./\\]|::|->){0}+){{0,15}}"
_ASCII_TOKEN = re.compile(r"\w+" + _SEPARATED.format(r"\w"), re.ASCII)
_TOKEN = re.compile(f"{WORD_CHARACTER}+" + _SEPARATED.format(WORD_CHARACTER))
_BETWEEN = re.compile(r"[\s\u3001\u3002\uff01\uff0c\uff1f]")
"""Where no token goes on; the stops are of scripts that have no blanks."""
_WORD = re.compile(f"{WORD_CHARACTER}+")
_MIXED = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_CAPITALS = re.compile(r"[A-Z]{4,}")
"""A constant or the name of an error, such as ECONNRESET."""
_MARKED = re.compile(r"`([^`]{1,200})`|(?<!\w)(\w+)\*")
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could
    did do does doing down for from had has have having he her here hers him his how i if in into
    is it its itself just me more most my myself no nor not of off on once only or other our ours
    out over own same she should so some such than that the their theirs them then there these
    they this those through to too under until up very was we were what when where which while
    who whom why will with would you your yours s t re ve ll d m don didn isn wasn
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """
    What a query asks of full text, each distinct and in order.

    `terms` are what it says; those `of_function` say nothing by themselves. What follows counts
    only where the scope knows it: `joined` are names with a number, spelled apart ("sha 256", "ORA
    00942"), and parts of compounds; `prefixes` the beginnings of names, and of other forms of
    words, looked up where the scope does not know the whole.
    """

    terms: Sequence[str] = ()
    of_function: frozenset[str] = frozenset()
    joined: Sequence[str] = ()
    prefixes: Sequence[str] = ()


def terms_of(text: str) -> list[str]:
    """
    The terms of `text`, in order, repeats included.

    Stop words are left out, unless there is nothing else: "Who are you?" must find itself.
    """
    tokens = _tokens(text)
    terms: list[str] = []
    for each in tokens:
        terms += _held(each) if len(each) <= _REMEMBERED_CHARACTERS else _analysed(each)
    return terms or _plain(tokens)


def query_terms(query: str) -> QueryTerms:
    """
    What a query asks for, at most MAX_QUERY_TERMS of each kind.

    In another language than English it asks for other forms and compounds of its words, too.
    """
    longest = _longest(_tokens(query), most=_MAX_QUERY_TOKENS)
    tokens = [each[:_MAX_ASKED_CHARACTERS] for each in longest]
    words, compounds, of_function = _abroad(tokens)
    said = list(chain.from_iterable(map(_asked, tokens))) or _plain(tokens)
    terms = _longest(dict.fromkeys(said))
    joined = dict.fromkeys([*map(_joined, pairwise(tokens)), *map(stem, parts_of(compounds))])
    names = _prefixes(query[:_SPELLED_CHARACTERS], tokens[:MAX_QUERY_TERMS])
    return QueryTerms(
        terms=terms,
        of_function=of_function.intersection(terms),
        joined=_longest(each for each in joined if each and each not in terms),
        prefixes=list(dict.fromkeys([*names, *beginnings_of(words)]))[:MAX_PREFIXES],
    )


def _abroad(tokens: Sequence[str]) -> tuple[Sequence[str], Sequence[str], frozenset[str]]:
    """
    Of a query in another language: the words that say something, those of them that may be
    compounds, and the terms of its function words, unless it says nothing else.
    """
    said = [[fold(word) for word in _WORD.findall(token)] for token in tokens]
    tongue = tongue_of(chain.from_iterable(said), STOP_WORDS)
    if tongue is None:
        return [], [], frozenset()
    listed = tongue.function_words
    told = [at for at, words in enumerate(said) if not listed.issuperset(words)]
    if not told:
        return [], [], frozenset()
    names = {*_names_among(tokens)}
    words = [said[at][0] for at in told if len(said[at]) == 1 and tokens[at] not in names]
    of_function = {stem(each) for each in chain.from_iterable(said) if each in listed}
    around = {*range(len(said))}.difference(told)
    of_function.update(*(_asked(tokens[at]) for at in around))
    return words, words if tongue.compounds else [], frozenset(of_function)


def indexed_text(content: str, speaker: str | None) -> str:
    """What goes into the indexes of a message: "Name: text", since who said it is searched for."""
    return f"{speaker}: {content}" if speaker else content


def _tokens(text: str) -> Sequence[str]:
    """Words, and what separators without spaces make of several; accents are gone."""
    if len(text) <= AT_ONCE:
        return _found(text)
    return [each for at in stretches(text, _BETWEEN) for each in _found(text[at])]


def _found(text: str) -> Sequence[str]:
    spelled = bare(text)
    return (_ASCII_TOKEN if spelled.isascii() else _TOKEN).findall(spelled)


@lru_cache(maxsize=65_536)
def _held(token: str) -> Sequence[str]:
    """The terms that a document with `token` holds."""
    return _analysed(token)


@lru_cache(maxsize=4_096)
def _asked(token: str) -> Sequence[str]:
    """The terms that a query with `token` asks for: of text without spaces the larger grams."""
    return _analysed(token, smaller=False)


def _analysed(token: str, *, smaller: bool = True) -> Sequence[str]:
    words = _WORD.findall(token)
    terms = [term for word in words for term in _of_word(word, smaller=smaller)]
    if len(words) > 1 and not UNSPACED.search(token):
        terms.append(_whole(_pieces(words)))
    return tuple(terms)


def _of_word(word: str, *, smaller: bool) -> Iterable[str]:
    for run, size in runs(word):
        if size:
            yield from _grams(run, size, smaller=smaller)
        else:
            yield from _of_name(run)


def _grams(run: str, size: int, *, smaller: bool) -> Iterable[str]:
    """At write the next smaller grams too: a query may be shorter than a gram."""
    folded = fold(run)
    if smaller and len(folded) >= size:
        yield from grams(folded, size - 1)
    yield from grams(folded, size)


def _of_name(word: str) -> Iterable[str]:
    parts = identifiers.parts(word[:MAX_TERM_CHARACTERS])
    for part in parts:
        folded = fold(part)
        if folded and folded not in STOP_WORDS:
            yield stem(folded)
    if len(parts) > 1:
        yield _whole(parts)


def _whole(pieces: Iterable[str]) -> str:
    return stem(fold(identifiers.whole(pieces))[:MAX_TERM_CHARACTERS])


def _plain(tokens: Sequence[str]) -> list[str]:
    """Words as they are, where they are stop words and nothing else."""
    return [fold(word) for token in tokens for word in _WORD.findall(token) if word.strip("_")]


def _joined(neighbours: tuple[str, str]) -> str:
    """
    A word and the number beside it as one name; nothing for other neighbours.

    Joining any two words ("read csv" for `readCsv`) was tried: on CoSQA it cost more places at the
    top (MRR 0.334 to 0.299 by BM25) than it found, since the parts of a name find it already.
    """
    word, number = neighbours
    short = len(word) + len(number) <= MAX_TERM_CHARACTERS
    return _whole(neighbours) if short and word.isalpha() and number.isdecimal() else ""


def _prefixes(query: str, tokens: Sequence[str]) -> Sequence[str]:
    """The beginnings of what looks like a name, or is marked as one: `repl`, repl*."""
    marked = [token for pair in _MARKED.findall(bare(query)) for token in _tokens(" ".join(pair))]
    beginnings = dict.fromkeys(map(_beginning, [*marked, *_names_among(tokens)]))
    return [each for each in beginnings if len(each) >= MIN_PREFIX_CHARACTERS][:MAX_PREFIXES]


def spelled_names(query: str) -> Mapping[str, str]:
    """What looks like a name in a query, as it is spelled there, with the term for all of it."""
    tokens = _tokens(query[:_SPELLED_CHARACTERS])[:MAX_QUERY_TERMS]
    names = [token for token in _names_among(tokens) if not UNSPACED.search(token)]
    return {token: terms[-1] for token in names if (terms := _asked(token))}


def _names_among(tokens: Sequence[str]) -> Sequence[str]:
    """Those that look like names; where all are shouted, capitals say nothing."""
    shouted = len(tokens) > 1 and all(token.isupper() for token in tokens)
    return [token for token in tokens if _is_name(token, shouted=shouted)]


def _is_name(token: str, *, shouted: bool = False) -> bool:
    in_capitals = bool(_CAPITALS.fullmatch(token)) and not shouted
    return in_capitals or len(_asked(token)) > 1 or bool(_MIXED.search(token))


def _beginning(token: str) -> str:
    """What every term that continues `token` begins with, whatever the stemmer did to its end."""
    if UNSPACED.search(token) or len(token) > MAX_TERM_CHARACTERS:
        return ""
    name = fold(identifiers.whole(_pieces(_WORD.findall(token))))
    return _common_beginning(name, beginning(name))


def _common_beginning(one: str, other: str) -> str:
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(character for character, _ in alike)


def _pieces(words: Iterable[str]) -> Sequence[str]:
    return [part for word in words for part in identifiers.parts(word[:MAX_TERM_CHARACTERS])]


def _longest(terms: Iterable[str], *, most: int = MAX_QUERY_TERMS) -> list[str]:
    """The longest of them, in their order; all of them, repeats included, where they are few."""
    given = list(terms)
    if len(given) <= most:
        return given
    distinct = dict.fromkeys(given)
    longest = set(sorted(distinct, key=lambda term: (-len(term), term))[:most])
    return [term for term in distinct if term in longest]
