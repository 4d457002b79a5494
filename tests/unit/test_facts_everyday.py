"""What people tell an assistant of themselves and theirs: limits, aims, measures, names."""

import pytest

from app.distil.facts.fact import Tense
from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [
        f"{each.subject}|{each.attribute}|{'' if each.positive else 'not '}{each.value}"
        for each in facts_in(content)
    ]


@pytest.mark.parametrize(
    "content",
    [
        "From now on, answer in German.",
        "from now on please answer in German",
        "answer in German from now on",
        "Going forward, answer in German.",
        "hey, in future answer in German",
    ],
)
def test_what_is_asked_for_from_now_on_is_a_rule(content: str) -> None:
    assert told_in(content) == ["User|rule|answer in German"]


@pytest.mark.parametrize(
    "content",
    [
        "Answer in German.",
        "The show must go on, answer in German",
        "Write a poem about robots in future",
        "Write a poem from now on a rainy day",
        "Can you answer in German from now on?",
    ],
)
def test_what_is_asked_for_once_is_none(content: str) -> None:
    assert told_in(content) == []


def test_what_holds_from_now_on_is_no_rule() -> None:
    assert told_in("From now on, we use Go") == ["we|language|Go"]
    assert told_in("Thanks! From now on please call me Sam") == ["User|called|Sam"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I can't eat gluten.", "User|eats|not gluten"),
        ("i cant have dairy so swap the butter", "User|eats|not dairy"),
        ("I cannot drink alcohol", "User|drinks|not alcohol"),
        ("I've been a vegetarian since 2015.", "User|diet|vegetarian"),
        ("I'm 180 cm tall", "User|height|180 cm"),
        ("I weigh 80 kg", "User|weight|80 kg"),
        ("My blood type is O negative", "User|blood type|O negative"),
        ("my shoe size is 42", "User|shoe size|42"),
        ("I was born on May 4, 1990", "User|birthday|May 4, 1990"),
        ("I turned 40 last year", "User|age|40"),
        ("I'm terrified of flying so trains only", "User|fears|flying"),
        ("I'm afraid of losing my job", "User|fears|losing their job"),
        ("I'm trying to lose weight", "User|goal|lose weight"),
        ("I want to learn Spanish", "User|goal|learn Spanish"),
        ("My goal is to sell my flat by May", "User|goal|sell their flat by May"),
        ("I'm saving up for a house", "User|goal|house"),
        ("I'm left-handed", "User|condition|left-handed"),
        ("I studied law", "User|studies|law"),
        ("I'm getting married in September to Jonas", "User|married_to|Jonas"),
        ("the launch got pushed to May 12", "we|launch|May 12"),
        ("Our backend is written in Go", "we|language for backend|Go"),
        ("I'm at Shopify now doing data", "User|works_at|Shopify"),
        ("I am head of marketing", "User|job|head of marketing"),
        ("I live in Graz, as said", "User|lives_in|Graz"),
        ("Like I said, I live in Graz", "User|lives_in|Graz"),
        ("As I told you, I'm vegan", "User|diet|vegan"),
        ("I live with my girlfriend in Ghent", "User|lives_in|Ghent"),
        ("My mom's birthday is on June 3rd", "User's mom|birthday|June 3rd"),
    ],
)
def test_what_people_tell_of_themselves(content: str, told: str) -> None:
    assert told_in(content) == [told]


def test_an_office_tells_the_firm_too() -> None:
    told = ["User|job|CTO", "User|works_at|Brickyard"]
    assert told_in("I'm the CTO of a small startup called Brickyard") == told
    assert told_in("I'm CTO at Brickyard.") == told


