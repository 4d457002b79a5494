import pytest

from app.text.leaning import gone_on_with, leans, points_at_answer


@pytest.mark.parametrize(
    "query",
    [
        "And the other one?",
        "why?",
        "Why was that?",
        "Tell me more",
        "go on",
        "Yes please.",
        "the second one",
        "What about Felix?",
        "And credit notes?",
        "and in June?",
        "Same for the bathroom",
        "How much does it cost?",
        "Is that still true?",
        "Where does she live?",
        "Was anything missing there?",
        "WHAT HAPPENED THEN?",
        "What did I get in the end?",
        "ok and the slow overview?",
        "Oh, and what about Felix?",
        "What did you recommend?",
    ],
)
def test_what_names_next_to_nothing_leans_on_what_was_said_before(query: str) -> None:
    assert leans(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?!",
        "Thanks!",
        "ok",
        "Where do I live?",
        "What is my dog's name?",
        "Is there a plan?",
        "What did I do this week?",
        "Where did Ann leave her keys?",
        "And I moved to Porto",
        "When does the electrician come to the kitchen?",
        "What did the conductor bring when he signed the permission?",
        "What did we say about the price of the flat that Ann and Ben looked at in May?",
        "replacePlaceholders",
        "Dove abita?",
        "Which car did I buy in the end?",
        "What did Peter choose in the end?",
        "ok google settings",
        "Did Ann suggest a hotel?",
        "What did it look like when Ann came home?",
    ],
)
def test_what_tells_what_it_is_about_stands_by_itself(query: str) -> None:
    assert not leans(query)


@pytest.mark.parametrize(
    "query",
    [
        "Und das andere?",
        "Und in Porto?",
        "Was kostet es?",
        "Wie viel kostet das?",
        "warum?",
        "Wo wohnt sie?",
        "Der zweite?",
        "Was ist mit Felix?",
        "Et l'autre ?",
        "Et à Porto ?",
        "Combien ça coûte ?",
        "Pourquoi ?",
        "Où habite-t-elle ?",
        "Qu'en est-il de Porto ?",
        "Qu\u2019en est-il de Porto\u00a0?",
        "¿Y el otro?",
        "¿Y en Oporto?",
        "¿Cuánto cuesta?",
        "¿Por qué?",
        "por que",
        "Ou\u0300 est-il ?",
        "¿Dónde vive ella?",
        "¿Qué hay de Oporto?",
        "Und was hattest du noch vorgeschlagen?",
        "Was hattest du empfohlen?",
        "Was war nochmal mit dem Brot?",
        "Und was ist mit Felix?",
        "Qu'est-ce que tu m'as recommandé ?",
        "Y quién me trató?",
        "Y Lucia?",
        "¿qué me recomendaste?",
    ],
)
def test_so_it_does_in_german_french_and_spanish(query: str) -> None:
    assert leans(query)


@pytest.mark.parametrize(
    "query",
    [
        "Und ich bin nach Porto gezogen",
        "Wo ist das rote Auto?",
        "Gibt es einen Plan?",
        "Wo gibt es Kaffee?",
        "Was kostet das Hotel in Porto?",
        "Wie heißt mein Hund?",
        "Wie geht es dir heute?",
        "Was machen Sie beruflich?",
        "Danke!",
        "war",
        "hat",
        "Où est la clé du garage ?",
        "Comment s'appelle mon chat ?",
        "Est-ce qu'il y a un plan ?",
        "Merci !",
        "comment",
        "Et j'ai déménagé à Porto",
        "¿Dónde vivo?",
        "¿Cómo se llama mi gato?",
        "¿Qué es Kubernetes?",
        "¿Cuánto cuesta el hotel de Oporto?",
        "Gracias",
        "es",
        "Wie heißt du?",
        "Was hast du mir gegen Rückenschmerzen empfohlen?",
        "Was war mit der Heizung im Bad?",
        "Quel restaurant m'as-tu conseillé à Porto ?",
        "¿Qué me recomendaste para el dolor de espalda?",
        "¿Cómo te llamas?",
        "y griega",
    ],
)
def test_so_it_does_not_where_it_says_what_it_is_about(query: str) -> None:
    assert not leans(query)


def test_a_long_text_is_not_read_to_its_end() -> None:
    assert not leans("and " * 100_000)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What about Ann?", "Ann?"),
        ("ok, and what about Ann?", "Ann?"),
        ("and the budget?", "the budget?"),
        ("And in Rome?", "in Rome?"),
        ("Und was ist mit Felix?", "Felix?"),
        ("And did Ann like it?", None),
        ("And Ann, did she like it?", None),
        ("And where is Ann?", None),
        ("Where is Ann?", None),
        ("Und wo ist Felix?", None),
    ],
)
def test_what_only_goes_on_names_something(question: str, named: str | None) -> None:
    assert gone_on_with(question) == named


@pytest.mark.parametrize(
    ("question", "points"),
    [
        ("And when?", True),
        ("How much was it?", True),
        ("How did we get there?", True),
        ("And after that?", False),
        ("And the budget?", False),
        ("Was there a party?", False),
    ],
)
def test_what_was_answered_may_be_pointed_at(question: str, *, points: bool) -> None:
    assert points_at_answer(question) is points
