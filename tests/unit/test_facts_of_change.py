"""Facts that are told as a change, in ordinary words."""

from datetime import UTC, datetime, timedelta

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Bearing, Fact, Tense, bearing
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)


def told(content: str, *, day: int = 0) -> list[Fact]:
    at = NOW + timedelta(days=day)
    return list(facts_of(Utterance(role=Role.USER, content=content, said_at=at, name="Alice")))


def values(content: str) -> list[tuple[str, str]]:
    return [(each.attribute, each.value) for each in told(content)]


def held(*contents: str) -> list[tuple[str, str]]:
    """What holds when one thing was said after the other: attributes with values."""
    known: list[Fact] = []
    for day, content in enumerate(contents):
        for fact in told(content, day=day):
            beside = [each for each in known if bearing(fact, each) is Bearing.STANDS_BESIDE]
            known = [*beside, fact]
    now = [each for each in known if each.positive and each.tense is Tense.NOW]
    return [(each.attribute, each.value) for each in now]


@pytest.mark.parametrize(
    "content",
    [
        "We moved to Keynsham last week.",
        "We've moved! From the flat to a house in Keynsham.",
        "We've moved! It took months to get from the old flat to our own house in Keynsham.",
        "We have moved house, into a small cottage in Keynsham.",
        "We finally moved into our new house in Keynsham.",
        "We've just moved from our flat to a three-bedroom house in Keynsham.",
        "I moved into a flat in the centre of Keynsham.",
        "My new address is 14 Millstream Lane, Keynsham.",
        "My address is Flat 3, 14 Millstream Lane, Keynsham, BS31 1AB.",
    ],
)
def test_who_moved_lives_there(content: str) -> None:
    homes = held("I live in Bristol with my husband.", content)
    assert [value for attribute, value in homes if attribute == "lives_in"] == ["Keynsham"]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("We moved to Frome with the kids in May.", "Frome"),
        ("We relocated to Market Harborough.", "Market Harborough"),
        ("I live in a small flat in Leeds.", "Leeds"),
        ("My address is Lindenstra\u00dfe 14, 50674 K\u00f6ln.", "K\u00f6ln"),
        ("My address is 221 Elm Street, Apt 4, Portland, OR 97201.", "Portland"),
    ],
)
def test_a_home_is_read_wherever_it_is(content: str, place: str) -> None:
    assert ("lives_in", place) in values(content)


def test_an_address_is_told_to_its_end() -> None:
    assert ("address", "14 Millstream Lane, Keynsham") in values(
        "My new address is 14 Millstream Lane, Keynsham."
    )


def test_a_house_into_which_somebody_will_move_is_a_plan() -> None:
    (fact,) = told("We're moving into our new flat in Frome next week.")
    assert (fact.attribute, fact.value, fact.tense) == ("lives_in", "Frome", Tense.PLANNED)


