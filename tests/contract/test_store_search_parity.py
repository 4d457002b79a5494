"""Both databases find the same, in the same order."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.conversation import Role
from app.ports import RecallFilter
from app.ports.store import Store
from app.text.terms import query_terms
from tests.stored import ACME, NOON, SECOND, keep, said, scope_now

pytestmark = pytest.mark.postgres

WORDS = """
    database postgres sqlite index query cache vector token budget latency deploy docker cluster
    Köln Zürich café naïve résumé 東京 Москва get_user run_all v2 2026 error retry timeout 🧭 don't
    coffee morning dog cat tree river mountain guitar piano violin recipe bread butter salt pepper
""".split()


def corpus() -> list[list[str]]:
    """Twelve conversations of forty messages, in words of very different frequency."""
    dice = random.Random(7)
    weights = [1 / rank for rank in range(1, len(WORDS) + 1)]
    return [
        [" ".join(dice.choices(WORDS, weights, k=dice.randint(1, 25))) for _ in range(40)]
        for _ in range(12)
    ]


@pytest.fixture
async def stores(sqlite_file: Path, postgres_url: str) -> AsyncIterator[list[Store]]:
    databases = [open_database(f"sqlite+aiosqlite:///{sqlite_file}"), open_database(postgres_url)]
    yield [SqlStore(each) for each in databases]
    for each in databases:
        await each.dispose()


async def answers(store: Store, queries: list[str]) -> list[tuple[list[int], dict[str, int]]]:
    """For each query and filter the places of what is found in the corpus, and the frequencies."""
    kept = []
    for talk in corpus():
        messages = [
            said(text, NOON + at * SECOND, role=[Role.USER, Role.ASSISTANT][at % 2])
            for at, text in enumerate(talk)
        ]
        kept.append(await keep(store, *messages))
    place = {key: at for at, key in enumerate(key for each in kept for key in each.keys)}
    scope = await scope_now(store)
    three = frozenset(each.conversation.key for each in kept[:3])
    filters = [
        RecallFilter(scopes=[scope.key]),
        RecallFilter(scopes=[scope.key], conversations=three),
        RecallFilter(scopes=[scope.key], without_conversations=three, after=NOON + 9 * SECOND),
        RecallFilter(scopes=[scope.key], roles=frozenset({Role.USER}), as_of=NOON + 20 * SECOND),
    ]
    answered = []
    async with store.read(ACME) as snapshot:
        for query in queries:
            for within in filters:
                answer = await snapshot.recall.find(
                    query_terms(query), scope=scope, within=within, limit=20
                )
                places = [place[key] for key in answer.keys]
                answered.append((places, dict(answer.document_frequency)))
    return answered


async def test_the_same_corpus_and_queries_find_the_same(stores: list[Store]) -> None:
    dice = random.Random(11)
    queries = [" ".join(dice.sample(WORDS, k=dice.randint(1, 8))) for _ in range(40)]
    embedded, server = [await answers(store, queries) for store in stores]
    assert embedded == server
    assert sum(bool(places) for places, _ in embedded) > len(embedded) / 2
