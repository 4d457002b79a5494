"""Several things told at once, places with their region, and words that only look like values."""

from datetime import UTC, datetime
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Bearing, Fact, Tense, bearing
from app.distil.facts.listing import end_of_list, is_one, listed
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)
WORDS = st.text(ascii_letters + " ,.&-'", max_size=120)


def facts_in(content: str) -> list[Fact]:
    return list(
        facts_of(Utterance(role=Role.USER, content=content, said_at=NOW, name="Kim")),
    )


def told_in(content: str) -> list[str]:
    said = {True: "", False: "not "}
    return [
        f"{each.attribute} {said[each.positive]}{each.value}"
        + (f" ({each.tense.value})" if each.tense is not Tense.NOW else "")
        for each in facts_in(content)
    ]


@pytest.mark.parametrize(
    ("content", "attribute", "values"),
    [
        ("I'm allergic to peanuts, shellfish and soy.", "allergic_to", "peanuts shellfish soy"),
        ("My son is allergic to eggs, and milk", "allergic_to", "eggs milk"),
        ("I'm severely allergic to both cats and dogs", "allergic_to", "cats dogs"),
        ("i'm allergic to nuts, soy n dairy", "allergic_to", "nuts soy dairy"),
        ("I like apples, oranges and pears, my wife hates them.", "likes", "apples oranges pears"),
        ("I hate olives, anchovies, and capers in salads.", "dislikes", "olives anchovies capers"),
        ("I love to cook, bake and sing.", "likes", "cook bake sing"),
        ("I play guitar, piano and drums", "plays", "guitar piano drums"),
        ("I study maths, physics and chemistry at Delft", "studies", "maths physics chemistry"),
        ("We've been to Peru, Chile and Bolivia last year", "visited", "Peru Chile Bolivia"),
        ("I do yoga, pilates and karate", "does", "yoga pilates karate"),
        ("I teach maths and physics", "teaches", "maths physics"),
        ("I collect stamps and coins.", "collects", "stamps coins"),
        ("I have asthma and migraines", "condition", "asthma migraines"),
        ("We use Figma, Jira and Slack", "uses", "Figma Jira Slack"),
    ],
)
def test_of_several_things_each_is_a_fact(content: str, attribute: str, values: str) -> None:
    assert told_in(content) == [f"{attribute} {each}" for each in values.split()]


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("I don't eat meat, fish or eggs.", ["eats not meat", "eats not fish", "eats not eggs"]),
        ("I don't drink coffee or tea.", ["drinks not coffee", "drinks not tea"]),
        ("I'm allergic to cats, dogs or birds, they test it.", []),
        ("We use PostgreSQL, Redis and NATS", ["database PostgreSQL", "cache Redis", "queue NATS"]),
        ("We use Postgres and MySQL", ["database Postgres", "database MySQL"]),
        ("I like red and white wine.", ["likes red and white wine"]),
        ("I love mac and cheese", ["likes mac and cheese"]),
        ("I enjoy building schools and roads", ["likes building schools and roads"]),
        ("I prefer short, direct answers.", ["prefers short, direct answers"]),
        ("I work for a small, family-owned bakery.", ["works_at small, family-owned bakery"]),
        ("My favourite colours are red, green and blue", ["favourite colours red, green and blue"]),
        ("Never use tabs, semicolons or globals.", ["rule not use tabs, semicolons or globals"]),
        ("The deadline is Friday, 5 May", ["deadline Friday, 5 May"]),
        ("The launch is May 5, 2025, in Rome.", ["launch May 5, 2025"]),
    ],
)
def test_what_a_comma_or_and_joins_is_told_as_it_is_meant(content: str, values: list[str]) -> None:
    assert told_in(content) == values


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("I hate olives and love capers.", ["dislikes olives", "likes capers"]),
        ("I have two cats and drive a Volvo", ["has two cats"]),
        ("I love hiking, it keeps me fit and happy.", ["likes hiking"]),
        ("We use Kubernetes, Anna and Bob maintain it", ["orchestrator Kubernetes"]),
        ("I don't eat meat and only rarely fish", ["eats not meat"]),
        ("I like tea, but coffee and cake are fine", ["likes tea"]),
        ("I have two kids, Anna and Ben", ["has two kids"]),
        ("I'm allergic to nuts and I live in Rome", ["allergic_to nuts", "lives_in Rome"]),
        ("I don't drink and drive. I don't eat much.", []),
        ("We use Night mode and Slack channels.", []),
        ("I use Bootstrap 5.3 for the layout", ["uses Bootstrap"]),
    ],
)
def test_what_goes_on_as_a_clause_is_no_further_thing(content: str, values: list[str]) -> None:
    assert told_in(content) == values


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("I live in Portland, Oregon, with my wife", "lives_in Portland, Oregon"),
        ("I live in Portland, OR.", "lives_in Portland, OR"),
        ("i live in lisbon, portugal btw", "lives_in Lisbon, Portugal"),
        ("I'm based in Brooklyn, New York, USA.", "lives_in Brooklyn, New York, USA"),
        ("I moved from Boston, Massachusetts to Austin, TX 78701", "lives_in Austin, TX"),
        ("I live in St. Louis, Missouri", "lives_in St. Louis, Missouri"),
        ("I'm from Cork, Ireland but miss it", "from Cork, Ireland"),
        ("I'm moving to Seville, Spain next month.", "lives_in Seville, Spain (planned)"),
        ("I'm planning a trip to Tokyo, Japan", "plans trip to Tokyo, Japan (planned)"),
        ("I live in Bath, Sarah.", "lives_in Bath"),
        ("I live in Leeds, Georgia lives there too", "lives_in Leeds"),
        ("I live in Leeds, Monday to Friday", "lives_in Leeds"),
    ],
)
def test_a_place_is_told_with_its_region(content: str, value: str) -> None:
    assert told_in(content)[:1] == [value]


