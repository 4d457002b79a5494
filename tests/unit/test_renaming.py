"""Whose name takes whose place in what was asked before."""

import pytest

from app.distil.entities.entity import Gazetteer
from app.domain.entities import EntityType
from app.services.context.renaming import Renamed, renamed


@pytest.mark.parametrize(
    ("before", "question", "asked"),
    [
        ("When was Pixel at the vet?", "What about Clover?", "When was Clover at the vet?"),
        ("Where does Pixel sleep?", "And Biscuit?", "Where does Biscuit sleep?"),
        ("When does Kestrel's contract end?", "and Halden?", "When does Halden's contract end?"),
        ("Who do we know at Kestrel?", "And at Halden?", "Who do we know at Halden?"),
        ("How did we get to Kyoto?", "ok, and to Oslo?", "How did we get to Oslo?"),
        ("How old is Pixel's toy?", "And Clover's?", "How old is Clover's toy?"),
        ("Who owns orders-api?", "and mail-worker?", "Who owns mail-worker?"),
        ("What does Nina want?", "And Dad?", "What does Dad want?"),
        ("What does my sister want?", "And Nina?", "What does Nina want?"),
        ("What did Pixel eat?", "And Clover and Biscuit?", "What did Clover and Biscuit eat?"),
        ("Did Pixel like Pixel's toy?", "And Clover?", "Did Clover like Clover's toy?"),
        ("Wo wohnt Felix?", "Und was ist mit Anna?", "Wo wohnt Anna?"),
        ("Wann endet der Vertrag von Felix?", "Und Anna?", "Wann endet der Vertrag von Anna?"),
        ("Où habite Marie ?", "Et Paul ?", "Où habite Paul ?"),
        ("¿Dónde vive Lucia?", "¿Y Marta?", "¿Dónde vive Marta?"),
    ],
)
def test_who_is_named_now_takes_the_place_of_who_was(
    before: str, question: str, asked: str
) -> None:
    assert renamed(before, question) == Renamed(asked=asked, more=False)


def test_what_else_it_says_is_asked_as_well() -> None:
    said = renamed("Who saw to Biscuit's limp?", "What about Mango's beak?")
    assert said == Renamed(asked="Who saw to Mango's limp?", more=True)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("When does Kestrel's contract end?", "And the budget?"),
        ("When does Kestrel's contract end?", "And Kestrel?"),
        ("When does the contract end?", "And Kestrel?"),
        ("Where is Ben's party?", "And did Ann like it?"),
        ("Where is Ben's party?", "And when did Ann come?"),
        ("Where is Ben's party?", "Did Ann like it?"),
        ("Where is Ben's party?", "And Ann, did she like it?"),
        ("When did Ann move?", "And to Bologna?"),
        ("Who owns orders-api?", "And in Rome?"),
        ("Who introduced Peter to Maria?", "And Susan?"),
        ("Wann endet der Vertrag?", "Und der Preis?"),
        ("Wo wohnt Felix?", "Und wohnt Anna in Rom?"),
        ("Wo wohnt Felix?", "Und wo arbeitet Anna?"),
    ],
)
def test_nobody_takes_a_place_that_is_not_theirs(before: str, question: str) -> None:
    assert renamed(before, question) is None


def test_a_name_typed_small_was_spelled_before() -> None:
    known = Gazetteer(types={"kestrel": EntityType.UNKNOWN})
    asked = Renamed(asked="When does kestrel's contract end?", more=False)
    assert renamed("When does Halden's contract end?", "and kestrel?") is None
    assert renamed("When does Halden's contract end?", "and kestrel?", known) == asked
