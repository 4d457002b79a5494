from datetime import UTC, datetime

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Bearing, Fact, bearing
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

SUPERSEDES, REPEATS, BESIDE = Bearing.SUPERSEDES, Bearing.REPEATS, Bearing.STANDS_BESIDE


def fact(content: str, name: str = "Alice") -> Fact:
    said_at = datetime(2025, 3, 12, tzinfo=UTC)
    (found,) = facts_of(Utterance(role=Role.USER, content=content, said_at=said_at, name=name))
    return found


@pytest.mark.parametrize(
    ("older", "newer", "is_"),
    [
        ("I live in Lisbon.", "I moved to Porto.", SUPERSEDES),
        ("I live in Lisbon.", "I moved to Lisbon.", REPEATS),
        ("I live in Lisbon.", "I'm moving to Porto.", BESIDE),
        ("I'm moving to Porto.", "I moved to Porto.", SUPERSEDES),
        ("I live in Lisbon.", "I lived in Porto.", BESIDE),
        ("I live in Lisbon.", "I used to live in Lisbon.", SUPERSEDES),
        ("I live in Lisbon.", "I don't live in Lisbon.", SUPERSEDES),
        ("I live in Lisbon.", "I don't live in Porto.", BESIDE),
        ("I don't live in Porto.", "I live in Lisbon.", BESIDE),
        ("I live in Lisbon.", "I work at Siemens.", BESIDE),
        ("I live in Lisbon.", "Bob lives in Porto.", BESIDE),
        ("I like tea.", "I like coffee.", BESIDE),
        ("I like tea.", "I hate tea.", SUPERSEDES),
        ("I like tea.", "I don't like tea.", SUPERSEDES),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs.", SUPERSEDES),
        ("I prefer tabs over spaces.", "I prefer tea over coffee.", BESIDE),
        ("We decided on MySQL.", "We decided on Postgres.", SUPERSEDES),
        ("We decided on PostgreSQL.", "We decided on Postgres.", REPEATS),
        ("We use MySQL.", "We use PostgreSQL.", BESIDE),
        ("We use MySQL.", "We switched from MySQL to PostgreSQL.", SUPERSEDES),
        ("We use Flask for the gateway.", "We no longer use Flask.", SUPERSEDES),
        ("We no longer use Flask.", "We use Flask.", SUPERSEDES),
        ("We use MongoDB for tests.", "We no longer use MongoDB for tests.", SUPERSEDES),
        ("We use MongoDB for tests.", "We no longer use MongoDB for billing.", BESIDE),
        ("We use MongoDB.", "We no longer use MongoDB for tests.", BESIDE),
        ("We no longer use MongoDB for tests.", "We use MongoDB.", BESIDE),
        ("We no longer use MongoDB.", "We use MongoDB for tests.", SUPERSEDES),
        ("We use MongoDB for tests.", "We switched from MongoDB to PostgreSQL.", SUPERSEDES),
        ("We use MongoDB.", "We switched from MongoDB to SQLite for tests.", BESIDE),
        ("We use PostgreSQL in production.", "We use SQLite for tests.", BESIDE),
        ("Never use tabs.", "Always use tabs.", SUPERSEDES),
        ("Never use tabs.", "Never use semicolons.", BESIDE),
        ("The deadline is 5 May.", "The deadline is 12 May.", SUPERSEDES),
        ("The deadline for Atlas is 5 May.", "The deadline is 12 May.", BESIDE),
        ("My sister is called Mara.", "My sister is called Ana.", BESIDE),
        ("My wife is called Mara.", "My wife is called Ana.", SUPERSEDES),
        ("Call me Al.", "Call me Ali.", SUPERSEDES),
        ("I work at Google.", "I left Google.", SUPERSEDES),
        ("I work at Google.", "I left Siemens.", BESIDE),
        ("I work at Google.", "I joined Apple.", SUPERSEDES),
        ("I left Google.", "I joined Google.", SUPERSEDES),
        ("I live in Berlin.", "I moved out of Berlin.", SUPERSEDES),
        ("I have a dog.", "My dog died.", SUPERSEDES),
        ("I have a cat.", "My dog died.", BESIDE),
        ("I have a car.", "I sold my car.", SUPERSEDES),
        ("I have two children.", "I have no children.", SUPERSEDES),
        ("I have no children.", "I have two children.", SUPERSEDES),
        ("I have no children.", "I don't have any kids.", BESIDE),
        ("I have two kids.", "I have three children.", SUPERSEDES),
        ("I have two kids.", "I have two children.", BESIDE),
        ("I have a son.", "I have no children.", SUPERSEDES),
        ("I have no children.", "I have a daughter.", SUPERSEDES),
        ("I have a dog.", "I have two dogs.", SUPERSEDES),
        ("I have two dogs.", "I have a dog.", BESIDE),
        ("I have two dogs.", "I have three cats.", BESIDE),
        ("I have no dog.", "I have two cats.", BESIDE),
        ("I have two dogs, Rex and Bo.", "My dog died.", SUPERSEDES),
        ("I have two dogs.", "One of my dogs died.", SUPERSEDES),
        ("I have three dogs.", "Two of my dogs passed away last week.", SUPERSEDES),
        ("I have two dogs.", "Both of my dogs died.", SUPERSEDES),
        ("I have a dog.", "All my dogs died.", SUPERSEDES),
        ("I have two dogs.", "I gave away one of my dogs.", SUPERSEDES),
        ("I have a dog.", "One of my dogs died.", BESIDE),
        ("I have two cats.", "One of my dogs died.", BESIDE),
        ("I have two dogs.", "I used to have a cat.", BESIDE),
        ("My dog died.", "I have two dogs.", BESIDE),
        ("I'm married to Tom.", "I got divorced.", SUPERSEDES),
        ("I got divorced.", "I'm married to Eve.", SUPERSEDES),
        ("I'm learning Spanish.", "I stopped learning Spanish.", SUPERSEDES),
        ("I'm a vegetarian.", "I'm no longer a vegetarian.", SUPERSEDES),
    ],
)
def test_a_newer_fact_bears_on_an_older_one(older: str, newer: str, is_: Bearing) -> None:
    assert bearing(fact(newer), fact(older)) is is_


def test_the_subject_is_compared_folded() -> None:
    assert bearing(fact("I moved to Porto.", "ALICE"), fact("I live in Lisbon.")) is SUPERSEDES


def test_a_fact_repeats_itself() -> None:
    for content in ("I live in Lisbon.", "We no longer use Flask.", "I'm moving to Porto."):
        assert bearing(fact(content), fact(content)) is REPEATS
