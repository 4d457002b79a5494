"""What the doctor finds where something was damaged by hand, and that it mends it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text, update

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.store import SqlStore
from app.api.deps import Services
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import LOCAL_TENANT, ConversationKey, ItemKey, ScopeKey
from app.domain.memory import ItemType, Table, item_key
from app.domain.projections import Projection
from app.main import open_services
from app.ports import VectorPoint
from app.services.common.jobs import Progress
from app.services.operating.findings import Diagnosis
from app.settings import Settings
from app.text.terms import indexed_text, terms_of
from tests.api.proxied import eventually

LIVES = "My name is Alice Berg and I live in Oslo. I work at Hugin Labs."
BRIEF = "Yes, both."
LABEL = "Project Atlas kickoff"
LONG = " ".join(f"Word {number} of the long report." for number in range(700))

_UNHELD_SQLITE, _HELD_SQLITE = "PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON"
_UNHELD_POSTGRES = "SET session_replication_role = replica"
_HELD_POSTGRES = "SET session_replication_role = DEFAULT"


@dataclass(frozen=True, slots=True)
class Ward:
    """The services, with what two users told them."""

    services: Services
    conversations: Sequence[ConversationKey]
    scopes: Sequence[ScopeKey]

    @property
    def store(self) -> SqlStore:
        assert isinstance(self.services.store, SqlStore)
        return self.services.store

    async def run(self, *statements: Any) -> None:
        async with self.store.database.write() as connection:
            for each in statements:
                await connection.execute(each)

    async def unheld(self, statement: Any) -> None:
        """The same while no reference is held."""
        async with self.store.database.writer.connect() as connection:
            postgres = connection.dialect.name == "postgresql"
            await connection.execute(text("COMMIT"))
            await connection.execute(text(_UNHELD_POSTGRES if postgres else _UNHELD_SQLITE))
            await connection.execute(statement)
            await connection.commit()
            await connection.execute(text(_HELD_POSTGRES if postgres else "COMMIT"))
            await connection.execute(text("SELECT 1" if postgres else _HELD_SQLITE))
            await connection.commit()

    async def all(self, statement: Any) -> list[Any]:
        async with self.store.database.read() as connection:
            return list((await connection.execute(statement)).scalars())

    async def examined(self) -> Diagnosis:
        return await self.services.doctor.examine(Progress())

    async def settled(self) -> None:
        """Until everything is distilled and indexed."""

        async def quiet() -> bool:
            await self.services.doctor.reindexer.drained()
            async with self.services.doctor.clinic.inspect() as inspection:
                return not await inspection.undistilled_of(self.conversations)

        await eventually(quiet)
        await self.services.doctor.reindexer.drained()


@pytest.fixture
async def ward(settings: Settings) -> AsyncIterator[Ward]:
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        for user in ("alice", "bob"):
            told = [NewMessage(role=Role.USER, content=each) for each in (LIVES, BRIEF, LONG)]
            new = NewConversation(user_id=user, messages=told, label=LABEL)
            await services.ingestor.ingest(LOCAL_TENANT, new)
        found = Ward(services, [], [])
        conversations = await found.all(select(t.conversation.c.key).order_by(t.conversation.c.key))
        scopes = await found.all(select(t.conversation.c.scope_key).order_by(t.conversation.c.key))
        ready = Ward(services, conversations, scopes)
        await ready.settled()
        yield ready


async def move_a_vector(ward: Ward) -> None:
    """Bob's first message is found by Alice."""
    keys = await ward.all(select(d.embedding.c.item_key))
    async with ward.services.doctor.clinic.inspect() as inspection:
        places = await inspection.places([ItemKey(key) for key in keys])
    bobs = next(each for each in places if each.scope == ward.scopes[1])
    vector = (await ward.services.doctor.embedder.read_query("anything")).vector
    moved = {name: getattr(bobs, name) for name in bobs.__dataclass_fields__}
    point = replace(VectorPoint(**moved, vector=vector), scope=ward.scopes[0])
    await ward.services.doctor.vectors.upsert([point])


async def move_chunks(ward: Ward) -> None:
    await ward.run(update(t.chunk).values(scope_key=ward.scopes[0]))


async def move_derived_items(ward: Ward) -> None:
    derived = t.memory_item.c.derived
    await ward.run(update(t.memory_item).where(derived).values(scope_key=ward.scopes[0]))


async def mix_entities(ward: Ward) -> None:
    e, n, m = d.entity.c, d.mention.c, t.message.c
    alices = select(m.key).where(m.scope_key == ward.scopes[0])
    bobs = select(e.key).where(e.scope_key == ward.scopes[1]).order_by(e.key).limit(1)
    (entity,), message = await ward.all(bobs), min(await ward.all(alices))
    alias = select(d.entity_alias.c.key).where(d.entity_alias.c.entity_key == entity)
    (key, *_), (said_at, *_) = await ward.all(alias), await ward.all(select(n.said_at))
    mention = {"message_key": message, "start": 0, "stop": 2, "alias_key": key, "said_at": said_at}
    await ward.run(insert(d.mention).values(entity_key=entity, **mention))


async def lose_lineage(ward: Ward) -> None:
    await ward.run(delete(t.lineage))


async def cross_lineage(ward: Ward) -> None:
    i, m = t.memory_item.c, t.message.c
    bobs = select(i.key).where(i.derived, i.scope_key == ward.scopes[1]).limit(1)
    alices = select(m.key).where(m.scope_key == ward.scopes[0]).limit(1)
    (item,), (message,) = await ward.all(bobs), await ward.all(alices)
    await ward.run(insert(t.lineage).values(item_key=item, message_key=message))