@pytest.mark.parametrize(
    "content",
    [
        "I work at Night",
        "I work for Free on Sundays.",
        "I work at a desk all day",
        "I work at a snail's pace",
        "I work for a living",
        "I'm married to Excel",
        "I'm married to my job",
        "I'm married to Work. I'm not married to React.",
        "I live in Denial",
        "I'm allergic to meetings",
        "I'm a bad cook",
        "I'm a better driver than you",
        "I'm a lawyer's daughter",
        "What if I lived in Rome?",
        "I'd love to live in Portland, Oregon",
        "My boss thinks I live in Portland, Oregon",
        "Explain it like I'm 5",
    ],
)
def test_what_only_looks_like_a_value_is_none(content: str) -> None:
    assert not told_in(content)


def test_several_values_of_one_kind_end_each_other_not() -> None:
    one, other = facts_in("We decided on Postgres and MySQL")
    assert bearing(other, one) is Bearing.STANDS_BESIDE


def test_a_place_without_its_region_is_the_same_place() -> None:
    (without,) = facts_in("I live in Portland")
    (oregon,) = facts_in("I live in Portland, Oregon")
    (maine,) = facts_in("I live in Portland, Maine")
    assert bearing(oregon, without) is Bearing.REPEATS
    assert bearing(without, oregon) is Bearing.REPEATS
    assert bearing(maine, oregon) is Bearing.SUPERSEDES


@given(WORDS)
def test_things_that_are_listed_stand_in_what_was_said(said: str) -> None:
    items = listed(said, denied=True)
    assert items == [said] or (len(items) > 1 and all(each in said for each in items))
    assert is_one(said) in (True, False)


@given(WORDS, st.integers(min_value=0, max_value=120))
def test_a_list_goes_on_no_further_than_the_text(said: str, comma: int) -> None:
    at = min(comma, len(said))
    assert at <= end_of_list(said, at) <= len(said)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("I live in Rome and Anna lives in Oslo.", "Rome"),
        ("Paul lives in Leeds and Sue lives in York.", "Leeds"),
        ("I moved to Porto and Max moved to Graz.", "Porto"),
        ("I live in Trinidad and Tobago.", "Trinidad and Tobago"),
        ("My wife works at Bosch and Lena at Siemens.", "Bosch"),
        ("My wife works at Bosch and Sue works at Siemens.", "Bosch"),
        ("I work at Marks and Spencer in Leeds.", "Marks and Spencer"),
        ("I work at Procter and Gamble.", "Procter and Gamble"),
    ],
)
def test_who_begins_another_clause_is_no_part_of_a_place(content: str, value: str) -> None:
    assert [each.value for each in facts_in(content)] == [value]
