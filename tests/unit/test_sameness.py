"""What is said to be the same under two names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.finding import mentions_of
from app.distil.entities.linking import Spoken, links_of
from app.distil.entities.relations import relations_asked, relations_of
from app.distil.entities.sameness import SAME_AS, leads_to_another_name
from app.domain.ids import MessageKey

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def same(content: str, speaker: str | None = "Teodor") -> list[tuple[str, str]]:
    found = relations_of(content, mentions_of(content), speaker)
    return [(each.source, each.target) for each in found if each.type == SAME_AS]


def linked(*contents: str) -> list[tuple[str, str, str]]:
    spoken = [
        Spoken(key=MessageKey(at), content=each, said_at=NOON) for at, each in enumerate(contents)
    ]
    evidence = links_of(spoken, []).evidence
    return [(each.source.name, each.relation, each.target.name) for each in evidence]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Katherine, whom everybody calls Kate, works on Apollo.", ("katherine", "kate")),
        ("Katherine goes by Kate.", ("katherine", "kate")),
        ("My sister Katherine is nicknamed “Kate”.", ("katherine", "kate")),
        ("I asked Katherine, Kate for short, about it.", ("katherine", "kate")),
        ("Kate's real name is Katherine.", ("kate", "katherine")),
        ("Preface is now called Foreword.", ("preface", "foreword")),
        ("The old Preface has been renamed to Foreword.", ("preface", "foreword")),
        ("NYC is short for New York City.", ("nyc", "new york city")),
        ("Robert (aka Bob) lives in Leeds.", ("robert", "bob")),
        ("Robert, a.k.a. Bob, lives in Leeds.", ("robert", "bob")),
        ("Robert aka Bob works on Apollo.", ("robert", "bob")),
        ("My boss Robert, also known as Bob, agrees.", ("robert", "bob")),
        ("Robert, known to friends as Bob, agrees.", ("robert", "bob")),
        ("Robert prefers to be called Bob.", ("robert", "bob")),
        ("Project Falcon, formerly Kestrel, is late.", ("project falcon", "kestrel")),
        ("Kestrel is the old name of Falcon.", ("kestrel", "falcon")),
        ("Atlas used to be called Apollo.", ("atlas", "apollo")),
        ("We renamed Kestrel to Falcon.", ("kestrel", "falcon")),
        ("We renamed the service from Kestrel to Falcon.", ("kestrel", "falcon")),
        ('It was renamed from "Kestrel" to "Falcon".', ("kestrel", "falcon")),
        ("`lib/utils.py` was renamed to `lib/helpers.py`.", ("lib/utils.py", "lib/helpers.py")),
        ("My cat Mia is short for Amelia.", ("mia", "amelia")),
        ("I work at Acme (formerly Initech).", ("acme", "initech")),
        ("We moved to Bombay, now called Mumbai.", ("bombay", "mumbai")),
        ("Call me Teo.", ("teodor", "teo")),
        ("Hi, I'm Teodor, but please call me Teo!", ("teodor", "teo")),
        ('My friends call me "Teo" at home.', ("teodor", "teo")),
        ("I go by Teo these days.", ("teodor", "teo")),
        ("My nickname is Teo.", ("teodor", "teo")),
    ],
)
def test_what_is_said_to_be_the_same_is(content: str, names: tuple[str, str]) -> None:
    assert same(content) == [names]


@pytest.mark.parametrize(
    "content",
    [
        *("Is Preface now called Foreword?", "If Preface is renamed to Foreword, tell me."),
        *("Preface will be renamed to Foreword.", "Maybe Preface is now called Foreword."),
        *("We should have renamed Kestrel to Falcon.", "We have not renamed Kestrel to Falcon."),
        *("We almost renamed Kestrel to Falcon.", "Tim renamed Kestrel.", "It went to Falcon."),
        *("Katherine isn't also known as Kate.", "Robert does not go by Bob."),
        *("Robert is no longer called Bob.", "Anna said Robert is also known as Bob."),
        *("Tim also called Anna yesterday.", "Tim called Anna.", "I told Anna to call Tim."),
        *("The wife of Tim, also known as Kate, is here.", "Katherine from Leeds goes by Kate."),
        *("The lady at Acme is now called Kate.", "We moved from Berlin to Paris."),
        *("Anna goes by Starbucks every morning.", "Robert goes by Bob's house."),
        *("My boss Anna, formerly Google, joined.", "Anna, formerly Google's best, joined."),
        *("Tim is short for NBA players.", "We met Anna, Tim and Zoe.", "It's Anna or Tim."),
        *("Robert, also known as “the great Bob of Leeds”.", "They are Robert, or Bob."),
        *("Don't call me Teo.", "Nobody calls me Teo.", "Can you call me Anna?"),
        *("Call me Monday.", "Call me ASAP.", "Call me tomorrow.", "Call me Anna's manager."),
        *("He will call me Teo.", "Call me Teodor.", "She told me to call me Teo."),
    ],
)
def test_what_is_less_than_that_is_not(content: str) -> None:
    assert same(content) == []


def test_whoever_has_no_name_is_called_nothing_else() -> None:
    assert same("Call me Teo.", speaker=None) == []


def test_a_name_at_the_start_is_one_where_another_name_of_it_follows() -> None:
    assert [each.name for each in mentions_of("Preface is now called Foreword.")] == [
        "Preface",
        "Foreword",
    ]
    assert [each.name for each in mentions_of("Breakfast (also known as brunch) is late.")] == []
    assert [each.type.value for each in mentions_of("It's now called Foreword.")] == ["unknown"]


def test_what_is_of_two_types_is_not_the_same() -> None:
    assert ("Kate", SAME_AS, "Zurbury") in linked("It is Kate, also known as Zurbury.")
    typed = "My sister Kate moved to Zurbury.", "It is Kate, also known as Zurbury."
    assert SAME_AS not in {relation for _, relation, _ in linked(*typed)}


def test_a_message_states_once_what_has_no_direction() -> None:
    told = linked(
        "It is Robert, also known as Bob.", "Bob is short for Robert. He is Robert (aka Bob)."
    )
    assert [relation for _, relation, _ in told].count(SAME_AS) == 2
    together = linked("We met Bob Smith and Lee Ann and Smith.")
    assert [relation for _, relation, _ in together] == ["named together"]


@pytest.mark.parametrize(
    "query",
    [
        "What was Foreword called before?",
        "What is NYC short for?",
        "Kate's real name",
        "Bob a.k.a.?",
    ],
)
def test_a_query_asks_for_another_name(query: str) -> None:
    assert SAME_AS in relations_asked(query)


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "Kate",
                "(",
                ",",
                " also ",
                "called",
                '"',
                "aka ",
                "is ",
                "renamed",
                " to ",
                "me ",
                "\u2019s",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_any_text_is_read_to_its_end(content: str) -> None:
    assert all(source != target for source, target in same(content))
    assert leads_to_another_name(content, 0) in (False, True)
