import pytest
from tokenizers import Tokenizer

from app.text.alphabets import ENOUGH, alphabets_of, is_written_in
from tests.fakes_embedder import a_compiled_model

LATIN = frozenset({"LATIN"})


def pieces(first: str, count: int) -> list[str]:
    """So many word pieces that begin with the same letter."""
    return [first + str(number) for number in range(count)]


def test_a_vocabulary_is_of_the_scripts_that_it_has_enough_pieces_of() -> None:
    vocabulary = [
        "[PAD]",
        *pieces("##д", ENOUGH),
        *pieces("д", ENOUGH),
        *pieces("\u2581か", ENOUGH // 2),
        *pieces("山", ENOUGH // 2),
        *pieces("ש", ENOUGH - 1),
        *pieces("##ש", ENOUGH - 1),
    ]
    assert alphabets_of(vocabulary) == frozenset({"CYRILLIC", "CJK"})


def test_a_vocabulary_of_bytes_may_be_of_any_script() -> None:
    alphabets = alphabets_of([*pieces("a", ENOUGH), "\u0120the"])
    assert alphabets is None
    assert is_written_in("Где мой зонт?", alphabets)


def test_the_default_model_has_latin_words_only() -> None:
    tokenizer = Tokenizer.from_file(str(a_compiled_model().tokenizer_path))
    assert alphabets_of(tokenizer.get_vocab()) == LATIN


@pytest.mark.parametrize(
    "text",
    ["Where is it?", "Wo ist die Küche?", "Ô của tôi ở đâu?", "PostgreSQL или MySQL", "42?", ""],
)
def test_at_least_half_of_the_letters_are_latin(text: str) -> None:
    assert is_written_in(text, LATIN)


@pytest.mark.parametrize(
    "text",
    [
        "Где мой зонт?",
        "我的雨伞在哪里",
        "スーパー",
        "أين مظلتي؟",
        "मेरा छाता कहाँ है?",
        "내 우산은",
        "ร่มของฉัน",
    ],
)
def test_hardly_any_letter_is_latin(text: str) -> None:
    assert not is_written_in(text, LATIN)


def test_without_latin_words_not_even_ascii_is_read() -> None:
    assert not is_written_in("Where is it?", frozenset({"CJK"}))
    assert is_written_in("これはペンです。", frozenset({"CJK"}))