@pytest.mark.parametrize(
    "content",
    [
        "I can't eat now",
        "I can't have a dog in this flat",
        "I can't eat another bite",
        "I'm at Starbucks now",
        "I'm at Google IO this week",
        "Our backend is written in a hurry",
        "I'm training for a while now",
        "I'm preparing for the meeting",
        "I'm trying to fix the tests",
        "I want to learn more about this",
        "I'm afraid so",
        "I'm afraid of that",
        "I'm scared of this bug",
        "I studied hard",
        "I studied the logs",
        "I ended up in Paris for a week",
        "I ended up in jail",
        "I'm head over heels",
    ],
)
def test_what_is_of_the_moment_is_no_fact(content: str) -> None:
    assert told_in(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I have a dog. His name is Rex.", ["User|has|dog", "User's dog|name|Rex"]),
        ("I have a dog called Rex", ["User|has|dog", "User's dog|name|Rex"]),
        ("We got a kitten, named her Pixel.", ["we|has|kitten", "User's kitten|name|Pixel"]),
        ("we have a dog, Rufus, and fish", ["we|has|dog", "User's dog|name|Rufus"]),
        ("She's my sister, her name is Lena", ["User's sister|name|Lena"]),
        (
            "my wife and I adopted a greyhound, he's called Biscuit",
            ["we|has|greyhound", "User's greyhound|name|Biscuit"],
        ),
    ],
)
def test_a_name_that_stands_behind_whom_it_names(content: str, told: list[str]) -> None:
    assert sorted(told_in(content)) == sorted(told)


@pytest.mark.parametrize(
    "content",
    [
        "I have a dog and a cat. His name is Rex.",
        "My neighbour has a dog. His name is Rex.",
        "In my novel I have a dog. His name is Rex.",
        "I have a cat, Sundays are for naps",
        "Our dog, Berlin's finest, is here",
    ],
)
def test_a_name_of_whom_is_not_clear_is_none(content: str) -> None:
    assert not any("|name|" in each for each in told_in(content))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We don't just use Redis, we use Kafka too.", ["we|queue|Kafka"]),
        ("I don't only speak English, I speak French too.", ["User|speaks|French"]),
        ("I'm not only vegan but also allergic to nuts.", []),
        ("I don't always live in Berlin.", []),
        ("We're not just using Redis.", []),
        ("I don't usually eat fish.", []),
        ("I don't even eat fish.", ["User|eats|not fish"]),
        ("I don't really like jazz.", ["User|likes|not jazz"]),
    ],
)
def test_what_is_not_all_or_not_always_so_is_not_denied(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "I'm not a designer at Google, I'm an engineer there.",
            ["User|job|not designer", "User|job|engineer"],
        ),
        ("I don't work at Google as a designer.", ["User|works_at|not Google"]),
        ("I'm a designer at Google.", ["User|job|designer", "User|works_at|Google"]),
    ],
)
def test_who_has_not_this_job_may_have_another_there(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "We went with Anna to Rome.",
        "We went with the kids to the zoo.",
        "We went with the school to Rome.",
        "We went with my brother.",
        "We dropped Anna at school.",
        "We ditched Anna.",
        "We picked Anna up.",
        "We picked the kids up.",
        "I can't stand up.",
        "I can't stand still.",
        "I study at night.",
        "I'm studying at Oxford.",
        "I study hard.",
        "I drive a hard bargain.",
        "I'm an aspiring writer.",
        "I'm a future nurse.",
    ],
)
def test_other_meanings_of_a_verb_state_nothing(content: str) -> None:
    assert told_in(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We went with Jenkins.", "we|ci|Jenkins"),
        ("We went with Umzug Krause.", "we|decision|Umzug Krause"),
        ("We picked Anna as lead.", "we|decision|Anna"),
        ("We dropped Redis.", "we|uses|not Redis"),
        ("I can't stand jazz.", "User|dislikes|jazz"),
        ("I study physics at night.", "User|studies|physics"),
        ("I drive a van.", "User|has|van"),
    ],
)
def test_the_usual_meaning_of_these_verbs_is_told(content: str, told: str) -> None:
    assert told_in(content) == [told]


@pytest.mark.parametrize("content", ["I'm a former teacher.", "I'm an ex-teacher."])
def test_a_job_that_one_had_is_past(content: str) -> None:
    (fact,) = facts_in(content)
    assert (fact.attribute, fact.value, fact.tense) == ("job", "teacher", Tense.PAST)
