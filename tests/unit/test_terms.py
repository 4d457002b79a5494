import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.text.excluded import excluded_terms, exclusion
from app.text.scripts import WORD_CHARACTER, fold
from app.text.terms import (
    MAX_QUERY_TERMS,
    MAX_TERM_CHARACTERS,
    VERSION,
    QueryTerms,
    indexed_text,
    query_terms,
    terms_of,
)

WORDS = st.text(alphabet="abcdefgé", min_size=3, max_size=12)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("We picked Postgres.", ["pick", "postgr"]),
        ("running runs runner", ["run", "run", "runner"]),
        ("Ångström CAFÉ naïve", ["angstrom", "cafe", "naiv"]),
        ("STRASSE Straße", ["strass", "strass"]),
        ("the and of to", ["the", "and", "of", "to"]),
        ("Who are you?", ["who", "are", "you"]),
        ("we don't know", ["know"]),
        ("user_id=42", ["user", "id", "userid", "42"]),
        ("call replacePlaceholders()", ["call", "replac", "placehold", "replaceplacehold"]),
        ("replace_placeholders", ["replac", "placehold", "replaceplacehold"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("app.ranking.bm25", ["app", "rank", "bm25", "apprankingbm25"]),
        ("src/text/terms.py", ["src", "text", "term", "py", "srctexttermspi"]),
        (r"C:\Users\bob", ["c", "user", "bob", "usersbob"]),
        ("ORA-00942 and E1101", ["ora", "00942", "ora00942", "e1101"]),
        ("0x80070057", ["0x80070057"]),
        ("HTTP 404", ["http", "404"]),
        ("version 3.11.4", ["version", "3", "11", "4", "3_11_4"]),
        ("sha256 of utf8 as UTF-8", ["sha256", "utf8", "utf", "8", "utf8"]),
        ("Donaudampfschifffahrt", ["donaudampfschifffahrt"]),
        ("e-mail", ["e", "mail", "email"]),
        ("isValid", ["valid", "isvalid"]),
        ("the ID, the Id", ["id", "id"]),
        ("™ \U0001d407ello hello", ["tm", "hello", "hello"]),
        ("Москва", ["москв"]),
        ("кошки и йод", ["кошк", "и", "йод"]),
        ("東京", ["東", "京", "東京"]),
        ("猫", ["猫"]),
        ("ガス、ｶﾞｽ", ["ガ", "ス", "ガス", "ガ", "ス", "ガス"]),
        ("한국", ["한", "국", "한국"]),
        ("iPhone15を", ["phone15", "iphone15", "を"]),
        ("กาแฟ", ["กา", "าแ", "แฟ", "กาแ", "าแฟ"]),
        ("हिन्दी", ["हिन्द"]),
        ("مدرسة", ["مدرس"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("🙂🙂 !!! \"'", []),
        ("", []),
    ],
)
def test_a_text_has_these_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


def test_the_terms_are_those_of_version_3() -> None:
    """Other terms for the same text need another version, and full text built anew."""
    said = "Émile's naïve plans: re-indexing 3 databases (getUserById, SQL) 東京 sold on Tuesdays!"
    terms = """
        emil naiv plan index reindex 3 databas get user id getuserbyid sql 東 京 東京 sell tuesday
    """
    assert (VERSION, terms_of(said)) == ("3", terms.split())


@given(st.text())
@example('scope:t7 AND content:("x" NEAR y*) ^- \' ; DROP TABLE {a}')
@example("\ud800 lone surrogates \udfff")
@example("ﷺ ǆ ﬃ ½ ①")
def test_a_term_holds_nothing_but_word_characters(text: str) -> None:
    asked = query_terms(text)
    for term in [*terms_of(text), *asked.terms, *asked.joined, *asked.prefixes]:
        assert re.fullmatch(f"{WORD_CHARACTER}+", term)
        assert not set(term) & set("\"'\\:*&|!()<> ")
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


def test_stop_words_stand_only_where_there_is_nothing_else() -> None:
    assert terms_of("Who are you, Bob?") == ["bob"]
    assert query_terms("Who are you?").terms == terms_of("who ARE you")


def test_a_long_run_is_found_by_its_beginning() -> None:
    run = "q7" * 500
    assert terms_of(run) == [run[:MAX_TERM_CHARACTERS]]


@given(st.text())
def test_the_terms_of_a_query_are_distinct_and_few(query: str) -> None:
    asked = query_terms(query)
    for each in (asked.terms, asked.joined, asked.prefixes):
        assert len(each) == len(set(each)) <= MAX_QUERY_TERMS
    assert set(asked.terms) <= set(terms_of(query))
    assert bool(asked.terms) == bool(terms_of(query))


def test_a_query_keeps_the_order_of_its_terms() -> None:
    assert query_terms("zebra apple zebra mango").terms == ["zebra", "appl", "mango"]


@pytest.mark.parametrize(
    ("query", "joined", "prefixes"),
    [
        ("plain words only", [], []),
        ("replacePlace", [], ["replaceplac"]),
        ("replace_pl now", [], ["replacepl"]),
        ("os.pa", [], ["ospa"]),
        ("where is `repl`?", [], ["repl"]),
        ("repl*", [], ["repl"]),
        ("E110", [], ["e110"]),
        ("why ECONNRES", [], ["econnr"]),
        ("ECONNRES", [], ["econnr"]),
        ("WHY DOES IT HANG", [], []),
        ("x_", [], []),
        ("sha 256 of it", ["sha256"], []),
        ("error ORA 00942", ["ora00942"], []),
        ("東京_abc", [], []),
    ],
)
def test_names_are_asked_for_by_their_beginning(
    query: str, joined: list[str], prefixes: list[str]
) -> None:
    asked = query_terms(query)
    assert (asked.joined, asked.prefixes) == (joined, prefixes)


@given(st.from_regex(r"[a-z]{3,8}([A-Z][a-z]{2,7}){1,3}", fullmatch=True), st.data())
def test_every_beginning_of_a_name_is_asked_for(name: str, data: st.DataObject) -> None:
    """From the second hump on, so that it is known for a name."""
    hump = next(at for at, letter in enumerate(name) if letter.isupper())
    cut = data.draw(st.integers(hump + 1, len(name)))
    (prefix,) = query_terms(name[: max(cut, hump + 2)]).prefixes
    assert any(term.startswith(prefix) for term in terms_of(name))


@given(st.text(), st.text())
def test_what_is_not_there_is_not_remembered(one: str, other: str) -> None:
    assert query_terms(f"{one} {other}") == query_terms(f"{one} {other}")
    assert query_terms("") == QueryTerms(terms=[], joined=[], prefixes=[])


def test_text_without_spaces_is_asked_for_by_its_larger_grams() -> None:
    assert query_terms("東京都").terms == ["東京", "京都"]
    assert query_terms("กาแฟ").terms == ["กาแ", "าแฟ"]
    assert query_terms("ไป").terms == ["ไป"]


def test_words_that_make_one_term_can_be_left_out_in_the_index() -> None:
    assert excluded_terms(["Dogs", "two words", "dog", "", "getUser", "猫"]) == ["dog", "猫"]


def test_a_long_query_keeps_its_longest_terms_in_their_order() -> None:
    short = [f"w{number:02}" for number in range(40)]
    long = [f"longer{number:02}" for number in range(40)]
    mixed = [word for pair in zip(short, long, strict=True) for word in pair]

    kept = query_terms(" ".join(mixed)).terms

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
        (["c++"], "in C++, then"),
        (["C#"], "c#"),
        (["two words++"], "two (words++)"),
        (["user_id"], "the user_id column"),
        (["\U0001d407ello"], "hello"),
        (["東京"], "明日東京に行く"),
        (["หมา"], "ฉันชอบหมามาก"),
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
        (["c++"], "C, then"),
        (["c#"], "c and f#"),
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
    assert len(query_terms(text).terms) <= MAX_QUERY_TERMS
    pattern = exclusion([text, "end"])
    assert pattern is not None
    assert pattern.search(fold(text + " end"))


@pytest.mark.parametrize("between", [" ", "\n", "。", "，", "\u3000", " \u0301"])  # noqa: RUF001
def test_a_long_text_has_the_terms_of_its_parts(between: str) -> None:
    part = f"Ångström/naïve{between}ｆｕｌｌ-width{between}東京タワー{between}е\u0308лка{between}"  # noqa: RUF001
    assert terms_of(part * 4_000) == terms_of(part) * 4_000