@pytest.mark.parametrize(
    "content",
    [
        "We moved to Datadog last week.",
        "We moved to Proton in May.",
        "We moved to Stripe to keep the family plan.",
        "We moved to Plan B with the family budget.",
        "We moved our data to a house in Frome.",
        "We nearly moved into a house in Keynsham.",
        "We didn't move into a house in Keynsham.",
        "If we moved into a house in Leeds, we'd pay less.",
        "He said we moved into a house in Rome.",
        "We've moved! Next month there is a trip to a house in Wales.",
        "We've moved! I'd love to be asked to a house in Wales.",
        "Have you heard that we moved into a house in Keynsham?",
        "Our office address is 14 High Street, Bath.",
        "My IP address is 10.0.0.5.",
    ],
)
def test_no_home_is_read_of_what_is_none(content: str) -> None:
    assert "lives_in" not in [attribute for attribute, _ in values(content)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided to use Stripe.", "We switched from Stripe to Adyen."),
        ("We decided to use Stripe.", "We decided to replace Stripe with Adyen."),
        ("We decided to use Stripe.", "We're moving from Stripe to Adyen."),
        ("We decided to use Stripe.", "We decided to drop Stripe."),
        ("We use Stripe.", "We decided to switch from Stripe to Adyen."),
        ("We use Stripe.", "We've moved from Stripe to Adyen."),
        ("We use Postgres 15.", "We replaced Postgres with MySQL."),
        ("We decided on MySQL.", "We're migrating from MySQL to Postgres."),
    ],
)
def test_what_was_replaced_holds_no_more(before: str, after: str) -> None:
    old = held(before)[0]
    assert old not in held(before, after)
    assert held(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided to use Stripe.", "We switched from Heroku to Render."),
        ("We decided to use Stripe.", "Should we move from Stripe to Adyen?"),
        ("We decided to use Stripe.", "We might switch from Stripe to Adyen."),
        ("We decided to use Stripe.", "I'm moving from Stripe to Adyen."),
        ("We decided to use Heroku.", "We're switching from Heroku to Render next month."),
        ("I live in Bristol.", "We're moving from Bristol to Radstock."),
        ("We use MySQL.", "We upgraded Postgres to 17."),
        ("We use Postgres 15 for tests.", "We upgraded Postgres from 15 to 17."),
    ],
)
def test_what_was_not_replaced_holds_on(before: str, after: str) -> None:
    assert held(before)[0] in held(before, after)


@pytest.mark.parametrize(
    "content",
    [
        "We upgraded Postgres to 17.",
        "We've upgraded Postgres from 15 to 17.",
        "We upgraded from Postgres 15 to 17 last week.",
        "We bumped Postgres to version 17.",
        "We're on Postgres 17 now.",
        "We use Postgres 17.",
    ],
)
def test_of_a_tool_the_last_version_holds(content: str) -> None:
    older, newer = told("We use Postgres 15.")[0], told(content, day=1)[0]
    assert bearing(newer, older) is Bearing.SUPERSEDES
    assert bearing(told("We decided on Postgres 17.", day=1)[0], older) is Bearing.SUPERSEDES
    assert held("We use Postgres 15.", content, "We no longer use Postgres.") == []


def test_a_tool_without_its_version_repeats_that_with_it() -> None:
    newer, older = told("We use Redis.", day=1)[0], told("We use Redis 7.")[0]
    assert bearing(newer, older) is Bearing.REPEATS
    assert bearing(told("We use Redis 7.", day=1)[0], newer) is Bearing.SUPERSEDES


def test_a_version_in_use_leaves_the_decision_for_the_tool() -> None:
    decided = told("We decided on Redis.")[0]
    assert bearing(told("We use Redis 7.", day=1)[0], decided) is Bearing.STANDS_BESIDE


def test_a_number_behind_a_tool_may_be_no_version() -> None:
    newer, older = told("We use Redis 3 times a day.", day=1)[0], told("We use Redis 7.")[0]
    assert bearing(newer, older) is Bearing.REPEATS


@pytest.mark.parametrize(
    "content",
    [
        "We upgraded Anna to manager.",
        "We upgraded Slack to 50 seats.",
        "We updated Section to 4.",
        "We upgraded it to 17.",
    ],
)
def test_nothing_else_is_a_version(content: str) -> None:
    assert told(content) == []


@pytest.mark.parametrize(
    "content",
    [
        "I've got a new phone number, 555 0202.",
        "I have a new mobile number: 555 0202.",
        "I just got a new number, it's 555 0202.",
        "I changed my phone number to 555 0202.",
    ],
)
def test_a_new_number_takes_the_place_of_the_old_one(content: str) -> None:
    assert held("My phone number is 555 0101.", content) == [("phone", "555 0202")]


def test_a_new_address_is_told_as_its_own() -> None:
    (fact,) = told("I just switched to a new email, jo@example.org.")
    assert (fact.attribute, fact.value) == ("email", "jo@example.org")
    assert fact.text == "Alice just switched to a new email, jo@example.org"


