from datetime import UTC, datetime

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Fact, Tense
from app.distil.facts.retelling import as_it_holds, told_apart
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)


def told(content: str) -> list[str]:
    said = Utterance(role=Role.USER, content=content, said_at=NOW, name="Ann")
    return sorted(each.text for each in told_apart(facts_of(said)))


def a_fact(attribute: str, value: str, *, tense: Tense = Tense.NOW, positive: bool = True) -> Fact:
    return Fact(
        subject="Ann",
        attribute=attribute,
        value=value,
        text="Ann: all in one breath",
        start=0,
        stop=20,
        said_at=NOW,
        confidence=0.9,
        positive=positive,
        tense=tense,
    )


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (
            "I'm vegetarian and allergic to peanuts.",
            ["Ann is allergic to peanuts", "Ann is vegetarian"],
        ),
        ("I speak French and Czech.", ["Ann speaks Czech", "Ann speaks French"]),
        ("I no longer work at Acme.", ["Ann no longer works at Acme"]),
        ("I never eat meat.", ["Ann never eats meat"]),
        ("I teach physics.", ["Ann teaches physics"]),
        ("I go hiking every week.", ["Ann goes hiking every week"]),
        ("I always use vim.", ["Ann always uses vim"]),
        ("I work at Acme as a nurse.", ["Ann works as nurse", "Ann works at Acme"]),
        (
            "I used to work at Acme as a nurse.",
            ["Ann used to work as nurse", "Ann used to work at Acme"],
        ),
        (
            "I don't speak French and Czech.",
            ["Ann doesn't speak Czech", "Ann doesn't speak French"],
        ),
        (
            "Hi! I'm Anna, a nurse from Brno.",
            ["Ann is called Anna", "Ann is from Brno", "Ann works as nurse"],
        ),
        ("Hi! I'm Ann, a nurse from Brno.", ["Ann is from Brno", "Ann works as nurse"]),
        ("I speak French. I live in Brno.", ["Ann lives in Brno", "Ann speaks French"]),
    ],
)
def test_each_tells_its_own_part(content: str, texts: list[str]) -> None:
    assert told(content) == texts


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (a_fact("has", "my own boat"), "Ann has their own boat"),
        (a_fact("diet", "vegan", positive=False), "Ann isn't vegan"),
        (a_fact("works_at", "Acme", tense=Tense.PLANNED), "Ann will work at Acme"),
        (
            a_fact("works_at", "Acme", tense=Tense.PLANNED, positive=False),
            "Ann will not work at Acme",
        ),
        (a_fact("eats", "fish", tense=Tense.PAST, positive=False), "Ann used not to eat fish"),
        (a_fact("favourite colour", "green"), "Ann's favourite colour: green"),
        (a_fact("rule", "use tabs", positive=False), "Ann's rule: not use tabs"),
    ],
)
def test_whatever_it_is(fact: Fact, text: str) -> None:
    beside = a_fact("from", "Brno")
    apart = told_apart([fact, beside])
    assert [each.text for each in apart] == [text, "Ann is from Brno"]
    assert told_apart(apart) == apart


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I moved to Lisbon last week.", "Ann lives in Lisbon (moved there last week)"),
        ("I've moved to New York.", "Ann lives in New York (moved there)"),
        ("We moved to Lisbon last week.", "Ann lives in Lisbon (We moved there last week)"),
        ("I live in Lisbon now.", "Ann lives in Lisbon now"),
        ("I used to live in Lisbon.", "Ann used to live in Lisbon"),
        ("I will move to Lisbon.", "Ann will move to Lisbon"),
        ("I like moving.", "Ann likes moving"),
    ],
)
def test_what_began_something_is_told_by_what_holds_since(content: str, text: str) -> None:
    said = Utterance(role=Role.USER, content=content, said_at=NOW, name="Ann")
    assert [as_it_holds(each).text for each in facts_of(said)] == [text]
