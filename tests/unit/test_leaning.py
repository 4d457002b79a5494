import pytest

from app.text.leaning import leans


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
        "Wo wohnt sie?",
    ],
)
def test_what_tells_what_it_is_about_stands_by_itself(query: str) -> None:
    assert not leans(query)


def test_a_long_text_is_not_read_to_its_end() -> None:
    assert not leans("and " * 100_000)
