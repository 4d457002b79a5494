"""Which language a query is in, and which of its words say nothing there."""

import pytest

from app.text.function_words import tongue_of
from app.text.scripts import fold
from app.text.terms import STOP_WORDS, query_terms

ABROAD = {
    "Wie hoch ist die Miete?": {"hoch", "miet"},
    "Fuer wen ist das Geschenk?": {"geschenk"},
    "Combien d'invités y aura-t-il ?": {"invit"},
    "Qu'est-ce que Camille ne mange pas ?": {"camill", "mang"},
    "¿Qué framework usamos?": {"framework", "usamo"},
    "Quando arriva il bonifico?": {"arriva", "bonifico"},
    "O que o médico receitou?": {"medico", "receitou"},
    "Hoeveel kost het abonnement?": {"kost", "abonn"},
    "Vad kostar hyran?": {"kostar", "hyran"},
    "Hvornår skal vi spise?": {"spise"},
    "Где мой загранпаспорт?": {"загранпаспорт"},
    "Коли приїде бабуся?": {"приід", "баб"},  # noqa: RUF001  (Cyrillic)
    "Toplantı ne zaman, hangi odada?": {"toplantı", "odada"},  # noqa: RUF001  (Turkish)
    "Kiedy jest wizyta u dentysty?": {"wizyta", "dentysti"},
}

ENGLISH = """
What did Dan say about the war in Los Angeles?
Die Hard movie
EU AI act
What is the weather like in La Paz?
con man
python remove non printing characters
MIT licence
how far is it till the hay is dry?
der
os.environ
print(a, b)
select * from users where id = 1
Ben, Al and Dan
was will man so hat
""".strip().splitlines()


@pytest.mark.parametrize("query", ABROAD)
def test_function_words_are_those_of_the_language_of_the_query(query: str) -> None:
    asked = query_terms(query)
    assert set(asked.terms) - asked.of_function >= ABROAD[query]
    others = set(asked.terms) - asked.of_function - ABROAD[query]
    assert not any(each.isalpha() for each in others)
    assert asked.of_function


@pytest.mark.parametrize("query", ENGLISH)
def test_english_has_none(query: str) -> None:
    asked = query_terms(query)
    assert asked.of_function == frozenset()
    assert tongue_of(map(fold, query.split()), STOP_WORDS) is None


def test_who_says_nothing_else_asks_for_them() -> None:
    asked = query_terms("Wer ist das?")
    assert asked.terms == ["wer", "ist", "das"]
    assert asked.of_function == frozenset()


def test_of_several_languages_what_is_said_of_any() -> None:
    tongue = tongue_of(["quanto", "custa"], STOP_WORDS)
    assert tongue is not None
    assert {"della", "nossa"} <= tongue.function_words
    assert not tongue.compounds
