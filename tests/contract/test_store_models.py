"""Whose vectors answer, and what is kept of other models."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.copies.copying import copy_rows, counts
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.migrate import upgrade
from app.adapters.sql.store import SqlStore
from app.ports.projecting import KnownModel
from tests.stored import NOON, keep, packed, scope_now


async def serving(store: SqlStore) -> KnownModel | None:
    async with store.observe() as observations:
        return await observations.serving_model()


async def embed(store: SqlStore, model: str) -> None:
    async with store.observe() as observations:
        keys = await observations.recallable(after=0, limit=99)  # type: ignore[arg-type]
    async with store.project() as projections:
        vectors = dict.fromkeys(keys, b"\1\2")
        await projections.keep_vectors(packed(vectors), model=model, dimension=1, now=NOON)


async def test_a_model_serves_once_it_is_told_and_has_vectors(store: SqlStore) -> None:
    await keep(store, "dogs", "cats")
    assert await serving(store) is None
    async with store.project() as projections:
        await projections.know_model("one", dimension=1, opened_as={"kind": "x"}, now=NOON)
        assert await projections.serve_model("one") is None
    assert await serving(store) is None
    await embed(store, "one")
    assert await serving(store) == KnownModel(name="one", dimension=1, opened_as={"kind": "x"})


async def test_another_model_takes_over_and_caches_are_told(store: SqlStore) -> None:
    kept = await keep(store, "dogs", "cats")
    for model in ("one", "two"):
        await embed(store, model)
    async with store.project() as projections:
        await projections.serve_model("one")
    async with store.project() as projections:
        assert await projections.serve_model("two") == "one"
    found = await serving(store)
    assert found is not None
    assert found.name == "two"
    assert (await scope_now(store)).version > kept.scope.version


async def test_of_the_others_nothing_is_kept(store: SqlStore) -> None:
    await keep(store, "dogs", "cats", "birds")
    for model in ("one", "two", "three"):
        await embed(store, model)
    steps, more = 0, True
    while more:
        async with store.project() as projections:
            more = await projections.forget_models(but=["two", "three"], limit=2)
        steps += 1
    assert steps == 3
    async with store.inspect() as inspection:
        keys = await inspection.recallable(after=0, limit=99)  # type: ignore[arg-type]
        assert await inspection.unembedded(keys, model="one") == list(keys)
        assert await inspection.unembedded(keys, model="two") == []
        assert await inspection.misshapen_embeddings() == []


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Database]:
    opened = open_database(f"sqlite+aiosqlite:///{tmp_path / 'copy.db'}", durable=False)
    await upgrade(opened.writer)
    yield opened
    await opened.dispose()


async def test_all_rows_are_copied_and_no_key_is_given_out_again(
    store: SqlStore, database: Database, empty: Database
) -> None:
    kept = await keep(store, "dogs", "cats", tags=["t"])
    await embed(store, "one")
    about = {"type": "fact", "metadata": {}, "tokens": 1, "content_hash": b"", "importance": 5}
    times = dict.fromkeys(("created_at", "updated_at", "valid_from"), NOON)
    about |= {**times, "scope_key": kept.scope.key}
    i = t.memory_item
    async with database.write() as connection:
        facts = [
            {"id": kept.messages[0].id, "key": 2, "content": "new", **about},
            {"id": kept.messages[1].id, "key": 1, "content": "old", **about},
        ]
        await connection.execute(insert(i), facts)
        await connection.execute(i.update().where(i.c.key == 1).values(superseded_by=2))
        gone = insert(d.retrieval_metric).values(tenant="t", created_at=NOON, total_ms=1.0)
        anew = gone.values(facts={}).returning(d.retrieval_metric.c.key)
        given = [(await connection.execute(anew)).scalar_one() for _ in range(3)]
        await connection.execute(d.retrieval_metric.delete())

    async with database.moment() as source, empty.write() as target:
        await copy_rows(source, target)
        assert await counts(source) == await counts(target)
        read = select(t.message).order_by(t.message.c.key)
        assert (await target.execute(read)).all() == (await source.execute(read)).all()
        pointing = await target.execute(select(i.c.key, i.c.superseded_by).order_by(i.c.key))
        assert [tuple(row) for row in pointing] == [(1, 2), (2, None)]
        assert (await target.execute(anew)).scalar_one() == given[-1] + 1
