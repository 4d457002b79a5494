import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.text.terms import (
    MAX_QUERY_TERMS,
    MAX_TERM_CHARACTERS,
    VERSION,
    exclusion,
    fold,
    indexed_text,
    query_terms,
    terms_of,
)

WORDS = st.text(alphabet="abcdefgé", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("We picked PostgreSQL.", ["pick", "postgresql"]),
        ("running runs runner", ["run", "run", "runner"]),
        ("Ångström CAFÉ naïve", ["angstrom", "cafe", "naiv"]),
        ("STRASSE Straße", ["strass", "strass"]),
        ("the and of to", []),
        ("we don't know", ["know"]),
        ("user_id=42; get-all", ["user_id", "42", "get"]),
        ("™ \U0001d407ello hello", ["tm", "hello", "hello"]),
        ("Москва 東京", ["москва", "東京"]),
        ("🙂🙂 !!! \"'", []),
        ("", []),
    ],
)
def test_a_text_has_these_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_the_terms_are_those_of_version_1() -> None:
    """Other terms for the same text need another version, and full text built anew."""
    said = "Émile's naïve plans: re-indexing 3 databases (PostgreSQL, SQLite) on Tuesdays!"
    assert (VERSION, terms_of(said)) == (
        "1",
        ["emil", "naiv", "plan", "index", "3", "databas", "postgresql", "sqlite", "tuesday"],
    )


@given(st.text())
@example('scope:t7 AND content:("x" NEAR y*) ^- \' ; DROP TABLE {a}')
@example("\ud800 lone surrogates \udfff")
@example("ﷺ ǆ ﬃ ½ ①")
def test_a_term_holds_nothing_but_word_characters(text: str) -> None:
    for term in terms_of(text) + query_terms(text):
        assert re.fullmatch(r"\w+", term)
        assert len(term) <= MAX_TERM_CHARACTERS
        assert term == term.casefold()


@given(st.text())
@example("\u2102™")
@example("İ")
@example("ϓ")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
@example("\U0001d407\U0001d41e\U0001d425\U0001d425\U0001d428")
@example("ﬅ")
def test_case_and_accents_make_no_other_terms(text: str) -> None:
    assert terms_of(unicodedata.normalize("NFD", text)) == terms_of(text)
    assert terms_of(unicodedata.normalize("NFC", text)) == terms_of(text)


@given(st.lists(WORDS))
def test_terms_come_one_text_after_the_other(words: list[str]) -> None:
    assert terms_of(" ".join(words)) == [term for word in words for term in terms_of(word)]


def test_a_long_run_is_found_by_its_beginning() -> None:
    run = "q7" * 500
    assert terms_of(run) == [run[:MAX_TERM_CHARACTERS]]


@given(st.text())
def test_the_terms_of_a_query_are_distinct_and_few(query: str) -> None:
    terms = query_terms(query)
    assert len(terms) == len(set(terms)) <= MAX_QUERY_TERMS
    if terms_of(query):
        assert set(terms) <= set(terms_of(query))


def test_a_query_keeps_the_order_of_its_terms() -> None:
    assert query_terms("zebra apple zebra mango") == ["zebra", "appl", "mango"]


def test_a_query_of_stop_words_asks_nothing_of_full_text() -> None:
    assert query_terms("Who are you?") == []


def test_a_long_query_keeps_its_longest_terms_in_their_order() -> None:
    short = [f"w{number:02}" for number in range(40)]
    long = [f"longer{number:02}" for number in range(40)]
    mixed = [word for pair in zip(short, long, strict=True) for word in pair]

    kept = query_terms(" ".join(mixed))

    assert len(kept) == MAX_QUERY_TERMS
    assert [term for term in kept if term in long] == long
    assert [term for term in kept if term in short] == short[: MAX_QUERY_TERMS - 40]


def test_who_spoke_is_part_of_what_is_indexed() -> None:
    assert indexed_text("I like tea.", "Alice") == "Alice: I like tea."
    assert indexed_text("I like tea.", None) == "I like tea."
    assert indexed_text("I like tea.", "") == "I like tea."


@pytest.mark.parametrize(
    ("excluded", "text"),
    [
        (["postgres"], "We use Postgres."),
        (["Ångström"], "one angstrom"),
        (["angstrom"], "one ÅNGSTRÖM"),
        (["two words"], "in two\n— words, that is"),
        (["nothing", "tea"], "green tea"),
        (["a.b"], "see a b"),
        (["c++"], "C, then"),
        (["user_id"], "the user_id column"),
        (["\U0001d407ello"], "hello"),
    ],
)
def test_an_excluded_phrase_is_found(excluded: list[str], text: str) -> None:
    pattern = exclusion(excluded)
    assert pattern is not None
    assert pattern.search(fold(text))


@pytest.mark.parametrize(
    ("excluded", "text"),
    [
        (["art"], "a start"),
        (["two words"], "words two"),
        (["two words"], "two other words"),
        (["user"], "the user_id column"),
        ([".*"], "anything"),
        (["a|b", "(?i)x"], "nothing of it"),
    ],
)
def test_only_whole_phrases_are_excluded(excluded: list[str], text: str) -> None:
    pattern = exclusion(excluded)
    assert pattern is None or not pattern.search(fold(text))


@pytest.mark.parametrize("excluded", [[], [""], ["  ", "…", "🙂", "+-*"]])
def test_without_a_word_nothing_is_excluded(excluded: list[str]) -> None:
    assert exclusion(excluded) is None


@given(st.text(), st.text(), st.text())
@example("ς", "Ας", "")
@example("ﬁ", "a ", "")
def test_a_text_that_holds_the_phrase_between_spaces_is_excluded(
    phrase: str, before: str, after: str
) -> None:
    pattern = exclusion([phrase])
    assert pattern is None or pattern.search(fold(f"{before} {phrase} {after}"))


@pytest.mark.parametrize(
    "piece", ["a", "é ", "\"'`", "🙂", " AND (", "_", "\n", "\u0301", "a_", "-"]
)
def test_a_hundred_kilobytes_of_anything_are_analysed(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert len(query_terms(text)) <= MAX_QUERY_TERMS
    pattern = exclusion([text, "end"])
    assert pattern is not None
    assert pattern.search(fold(text + " end"))
