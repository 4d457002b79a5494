"""In which other forms the words of a query in another language are looked for."""

from app.text.inflected import beginnings_of, parts_of
from app.text.terms import MAX_PREFIXES, MAX_QUERY_TERMS, query_terms


def test_forms_of_a_word_begin_alike() -> None:
    assert beginnings_of(["miete", "einbehält", "umzugsfirma"]) == ["miet", "einbe", "umzugs"]


def test_what_is_short_or_no_word_is_not_looked_up() -> None:
    assert beginnings_of(["haus", "x1234567", "a" * 33]) == []
    assert list(parts_of(["mietvert", "1234567890", "a" * 33])) == []


def test_a_compound_is_made_of_two() -> None:
    parts = list(parts_of(["umzugslaster"]))
    assert "laster" in parts
    assert "umzug" in parts
    assert min(map(len, parts)) == 4


def test_only_languages_that_make_compounds_are_looked_through_for_them() -> None:
    assert "laster" in query_terms("Wann kommt der Umzugslaster?").joined
    assert query_terms("Que signifient trois clignotements ?").joined == []
    assert query_terms("When does the removal lorry with the refrigerator come?").joined == []


def test_names_are_no_words() -> None:
    asked = query_terms("Wo steht die replacePlaceholders Funktion?")
    assert "replaceplacehold" in asked.terms
    assert not any("aceplace" in each for each in asked.joined)


def test_what_is_looked_up_is_bounded() -> None:
    asked = query_terms("Wie " + " ".join(f"{letter}ortlangeswort" for letter in "abcdefghijklm"))
    assert len(asked.prefixes) == MAX_PREFIXES
    assert len(asked.joined) <= MAX_QUERY_TERMS


def test_a_shouted_question_is_looked_up_as_one_that_is_not() -> None:
    asked = "welche umzugsfirma hatten wir"

    assert query_terms(asked.upper()) == query_terms(asked)
