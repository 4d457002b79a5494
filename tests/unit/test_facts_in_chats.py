"""What the rules made wrong, or nothing, of long chats of people who did not write the rules."""

import pytest

from app.domain.conversation import Role
from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [f"{each.attribute} {each.value}" for each in facts_in(content)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I like building a calm, welcoming home.", ["likes building a calm, welcoming home"]),
        ("I prefer a bright, airy office.", ["prefers bright, airy office"]),
        ("I have a dog, two cats came later.", ["has dog"]),
        ("I'm a nurse, and my sister teaches maths.", ["job nurse", "teaches maths"]),
        ("I'm a fan of folk music like fado.", ["likes folk music"]),
    ],
)
def test_a_value_ends_where_its_phrase_does(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "I've decided on version 2.1 with a fresh schema.",
        "I've decided on two main parts: reading and writing.",
        "I'll choose a quiet spot. I'll go with the smaller size.",
        "I'll use Acme Probe to gather the figures.",
        "I've been learning about tides from Anna.",
        "My favourite part is meeting people.",
        "I love going to plays there.",
        "We decided to postpone it until May.",
        "I decided to tell them about the fees.",
        "We agreed on a tenth of the money going to charity.",
    ],
)
def test_what_says_little_or_is_of_the_moment_is_no_fact(content: str) -> None:
    assert told_in(content) == []


def test_a_letter_that_a_program_drafts_is_not_what_it_sums_up() -> None:
    summed_up = facts_in("We decided on Redis.", Role.ASSISTANT)
    drafted = facts_in("Here is a draft.\n\n**Dear Anna,**\n\nWe decided on Redis.", Role.ASSISTANT)

    assert [each.value for each in summed_up] == ["Redis"]
    assert drafted == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I'm Craig, a 44-year-old beekeeper.", ["name Craig", "age 44", "job beekeeper"]),
        ("I'm a 44-year-old nurse.", ["age 44", "job nurse"]),
        ("I'm 46 and earning well.", ["age 46"]),
        ("im 19 yo", ["age 19"]),
        ("I'm 5 and a half hours late.", []),
        (
            "I work at Smith, Jones and Partners as a paralegal.",
            ["works_at Smith, Jones and Partners", "job paralegal"],
        ),
        ("I work at Hill & Sons.", ["works_at Hill & Sons"]),
        ("I work at Bosch and Anna paints.", ["works_at Bosch"]),
        ("I own a bakery. I own a kayak.", ["runs bakery", "has kayak"]),
        ("Lost my job as a banker yesterday.", ["job banker"]),
        (
            "I like to ride horses. I like to play the guitar.",
            ["likes ride horses", "likes play guitar"],
        ),
        ("I like to go hiking on Sundays.", ["likes go hiking"]),
        ("I enjoy crafts such as weaving.", ["likes crafts"]),
        ("I'm a fan of the Reds.", ["likes Reds"]),
        ("I have two kids of my own.", ["has two kids"]),
        ("I started playing acoustic guitar two years ago.", ["plays guitar"]),
        ("I'm learning how to play the violin.", ["studies violin"]),
        ("I got a puppy two weeks ago!", ["has puppy"]),
        ("I wanted to let you know I joined a book club.", ["member_of book club"]),
        ("We moved to Ghent. We moved to Acme Deploy.", ["lives_in Ghent"]),
    ],
)
def test_what_is_told_in_other_words_is_told(content: str, told: list[str]) -> None:
    assert told_in(content) == told


def test_a_lost_job_is_over() -> None:
    (fact,) = facts_in("I lost my job as a banker.")

    assert fact.tense == "past"
