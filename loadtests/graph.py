"""
Fill a store with people who work on things, link it, and measure the relational source over it.

    python -m loadtests.graph --messages 100000 --owned 10000 [--database URL]

Everything runs in this process, on a database of its own (an empty PostgreSQL one, where named):
what is timed is the step that links messages, and the source, without a server around them.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from uuid_utils.compat import uuid7

from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.adapters.tokenizer import BpeTokenCounter
from app.domain.context import ContextRequest
from app.domain.conversation import Conversation, NewConversation, NewMessage, Role, Scope
from app.domain.flags import Flags
from app.domain.ids import ConversationId, TenantId
from app.ports import RecallFilter
from app.services.context.relating import relate
from app.services.distilling.linking import Linker
from app.services.distilling.step import Portion
from app.services.writing.prepare import Preparer
from loadtests.needles import DEEDS, ENDINGS, MATTERS, SUBJECTS
from loadtests.sets import FIRST_NAMES, LAST_NAMES

TENANT = TenantId("local")
OWNER = "owner"
IN_CONVERSATION = 50
PER_USER = 1_000
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PEOPLE = [first + last for last in LAST_NAMES[1:] for first in FIRST_NAMES]
PROJECTS = [f"Project {name}" for name in ("Apollo", "Borealis", "Cygnus", "Draco", "Eridanus")]
PROJECTS += [f"{a}{b}" for a in ("Nova", "Terra", "Luna", "Sol") for b in ("base", "link", "mark")]
TOOLS = ("Redis", "PostgreSQL", "Kafka", "Qdrant", "Python", "Kubernetes", "SQLite", "Django")
# One of so many messages speaks of people and things, the others of everyday matters.
TELLING = 3
QUESTIONS = 1_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--messages", type=int, default=100_000)
    options.add_argument("--owned", type=int, default=10_000)
    options.add_argument("--database", help="An empty PostgreSQL database; else SQLite.")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        url = chosen.database or f"sqlite+aiosqlite:///{Path(directory) / 'store.db'}"
        asyncio.run(_measure(url, chosen.messages, chosen.owned))


async def _measure(url: str, messages: int, owned: int) -> None:
    database = open_database(url, durable=False)
    try:
        await upgrade(database.writer)
        store, chance = SqlStore(database), random.Random(7)
        filled, linked = 0.0, 0.0
        for user, count in _shares(messages, owned):
            for size in _sizes(count):
                stored, seconds = await _store(store, user, _texts(chance, size))
                filled += seconds
                linked += await _link(store, stored)
        print(
            f"{messages} messages, {owned} of the user who is asked about, "
            f"on {url.split(':', maxsplit=1)[0]}"
        )
        print(f"linked: {messages / linked:,.0f} messages/s (stored: {messages / filled:,.0f})")
        async with store.read(TENANT) as snapshot:
            scope = await snapshot.scopes.find(OWNER)
        assert scope is not None  # noqa: S101  (it was just stored)
        for what, queries in _questions(chance).items():
            print(await _asked(store, scope, what, queries))
    finally:
        await database.dispose()


def _shares(messages: int, owned: int) -> Iterator[tuple[str, int]]:
    yield OWNER, owned
    left = messages - owned
    for at in range(-(-left // PER_USER)):
        yield f"user-{at}", min(PER_USER, left - at * PER_USER)


def _sizes(count: int) -> Iterator[int]:
    for start in range(0, count, IN_CONVERSATION):
        yield min(IN_CONVERSATION, count - start)


def _texts(chance: random.Random, count: int) -> list[str]:
    return [
        _telling(chance) if chance.randrange(TELLING) == 0 else _idle(chance) for _ in range(count)
    ]


def _telling(chance: random.Random) -> str:
    """The first of a list is spoken of much more often than the last."""
    one, other = _often(chance, PEOPLE), _often(chance, PEOPLE)
    thing, tool = _often(chance, PROJECTS), _often(chance, TOOLS)
    return chance.choice(
        [
            f"I heard that {one} works on {thing} now.",
            f"It seems that {thing} depends on {tool} {chance.choice(ENDINGS)}.",
            f"We met {one} and {other} about {thing}.",
            f"Yesterday {one} asked {other} {chance.choice(ENDINGS)}.",
        ]
    )


def _often(chance: random.Random, several: Sequence[str]) -> str:
    return several[min(int(len(several) * chance.random() ** 3), len(several) - 1)]


def _idle(chance: random.Random) -> str:
    parts = (chance.choice(each) for each in (SUBJECTS, DEEDS, MATTERS, ENDINGS))
    return f"{' '.join(parts)}, {chance.randrange(10_000)}.".capitalize()


async def _store(store: SqlStore, user: str, texts: list[str]) -> tuple[Conversation, float]:
    preparer, began = Preparer(BpeTokenCounter("cl100k_base"), uuid7), time.perf_counter()
    said = [NewMessage(role=Role.USER, content=text, created_at=NOON) for text in texts]
    chat = ConversationId(uuid7())
    prepared = [
        replace(each, message=replace(each.message, position=position))
        for position, each in enumerate(
            await preparer.prepare(said, conversation=chat, said_at=NOON)
        )
    ]
    async with store.write(TENANT) as transaction:
        scope = await transaction.scopes.ensure(user, now=NOON)
        new = NewConversation(user_id=user, created_at=NOON)
        conversation = await transaction.conversations.add(
            new, conversation_id=chat, scope=scope, now=NOON
        )
        await transaction.messages.append(conversation, prepared, now=NOON)
    return conversation, time.perf_counter() - began


async def _link(store: SqlStore, conversation: Conversation) -> float:
    async with store.read(TENANT) as snapshot:
        said = await snapshot.messages.page(
            conversation.key, cursor=None, limit=IN_CONVERSATION, newest_first=False
        )
    portion = Portion(
        tenant=TENANT,
        conversation=conversation,
        messages=said.items,
        last=True,
        flags=Flags(),
        now=NOON,
    )
    began = time.perf_counter()
    write = await Linker(store=store, new_id=uuid7).distil(portion)
    if write is not None:
        async with store.write(TENANT) as transaction:
            await write(transaction)
    return time.perf_counter() - began


def _questions(chance: random.Random) -> dict[str, list[str]]:
    return {
        "who works on a project": [
            f"Who works on {_often(chance, PROJECTS)}?" for _ in range(QUESTIONS)
        ],
        "a person and a tool": [
            f"What did {_often(chance, PEOPLE)} say about {_often(chance, TOOLS)}?"
            for _ in range(QUESTIONS)
        ],
        "nobody who is known": [f"What about {chance.choice(MATTERS)}?" for _ in range(QUESTIONS)],
    }


async def _asked(store: SqlStore, scope: Scope, what: str, queries: list[str]) -> str:
    within = RecallFilter(scopes=[scope.key])
    narrow = RecallFilter(scopes=[scope.key], as_of=NOON + timedelta(days=1))
    took: dict[str, list[float]] = {"": [], " as of a moment": []}
    found, computing = 0, time.process_time()
    for query in queries:
        for kind, filters in (("", within), (" as of a moment", narrow)):
            began = time.perf_counter()
            request = ContextRequest(query=query)
            related = await relate(store, request, tenant=TENANT, scope=scope, within=filters)
            took[kind].append((time.perf_counter() - began) * 1_000)
            found += len(related.items)
    told = [
        f"p50 {statistics.median(ms):.2f}, p95 {_p95(ms):.2f} ms{kind}" for kind, ms in took.items()
    ]
    each = (time.process_time() - computing) / 2 / len(queries) * 1_000
    items = found / 2 / len(queries)
    return f"{what}: {'; '.join(told)}; {each:.2f} ms of processor and {items:.1f} items each"


def _p95(milliseconds: Sequence[float]) -> float:
    return sorted(milliseconds)[int(len(milliseconds) * 0.95)]


if __name__ == "__main__":
    main()
