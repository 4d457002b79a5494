"""What begins: a diet, a language, a name to be called by; and what is typed without a sign."""

import pytest

from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [f"{each.subject} {each.attribute} {each.value}" for each in facts_in(content)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I became a vegan last year.", ["User diet vegan"]),
        ("I went vegetarian after that documentary.", ["User diet vegetarian"]),
        ("I turned vegan for ethical reasons.", ["User diet vegan"]),
        ("I went vegan shopping.", []),
        ("I went vegan for a week.", []),
        ("I started learning Spanish last week.", ["User studies Spanish"]),
        ("I quit my job and started learning Spanish.", ["User studies Spanish"]),
        ("I started learning to cook.", []),
        ("I'm into bouldering lately.", ["User likes bouldering"]),
        ("I was born in 1985 in Porto.", ["User from Porto"]),
        ("Please call me Sam instead of Samuel.", ["User called Sam"]),
        ("Call me Sam, not Samuel.", ["User called Sam"]),
        ("Call me when you are home please.", []),
        ("My wifes birthday is on May 3.", ["User's wife birthday May 3"]),
        ("my moms birthday is June 5", ["User's mom birthday June 5"]),
        ("My mothers name is Rosa.", ["User's mother name Rosa"]),
        ("My sisters name is Rosa.", []),
        ("My wifes birthday present is late.", []),
    ],
)
def test_it_is_known(content: str, told: list[str]) -> None:
    assert told_in(content) == told
