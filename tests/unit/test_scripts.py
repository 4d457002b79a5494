import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.scripts import bare, fold, grams, runs, stem


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ångström", "angstrom"),
        ("ЁЛКА и Йод", "елка и йод"),
        ("ガス か", "ガス か"),
        ("ｶﾞｽ", "ガス"),
        ("한국", "한국"),
        ("ม้า", "ม้า"),
        ("أحمد إلى مدرسة", "احمد الي مدرسة"),
        ("نمی\u200cشود", "نميشود"),
        ("שָׁלוֹם", "שלום"),
        ("Ελλάς", "ελλασ"),
        ("tiếng Việt", "tieng viet"),
    ],
)
def test_accents_fall_and_letters_stay(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_what_is_bare_stays_so(text: str) -> None:
    assert bare(bare(text)) == bare(text)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("plain", [("plain", 0)]),
        ("iPhoneを買う", [("iPhone", 0), ("を買う", 2)]),
        ("กาแฟ", [("กาแฟ", 3)]),
        ("książka", [("książka", 0)]),
        ("हिन्दी", [("हिन्दी", 0)]),
    ],
)
def test_a_word_is_cut_where_its_script_changes(word: str, expected: list[object]) -> None:
    assert list(runs(word)) == expected


@given(st.text(min_size=1), st.integers(1, 4))
def test_grams_cover_their_run(run: str, size: int) -> None:
    found = grams(run, size)
    assert found[0] + "".join(each[-1] for each in found[1:]) == run
    assert {len(each) for each in found} == {min(size, len(run))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "runs"),
        ("книги", "книга"),
        ("красивыи", "красивыи"),
        ("किताबें", "किताब"),
        ("السيارة", "سيارة"),
        ("zugen", "zugen"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@given(st.text(min_size=1))
def test_no_word_loses_all_of_itself(word: str) -> None:
    assert stem(fold(word)) or not fold(word)
