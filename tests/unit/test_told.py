"""Facts that are told: whose they are, what they are about, and which stand in a profile."""

from datetime import UTC, datetime

import pytest

from app.distil.facts.fact import Tense
from app.distil.facts.portrait import entry_told
from app.distil.facts.told import speakers_of, told_fact
from app.domain.profile import Section

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("user_id", "called"),
    [
        (None, {"user"}),
        ("alice", {"user", "alice"}),
        ("alice.smith@example.org", {"user", "alice.smith@example.org", "alice smith"}),
        ("Alice_Smith", {"user", "alice_smith", "alice smith"}),
        ("@", {"user", "@"}),
    ],
)
def test_a_user_is_called_what_their_id_tells(user_id: str | None, called: set[str]) -> None:
    assert speakers_of(user_id) == called


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ("I prefer tea.", ("User", "prefers", "tea")),
        ("User prefers tea", ("User", "prefers", "tea")),
        ("The user has two cats.", ("User", "has", "two cats")),
        ("Alice Smith is allergic to nuts", ("User", "allergic_to", "nuts")),
        ("Alice Smith's favorite color is blue", ("User", "favourite color", "blue")),
        ("user teaches maths", ("User", "teaches", "maths")),
        ("The user studies physics", ("User", "studies", "physics")),
        ("Bob lives in Rome.", ("Bob", "lives_in", "Rome")),
        ("We use PostgreSQL for the tests", ("we", "database for tests", "PostgreSQL")),
        ("The office is in Lisbon", None),
        ("User likes hiking and hates olives", None),
        ("Alice Smith lives in Lisbon. It rains there.", None),
        ("Does the user live in Lisbon?", None),
        ("", None),
        ("The customer lives in Oslo.", ("User", "lives_in", "Oslo")),
        ("Client lives in Oslo", ("User", "lives_in", "Oslo")),
        ("The client supports HTTP/2.", None),
        ("The customer's plan is Gold.", ("User", "plan", "Gold")),
        ("The user's current plan is now Silver", ("User", "plan", "Silver")),
        ("Customer is on the Gold plan", ("User", "plan", "Gold")),
        ("Alice Smith is currently on the Silver plan now.", ("User", "plan", "Silver")),
        ("The customer's plan is not Gold.", None),
        ("The customer's plan is changing.", None),
        ("The customer's plan was Gold.", None),
        ("The customer's plan is Gold and their budget is 50k.", None),
        ("The customer is on the same plan.", None),
        ("Tom's phone number is 555 0101", ("Tom", "phone", "555 0101")),
        ("Acme's account manager is Ana Gil.", ("Acme", "account manager", "Ana Gil")),
        ("Tom's dog is Rex.", None),
        ("Today's budget is 50k.", None),
        ("Shipping address: Kirkegata 3, Oslo", ("User", "shipping address", "Kirkegata 3, Oslo")),
        ("Account owner: Tom Berg", ("User", "account owner", "Tom Berg")),
        ("Plan: Gold", ("User", "plan", "Gold")),
        ("Plan: Gold or Silver", None),
        ("Plan: call Tom", None),
        ("Plan: Gold. It costs more.", None),
        ("Order status: shipped", None),
        ("Title: Notes of May", None),
        ("Travel plan: Rome", None),
        ("Note: the user is away", None),
    ],
)
def test_a_sentence_tells_one_fact_or_none(
    content: str, about: tuple[str, str, str] | None
) -> None:
    fact = told_fact(content, {}, NOW, speakers_of("alice.smith@example.org"))
    assert (fact and (fact.subject, fact.attribute, fact.value)) == about


def test_metadata_tells_more_than_words() -> None:
    metadata = {"subject": "team", "attribute": "mascot", "tense": "past", "positive": False}
    fact = told_fact("An owl.", metadata, NOW, speakers_of(None))
    assert fact is not None
    assert (fact.key, fact.value, fact.single) == (("team", "mascot"), "An owl.", True)
    assert (fact.tense, fact.positive) == (Tense.PAST, False)
    for other in ({"subject": "team"}, {**metadata, "subject": 7}, {**metadata, "attribute": ""}):
        assert told_fact("An owl.", other, NOW, speakers_of(None)) is None


def test_what_was_drawn_tells_nothing_of_other_words() -> None:
    drawn = {
        "subject": "User",
        "attribute": "lives_in",
        "value": "Lisbon",
        "tense": "now",
        "positive": True,
        "single": True,
        "confidence": 0.85,
    }
    values = []
    for content in ("User moved to Lisbon", "User moved to Porto", "It rains."):
        fact = told_fact(content, drawn, NOW, speakers_of(None))
        values.append(fact and fact.value)
    assert values == ["Lisbon", "Porto", None]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I live in Lisbon.", (Section.CONTEXT, "lives_in", "Lisbon", True)),
        ("I love hiking.", (Section.PREFERENCES, "likes", "hiking", False)),
        (
            "I prefer emails in the morning.",
            (Section.PREFERENCES, "prefers", "emails in the morning", False),
        ),
        ("I like jazz on Sundays.", (Section.PREFERENCES, "likes", "jazz on Sundays", False)),
        ("I use Neovim as my editor.", (Section.CONTEXT, "editor", "Neovim", False)),
        ("Never use tabs.", (Section.PREFERENCES, "rule", "never use tabs", False)),
        ("Always answer in German.", (Section.PREFERENCES, "rule", "answer in German", False)),
        ("My favorite color is blue.", (Section.PREFERENCES, "favourite color", "blue", True)),
        ("I don't like olives.", None),
        ("I used to live in Rome.", None),
        ("I'm going to move to Rome.", None),
        ("My wife lives in Rome.", None),
        ("Bob lives in Rome.", None),
        ("We use Kafka.", None),
        ("My email is a@b.org.", None),
        ("The customer's plan is Gold.", (Section.CONTEXT, "plan", "Gold", True)),
        ("The customer's billing address is Kirkegata 3.", None),
        ("My passport number is C01X00T47.", None),
        ("Always use card 4111 1111 1111 1111 for bookings.", None),
    ],
)
def test_what_a_fact_says_of_a_user_is_an_entry(
    content: str, told: tuple[Section, str, str, bool] | None
) -> None:
    entry = entry_told(content, {}, NOW, user_id="alice")
    assert (entry and (entry.section, entry.name, entry.value, entry.single)) == told


def test_what_is_too_long_for_every_prompt_is_no_entry() -> None:
    metadata = {"subject": "User", "attribute": "mascot", "value": "owl" * 85}
    assert entry_told("x", metadata, NOW, user_id="alice") is not None
    assert entry_told("x", {**metadata, "value": "owl" * 86}, NOW, user_id="alice") is None
    assert entry_told("x", {**metadata, "value": ""}, NOW, user_id="alice") is None
