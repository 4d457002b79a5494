"""Names in telegraphic notes: "Met Northwind Labs re renewal. Labs wants discount."."""

from datetime import UTC, datetime

import pytest

from app.distil.entities.linking import Spoken, links_of
from app.distil.entities.register import Register
from app.domain.entities import EntityType
from app.domain.ids import MessageKey

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def meant(*contents: str) -> list[tuple[str, str]]:
    """What is mentioned, as it is called there, and by its fullest name."""
    spoken = [
        Spoken(key=MessageKey(at), content=each, said_at=NOON) for at, each in enumerate(contents)
    ]
    found = links_of(spoken, []).mentions
    return [(contents[each.message][each.start : each.stop], each.entity.name) for each in found]


def named(*contents: str) -> list[str]:
    return [name for name, _ in meant(*contents)]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Met Northwind Labs re renewal. Labs wants discount.", ["Northwind Labs"]),
        ("Emailed Acme Corp. Saw Initech.", ["Acme Corp", "Initech"]),
        ("Called Tom Baker. Asked Anna Doe.", ["Tom Baker", "Anna Doe"]),
        ("Told Bob Smith. Asked Bob.", ["Bob Smith", "Bob"]),
        ("Visited Porto. Sent Harvest the invoice.", ["Porto", "Harvest"]),
        ("Spoke to Fable Systems.", ["Fable Systems"]),
    ],
)
def test_a_verb_that_begins_a_note_is_no_part_of_a_name(content: str, names: list[str]) -> None:
    assert named(content) == names


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Everybody came to the Met Gala. Met Gala tickets cost a lot.", ["Met Gala", "Met Gala"]),
        ("We work for the Met Office.", ["Met Office"]),
    ],
)
def test_what_is_called_like_such_a_verb_is(content: str, names: list[str]) -> None:
    assert set(named(content)) <= set(names)


def test_a_part_of_the_name_of_an_organisation_is_that_organisation() -> None:
    told = meant("Met Northwind Labs re renewal.", "Labs wants discount.", "Northwind agreed.")
    assert told == [
        ("Northwind Labs", "Northwind Labs"),
        ("Labs", "Northwind Labs"),
        ("Northwind", "Northwind Labs"),
    ]


def test_a_part_that_two_have_is_nobody_s_and_no_name() -> None:
    told = meant("Met Northwind Labs.", "Met Fable Labs.", "Labs wants discount.")
    assert told == [("Northwind Labs", "Northwind Labs"), ("Fable Labs", "Fable Labs")]


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("I work at Northwind Labs.", "We met Northwind Bank.", "Northwind Bank"),
        ("I work at Amazon Web Services.", "My sister works at Amazon.", "Amazon"),
        ("I work at Fable Labs.", "The labs are open.", None),
    ],
)
def test_who_is_called_otherwise_is_another(one: str, other: str, name: str | None) -> None:
    told = meant(one, other)
    assert [full for _, full in told[1:]] == ([name] if name else [])


def test_what_is_longer_than_the_name_of_an_organisation_is_another() -> None:
    register = Register()
    register.called("Fable", EntityType.ORGANISATION)
    assert register.find("fable labs", EntityType.ORGANISATION) is None
    assert register.find("fable", EntityType.ORGANISATION) is not None
