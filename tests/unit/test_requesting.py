"""What asks, behind what only shows that it was heard."""

import pytest

from app.text.requesting import behind_nods


@pytest.mark.parametrize(
    ("said", "behind"),
    [
        ("Great, got it! When is it?", "When is it?"),
        ("Sounds good. Nice choice! Shall I book it?", "Shall I book it?"),
        ("Sure.\n\nHow many?", "How many?"),
        ("Félicitations ! Combien d'invités attendez-vous ?", "Combien d'invités attendez-vous ?"),
        ("Schön! Haben Sie schon eine Wohnung?", "Haben Sie schon eine Wohnung?"),
        ("Отлично. Вы уже забронировали гостиницу?", "Вы уже забронировали гостиницу?"),
        ("Okay. Perfetto. Quando parti?", "Quando parti?"),
    ],
)
def test_what_shows_that_it_was_heard_is_left_out(said: str, behind: str) -> None:
    assert behind_nods(said) == behind


@pytest.mark.parametrize(
    "said",
    [
        "Berlin. Anything else?",
        "Sure, Berlin. Anything else?",
        "Okay, 9:30. Fine?",
        "Great that you have chosen the red one. When?",
        "Noted.",
        "When is it? Great!",
        "",
        "Great! " + "When is it? " * 20,
    ],
)
def test_what_tells_something_stays(said: str) -> None:
    assert behind_nods(said) == said
