"""Whom "she" may mean of those whom messages name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.entity import Mention
from app.distil.entities.finding import mentions_of
from app.domain.conversation import Role
from app.domain.entities import EntityType
from app.services.context.antecedents import Naming, is_name_of, known_apart, spoken_of
from tests.factories import a_message


def naming(content: str, role: Role = Role.USER) -> Naming:
    return Naming(a_message(content=content, role=role), content, mentions_of(content))


def names(naming: Naming) -> list[str]:
    return [each.name for each in spoken_of(naming)]


@pytest.mark.parametrize(
    "content",
    [
        "Sure, Tom!",
        "I see, Tom.",
        "How was it, Tom?",
        "You are right, Tom",
        "Tom, you said so.",
        "Of course. Tom, you said so.",
        "Of course!\nTom, you said so.",
        "Well Tom, you said so.",
        "Hi Tom! How are you?",
        "Hello, Tom, how are you?",
        "Thank you Tom.",
    ],
)
def test_who_is_spoken_to_by_the_assistant_is_not_spoken_of(content: str) -> None:
    assert "Tom" in [each.name for each in mentions_of(content)]
    assert names(naming(content, Role.ASSISTANT)) == []
    assert names(naming(content)) == ["Tom"]


@pytest.mark.parametrize(
    "content",
    [
        "You met Tom.",
        "Did you meet Tom?",
        "I think Tom, who is ill, stays.",
        "Tom called you.",
        "And Tom, was he there?",
        "Sure, Tom called you.",
        "Sure, Tom! And you met Tom.",
        "People you know:\n- Tom, a friend",
    ],
)
def test_who_is_told_of_is(content: str) -> None:
    assert names(naming(content, Role.ASSISTANT)) == ["Tom"]


@pytest.mark.parametrize(
    ("content", "women", "men"),
    [
        ("I met my sister Maria and my brother Tom.", {"maria"}, {"tom"}),
        ("My wife Ann called.", {"ann"}, set()),
        ("I met Ben's older brother Tom.", set(), {"tom"}),
        ("I met my brother-in-law Tom.", set(), {"tom"}),
        ("My step mother is called Ann.", {"ann"}, set()),
        ("I met Mr. Miller and Mrs. Jones.", {"jones"}, {"miller"}),
        ("We visited Aunt Rosa.", {"aunt rosa"}, set()),
        ("I met Tom. Tom is my little brother.", set(), {"tom"}),
        ("I met Tom. Tom is my brother's boss.", set(), set()),
        ("I met Tom and Maria.", set(), set()),
        ("I met my sister, Tom and Ben.", set(), set()),
        ("I told my sister Tom was here.", set(), set()),
        ("I miss Tom.", set(), set()),
        ("My brother Chris and my sister Chris came.", set(), set()),
    ],
)
def test_kin_tells_women_and_men_apart(content: str, women: set[str], men: set[str]) -> None:
    assert tuple(map(set, known_apart([naming(content)]))) == (women, men)


def test_they_are_told_apart_by_all_messages() -> None:
    said = [naming("I met Maria."), naming("My sister Maria is here.", Role.ASSISTANT)]
    assert known_apart(said) == known_apart(said[::-1]) == (frozenset({"maria"}), frozenset())


@given(st.lists(st.sampled_from("my your sister brother Tom Maria Ann , . told is".split())))
def test_nobody_is_both(words: list[str]) -> None:
    told = naming(" ".join(words), Role.ASSISTANT)
    women, men = known_apart([told])
    assert not women & men
    assert women | men <= {each.normal for each in told.mentions}
    assert set(spoken_of(told)) <= set(told.mentions)


@pytest.mark.parametrize(
    ("name", "own"), [("tom", True), ("tom miller", True), ("tom jones", False), ("ann", False)]
)
def test_a_part_of_a_name_is_the_same_name(name: str, *, own: bool) -> None:
    mention = Mention(normal=name, name=name, type=EntityType.PERSON, start=0, stop=len(name))
    assert is_name_of(mention, {"user", "tom miller"}) is own
