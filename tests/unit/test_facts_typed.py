"""What the rules make of statements as they are typed in passing: asides, slips, no capitals."""

import pytest

from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [
        f"{each.attribute} {'' if each.positive else 'not '}{each.value}"
        for each in facts_in(content)
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("My new email is ann@example.org.", "email ann@example.org"),
        ("my new number is +31 6 5550 1234 btw", "phone +31 6 5550 1234"),
        ("My address is 12 Main Street by the way.", "address 12 Main Street"),
        ("My pronouns are they/them.", "pronouns they/them"),
        ("my pronouns are she/her", "pronouns she/her"),
        ("my timezone is europe/berlin", "timezone europe/berlin"),
        ("my timezone is utc+2", "timezone utc+2"),
        ("My timezone is PST, btw.", "timezone PST"),
        ("The repository is github.com/acme/ledger.", "repository github.com/acme/ledger"),
        ("the staging host is db.internal", "staging host db.internal"),
    ],
)
def test_what_something_is_may_be_typed_in_any_way(content: str, told: str) -> None:
    assert told_in(content) == [told]


@pytest.mark.parametrize(
    "content",
    [
        "My number is up.",
        "My old email is ann@example.org.",
        "My pronouns are fine, thanks.",
        "The number is 12 345 678.",
        "the branch is n/a",
        "the endpoint is yes/no",
        "the deadline is so-so",
        "my timezone is weird",
        "the repository is a mess/joke",
    ],
)
def test_what_tells_nothing_of_what_something_is_states_none(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Also, don't commit to main.", "rule not commit to main"),
        ("Oh, and please never suggest Snowflake.", "rule not suggest Snowflake"),
        ("pls dont use tabs", "rule not use tabs"),
        ("dont suggest mysql", "rule not suggest mysql"),
        ("Don't suggest MySQL again.", "rule not suggest MySQL again"),
        ("we use uv instead of pip here", "package manager uv"),
        ("Don't add comments that repeat the code.", "rule not add comments that repeat the code"),
        ("Please never call me, write to me instead.", "rule not call me"),
        ("omg i love ramen, bring me some", "likes ramen"),
        ("tbh, I prefer tabs.", "prefers tabs"),
        ("bruh i hate math sm", "dislikes math"),
        ("always add type hints pls", "rule add type hints"),
        ("my favorite cake is carrot cake tho", "favourite cake carrot cake"),
        ("i go running 3x a week", "does running"),
        ("we dont eat pork", "eats not pork"),
        ("we're still on Postgres 16", "database Postgres"),
        ("im stuck and btw we use postgres 16", "database postgres"),
        ("u can reach me at kwame@example.org", "email kwame@example.org"),
        ("my brother leo is good at it", "name Leo"),
        ("Our daughter Lotte started school", "name Lotte"),
    ],
)
def test_what_fills_a_sentence_hides_no_statement(content: str, told: str) -> None:
    assert told_in(content) == [told]


@pytest.mark.parametrize(
    "content",
    [
        "Also, don't worry.",
        "Sorry, don't use that now.",
        "I always said, never use it again.",
        "He suggests, never use tabs.",
        "dont use it",
        "don't merge again",
        "never mention that again",
        "don't call me now",
        "never call me today",
        "omg, that is wild",
        "we're on call. im on it. We're on the go.",
        "email me at work",
        "can you contact me at x@example.org?",
        "my sister may come over, my friend will too",
    ],
)
def test_what_fills_a_sentence_makes_no_statement(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I'm a nurse at Charité.", ["job nurse", "works_at Charité"]),
        ("I work as a nurse at Charité in Berlin.", ["job nurse", "works_at Charité"]),
        ("I got a new job as a data engineer at Otto.", ["job data engineer", "works_at Otto"]),
        ("Hi! I'm Teo, a nurse at Charité.", ["name Teo", "job nurse", "works_at Charité"]),
        ("I'm a teacher at heart.", ["job teacher"]),
        ("I'm a student at Delft.", ["job student"]),
        ("I'm a baker at Christmas.", ["job baker"]),
        ("I'm a doctor at St. Mary's.", ["job doctor"]),
    ],
)
def test_a_job_is_told_with_its_place(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We have a dog and two cats.", ["has dog", "has two cats"]),
        ("Now I have a garden and two grandchildren.", ["has garden", "has two grandchildren"]),
        ("I have three kids and a house in Sintra.", ["has three kids", "has house"]),
        ("I have a car and two questions.", ["has car"]),
        ("I have a dog and a cat video for you.", ["has dog"]),
        ("I got a puppy and a raise.", ["has puppy"]),
    ],
)
def test_what_is_had_is_told_one_by_one(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content", ["My other cat is named Tofu.", "My youngest daughter is called Ida."]
)
def test_one_of_several_is_somebody_s_too(content: str) -> None:
    (fact,) = facts_in(content)
    assert (fact.attribute, fact.single) == ("name", False)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We dropped Kafka because nobody wanted to run it.", ["uses not Kafka"]),
        ("I moved to Lisbon because I thought it would be warm.", ["lives_in Lisbon"]),
        ("I use Vim because my boss said so, and I use Emacs.", ["editor Vim", "editor Emacs"]),
        ("We decided on Redis, because what if it grows", ["cache Redis"]),
    ],
)
def test_doubt_in_a_reason_takes_nothing_back(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "Because he said so, we use Oracle.",
        "Maybe we use Redis because it is fast.",
        "He said we use Oracle because it is slow.",
        "If I lived in Rome because of my job, I might like it.",
        "Do we use Redis because somebody wanted it?",
        "I would stay because I guess I live in Rome.",
    ],
)
def test_doubt_before_a_reason_or_in_it_states_nothing_behind(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We moved to Lisbon last year.", ["lives_in Lisbon"]),
        ("We're moving to Valencia in August!", ["lives_in Valencia"]),
        ("We moved to Postgres.", ["database Postgres"]),
        ("We're moving to Postgres.", ["database Postgres"]),
        ("We moved from Jenkins to Buildkite.", ["uses Buildkite"]),
        ("We moved away from MySQL to Acme DB.", ["uses Acme DB"]),
        ("We switched to Buildkite.", ["uses Buildkite"]),
    ],
)
def test_a_place_that_several_move_to_is_nothing_that_they_use(
    content: str, told: list[str]
) -> None:
    assert told_in(content) == told


def test_what_a_tool_took_the_place_of_is_known() -> None:
    (fact,) = facts_in("We moved from Jenkins to Buildkite.")
    assert fact.against == "Jenkins"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I'm a member of the alpine club.", ["member_of alpine club"]),
        ("I'm an active member of a rowing club.", ["member_of rowing club"]),
        ("I joined the team.", []),
        ("I'm a member of the human race.", []),
    ],
)
def test_who_is_a_member_of_something_is_told_with_it(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "We decided on PostgreSQL or MySQL.",
        "Let's go with redis or memcached.",
        "I live in Rome or Milan, depending on the season.",
        "My favourite food is pizza or pasta.",
        "My favourite food is pizza, pasta or rice.",
        "I like neither tea nor coffee.",
        "I like none of those.",
    ],
)
def test_one_of_two_is_none(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("We use PostgreSQL or something.", "database PostgreSQL"),
        ("I like action or sci-fi movies.", "likes action or sci-fi movies"),
    ],
)
def test_not_all_that_stands_before_or_is_left_open(content: str, told: str) -> None:
    assert told_in(content) == [told]
