"""Statements whose subject was said before, or goes without saying."""

import pytest

from app.domain.conversation import Role
from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [f"{each.subject} {each.attribute} {each.value}" for each in facts_in(content)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I live in Graz and am a nurse.", ["User lives_in Graz", "User job nurse"]),
        (
            "im 34, live in porto and work as a nurse",
            ["User age 34", "User lives_in Porto", "User job nurse"],
        ),
        ("I'm 28 and living in Leeds.", ["User age 28", "User lives_in Leeds"]),
        (
            "My wife works at Bosch and speaks Czech.",
            ["User's wife works_at Bosch", "User's wife speaks Czech"],
        ),
        (
            "I switched to Linux and use Helix now.",
            ["User operating system Linux", "User editor Helix"],
        ),
        ("I go running and do yoga on Sundays.", ["User does running", "User does yoga"]),
        ("I hate crowds but love parades.", ["User dislikes crowds", "User likes parades"]),
    ],
)
def test_a_verb_behind_and_has_the_subject_of_the_clause_before(
    content: str, told: list[str]
) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "I told Tom to move out and live in Rome.",
        "I want to quit and live in Rome.",
        "I let my kids travel and live in Rome.",
        "I know what he does, she laughed and moved to Rome.",
        "I saw Anna, who came back and moved to Rome.",
        "I read about the food and love theme.",
        "I wonder, like my brother does.",
        "My wife reads and work is hard.",
    ],
)
def test_a_verb_that_may_be_of_another_has_no_subject(content: str) -> None:
    assert told_in(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("moved to Ghent last year btw", ["User lives_in Ghent"]),
        ("Been living in Osaka since 2019.", ["User lives_in Osaka"]),
        ("grew up in Malmö, live in Lyon now", ["User from Malmö", "User lives_in Lyon"]),
        ("Just got a puppy!!", ["User has puppy"]),
        ("also have two cats", ["User has two cats"]),
        ("used to work for Nokia", ["User works_at Nokia"]),
        ("allergic to cashews, so no pesto", ["User allergic_to cashews"]),
        (
            "learning dutch atm, speak english and tamil",
            ["User studies dutch", "User speaks english", "User speaks tamil"],
        ),
        ("prefer short answers", ["User prefers short answers"]),
        ("Joined a book club last week.", ["User member_of book club"]),
    ],
)
def test_who_writes_of_themself_may_leave_out_i(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "work is killing me. live and learn",
        "work at Google is fun",
        "moved to tears by that ad",
        "Have a nice day. Have a car wash.",
        "Prefer composition over inheritance.",
        "Use Redis for the cache. Love the new look. Hate to say it.",
        "learning dutch is hard",
        "play the piano version",
        "Got a dog? Moved to Ghent?",
    ],
)
def test_what_only_begins_so_states_nothing(content: str) -> None:
    assert told_in(content) == []


def test_a_program_leaves_out_no_subject() -> None:
    assert facts_in("Moved to Ghent. Allergic to cashews.", Role.ASSISTANT) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "Dinner with my wife Ida, who's 41 and works in finance, was nice.",
            ["User's wife name Ida", "User's wife age 41", "User's wife works_in finance"],
        ),
        ("My son Leo, 7, is ill.", ["User's son name Leo", "User's son age 7"]),
        ("I saw my friend Carla, 58, at lunch.", ["User's friend name Carla"]),
        ("My boss, who is nice, left.", []),
        ("My wife and I have 3 kids.", ["we has 3 kids"]),
        ("Anna and I agreed to meet on Fridays.", ["we decision meet on Fridays"]),
        ("We use Redis and I live in Graz.", ["we cache Redis", "User lives_in Graz"]),
    ],
)
def test_who_and_ages_are_of_whom_they_stand_behind(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("I live in Graz and am a nurse.", ["User lives in Graz", "User is a nurse"]),
        ("Moved to Ghent last year.", ["User moved to Ghent last year"]),
        ("allergic to cashews", ["User is allergic to cashews"]),
        (
            "My son Leo, who's 7 and loves trains, naps.",
            ["User's son is Leo", "User's son Leo is 7", "User's son Leo loves trains"],
        ),
        (
            "I've been taking a poetry class to help me sort my thoughts.",
            ["User has been taking a poetry class to help them sort their thoughts"],
        ),
    ],
)
def test_it_is_told_with_its_subject(content: str, texts: list[str]) -> None:
    assert [each.text for each in facts_in(content)] == texts


def test_a_value_of_ones_own_stands_in_the_text_as_it_is_kept() -> None:
    (fact,) = facts_in("I love running my own shop.")

    assert fact.value == "running their own shop"
    assert fact.value in fact.text