@pytest.mark.parametrize("content", ["I got a new phone, 555 of them sold.", "I got a new number."])
def test_a_new_phone_tells_no_number(content: str) -> None:
    assert told(content) == []


@pytest.mark.parametrize(
    "content",
    [
        "The allergist says I'm not allergic to peanuts after all.",
        "My doctor confirmed that I'm no longer allergic to peanuts.",
        "It turns out I'm not allergic to peanuts.",
        "I'm not allergic to peanuts any more.",
    ],
)
def test_an_allergy_ends_by_the_word_of_who_knows(content: str) -> None:
    assert held("I'm allergic to peanuts.", content) == []


@pytest.mark.parametrize(
    "content",
    [
        "My sister says I'm allergic to peanuts.",
        "The doctor says Anna is allergic to peanuts.",
        "My doctor thinks I might be allergic to peanuts.",
    ],
)
def test_others_say_nothing_of_an_allergy(content: str) -> None:
    assert told(content) == []


@pytest.mark.parametrize(
    "content", ["Let's go with 100 then", "We decided on 100.", "Let's go with 5."]
)
def test_a_bare_number_is_no_decision(content: str) -> None:
    assert told(content) == []


def test_then_is_no_part_of_what_is_chosen() -> None:
    assert values("Let's go with the blue one then") == []
    assert values("Let's go with Redis then.") == [("cache", "Redis")]


@pytest.mark.parametrize(
    ("content", "subject", "told_of"),
    [
        ("Marcus is vegetarian now.", "Marcus", ("diet", "vegetarian")),
        ("Toby is 7 now.", "Toby", ("age", "7")),
        ("Toby just turned 8.", "Toby", ("age", "8")),
        ("Amir prefers emails.", "Amir", ("prefers", "emails")),
        ("Marcus eats meat again.", "Marcus", ("eats", "meat")),
    ],
)
def test_who_has_a_known_name_is_told_of(
    content: str, subject: str, told_of: tuple[str, str]
) -> None:
    (fact,) = told(content)
    assert (fact.subject, fact.attribute, fact.value) == (subject, *told_of)


@pytest.mark.parametrize(
    "content",
    [
        "Sounds prefers emails.",
        "Amir prefers the former.",
        "Is Marcus vegan?",
        "Amir prefers emails, I think.",
        "Marcus says he eats meat again.",
        "Marcus eats meat.",
        "Marcus eats meat now and then.",
        "Version 3 is 7 now.",
        "Redis died yesterday.",
        "If Pixel died, we would cry.",
    ],
)
def test_nothing_is_told_of_who_is_nobody_or_by_hearsay(content: str) -> None:
    assert told(content) == []


@pytest.mark.parametrize(
    ("before", "after", "still"),
    [
        ("I'm vegan.", "I eat fish again.", False),
        ("I'm vegetarian.", "I've started eating meat again.", False),
        ("I don't eat meat.", "I'm back to eating meat again.", False),
        ("I'm vegetarian.", "I eat cheese now.", True),
        ("I'm pescatarian.", "I eat fish again.", True),
        ("I'm vegan.", "I don't eat honey.", True),
    ],
)
def test_a_diet_ends_by_what_it_rules_out(before: str, after: str, *, still: bool) -> None:
    (older,) = told(before)
    (newer,) = told(after, day=1)
    assert (bearing(newer, older) is not Bearing.SUPERSEDES) is still


def test_a_diet_ends_what_it_rules_out() -> None:
    assert held("I eat meat again.", "I'm vegan.") == [("diet", "vegan")]


@pytest.mark.parametrize(
    "content",
    [
        "I quit Siemens and started at Bosch.",
        "I quit Siemens but started at Bosch in May.",
        "I left Siemens and joined Bosch.",
    ],
)
def test_who_left_one_employer_for_another_is_there(content: str) -> None:
    assert held("I work at Siemens.", content) == [("works_at", "Bosch")]
