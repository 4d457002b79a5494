"""Texts for load: made from a small vocabulary, the same for the same seed, with no data set."""

import itertools
import random
from datetime import UTC, datetime, timedelta
from typing import Any

PEOPLE = "Alice Bruno Chen Dara Emil Farah Goran Hana Imre Jonas Kaya Lena".split()
PROJECTS = "the billing service,the search page,our data lake,the mobile app,the onboarding".split(
    ","
)
THINGS = (
    "PostgreSQL,Redis,a message queue,the rate limiter,the retry policy,the nightly export,"
    "the login form,the cache key,the schema migration,the release checklist,the pager rota,"
    "user_id,parse_config(),the dashboard,the invoice table,the test suite"
).split(",")
REASONS = (
    "it was slow under load,the old one lost rows,nobody knew who owned it,it was cheaper to run,"
    "the customers asked for it,the last outage began there,it is easier to test"
).split(",")
DAYS = "Monday Tuesday Wednesday Thursday Friday".split()
SAID = (
    "For {project} we decided to change {thing}, because {reason}.",
    "{person} wants to look at {thing} in {project} before {day}.",
    "I talked to {person} about {thing}; {reason}, so it has to move to {day}.",
    "Can you remind me why we kept {thing} in {project}?",
    "On {day} {person} found that {thing} broke, and {reason}.",
    "Let us keep {thing} as it is. {person} will write it down by {day}.",
    "The plan for {project}: first {thing}, then a review with {person} on {day}.",
)
ASKED = (
    "What did we decide about {thing} in {project}?",
    "Why did {person} change {thing}?",
    "When does {person} look at {thing}?",
    "Who owns {thing} in {project}?",
    "What happened on {day} with {thing}?",
)
BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_numbers = itertools.count(1)


def own_random() -> random.Random:
    """Another generator for each user of the load test, the same ones in every run."""
    return random.Random(next(_numbers))


def said(rng: random.Random) -> str:
    """One to three sentences, about 60 to 250 characters."""
    return " ".join(_filled(rng, SAID) for _ in range(rng.randint(1, 3)))


def asked(rng: random.Random) -> str:
    return _filled(rng, ASKED)


def messages(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """A dialogue of `count` messages, half a minute apart."""
    begin = BEGIN + timedelta(hours=rng.randint(0, 2000))
    return [
        {
            "role": ("user", "assistant")[position % 2],
            "content": said(rng),
            "created_at": (begin + timedelta(seconds=30 * position)).isoformat(),
        }
        for position in range(count)
    ]


def conversation(rng: random.Random, user_id: str, count: int) -> dict[str, Any]:
    """A body for POST /conversations."""
    return {"user_id": user_id, "label": rng.choice(PROJECTS), "messages": messages(rng, count)}


def _filled(rng: random.Random, sentences: tuple[str, ...]) -> str:
    return rng.choice(sentences).format(
        person=rng.choice(PEOPLE),
        project=rng.choice(PROJECTS),
        thing=rng.choice(THINGS),
        reason=rng.choice(REASONS),
        day=rng.choice(DAYS),
    )