async def lose_the_graph(ward: Ward) -> None:
    await ward.run(delete(d.entity))


async def lose_entities_alone(ward: Ward) -> None:
    """As where references are not held: what hangs on them stays."""
    await ward.unheld(delete(d.entity))


async def lose_a_model(ward: Ward) -> None:
    await ward.unheld(delete(d.embedding_model))


async def blank_vectors(ward: Ward) -> None:
    (dimension,) = await ward.all(select(d.embedding_model.c.dimension))
    await ward.run(update(d.embedding).values(vector=bytes(2 * dimension)))


async def lose_words(ward: Ward) -> None:
    """As of what was embedded before there were any."""
    await ward.run(update(d.embedding).values(words=None))


async def lose_contexts(ward: Ward) -> None:
    """As of what was embedded by a version that knew none."""
    await ward.run(update(d.embedding).values(in_context=None))


async def lose_labels(ward: Ward) -> None:
    await ward.run(delete(d.label_term))


async def mix_labels(ward: Ward) -> None:
    """Bob's conversation is found by what its label does not say."""
    bobs = {"scope_key": ward.scopes[1], "conversation_key": ward.conversations[1]}
    await ward.run(insert(d.label_term).values(**bobs, term="borealis"))


async def garble_full_text(ward: Ward) -> None:
    """Bob's first message is found by as many other words."""
    m = t.message.c
    ours = select(m.key).where(m.conversation_key == ward.conversations[1]).order_by(m.key)
    key, words = (await ward.all(ours))[0], terms_of(indexed_text(LIVES, None))
    entry = Entry(
        key=item_key(Table.MESSAGE, key),
        scope=ward.scopes[1],
        conversation=ward.conversations[1],
        terms=words,
    )
    garbled = replace(entry, terms=[each[::-1] + "q" for each in words])
    async with ward.store.database.write() as connection:
        await full_text(connection).remove([entry])
        await full_text(connection).add([garbled])


DAMAGES: Sequence[tuple[str, str, Callable[[Ward], Awaitable[None]]]] = [
    ("vectors", "beside other facts", move_a_vector),
    ("scopes", "derived in another scope", move_chunks),
    ("scopes", "derived in another scope", move_derived_items),
    ("graph", "mix scopes", mix_entities),
    ("lineage", "into another scope", cross_lineage),
    ("lineage", "without any", lose_lineage),
    ("graph", "nothing is linked", lose_the_graph),
    ("references", "derived from what is not there", lose_entities_alone),
    ("references", "derived from what is not there", lose_a_model),
    ("embeddings", "not of length 1", blank_vectors),
    ("embeddings", "without what leads in to them", lose_contexts),
    ("embeddings", "without vectors of their words", lose_words),
    ("full_text", "not found by their words", garble_full_text),
    ("labels", "missing or surplus words", lose_labels),
    ("labels", "missing or surplus words", mix_labels),
]


async def facts(ward: Ward) -> list[str]:
    i = t.memory_item.c
    found = await ward.all(select(i.content).where(i.type == ItemType.FACT.value))
    return sorted(found)


async def test_what_was_damaged_by_hand_is_found_and_mended(ward: Ward) -> None:
    before = await facts(ward)
    assert len(before) >= 4, "both users tell something of themselves"
    assert (await ward.examined()).findings == []
    for check, problem, damage in DAMAGES:
        await damage(ward)
        told = [(each.check, each.problem) for each in (await ward.examined()).findings]
        assert any(check == c and problem in p for c, p in told), (damage, told)

        treated = await ward.services.doctor.treat(Progress())

        assert treated.findings == [], damage
        assert any(check == e.check and problem in e.problem for e in treated.fixed), damage
        await ward.settled()
        assert (await ward.examined()).findings == [], damage
        assert await facts(ward) == before, damage


async def test_what_the_outbox_notes_is_of_the_tenant_and_user_whose_it_is(ward: Ward) -> None:
    o = d.outbox.c
    bobs = await _keys_of(ward, ward.scopes[1])
    bob = {"tenant": LOCAL_TENANT, "scope_key": ward.scopes[1]}
    gone: dict[str, Any] = {"item_key": max(bobs) + 4_000, "tenant": "other"}
    wrong: list[dict[str, Any]] = [{"scope_key": ward.scopes[0]}, {"tenant": "other"}, gone, {}]
    later = ward.services.doctor.clock() + timedelta(days=1)
    noted = {"created_at": later, "due_at": later, "error": "put off"}
    notes = [
        {**noted, **bob, "item_key": key, **each} for key, each in zip(bobs, wrong, strict=False)
    ]
    await ward.run(insert(d.outbox).values(notes))

    (found,) = (await ward.examined()).findings
    assert (found.check, found.count) == ("outbox", 2)
    assert "another scope" in found.problem
    treated = await ward.services.doctor.treat(Progress())

    assert (treated.findings, [each.check for each in treated.fixed]) == ([], ["outbox"])
    assert await ward.all(select(o.scope_key).distinct()) == [ward.scopes[1]]
    assert await ward.all(select(o.item_key).where(o.tenant == "other")) == [gone["item_key"]]


async def test_labels_are_made_anew_with_full_text(ward: Ward) -> None:
    await lose_labels(ward)
    await ward.services.doctor.reindexer.reindex(Projection.FULL_TEXT, Progress())
    assert (await ward.examined()).findings == []
    assert len(await ward.all(select(d.label_term.c.term))) == 6


async def _keys_of(ward: Ward, scope: ScopeKey) -> Sequence[ItemKey]:
    keys = await ward.all(select(d.embedding.c.item_key))
    async with ward.services.doctor.clinic.inspect() as inspection:
        return [each.key for each in await inspection.places(keys) if each.scope == scope]
