"""One process alone serves a PostgreSQL database with a vector index of its own."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from app.adapters.late import LateVectorIndex
from app.adapters.sql.claim import Claim
from app.adapters.vectors import open_edge_index
from app.domain.errors import IndexHeldElsewhere, VectorIndexUnavailable
from tests.databases import ask_server, text_of

pytestmark = pytest.mark.postgres

CUT_OFF = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
async def claims(postgres_own_url: str) -> AsyncIterator[tuple[Claim, Claim]]:
    """Of two processes."""
    first, second = Claim(postgres_own_url), Claim(postgres_own_url)
    yield first, second
    await first.aclose()
    await second.aclose()


async def test_only_one_has_it_until_it_ends(claims: tuple[Claim, Claim]) -> None:
    first, second = claims
    assert [await first.take(), await first.take()] == [1, 1]
    with pytest.raises(IndexHeldElsewhere, match="FOREWORD_QDRANT__URL"):
        await second.take()
    await first.aclose()
    assert await second.take() == 1


async def test_it_is_taken_again_when_it_was_lost(
    claims: tuple[Claim, Claim], postgres_own_url: str
) -> None:
    first, second = claims
    await first.take()
    await ask_server(CUT_OFF, at=make_url(postgres_own_url))
    assert await first.take() == 2
    await ask_server(CUT_OFF, at=make_url(postgres_own_url))
    await second.take()
    with pytest.raises(IndexHeldElsewhere):
        await first.take()
    await second.aclose()
    assert await first.take() == 3


async def test_an_index_is_open_only_while_this_process_has_it(
    claims: tuple[Claim, Claim], postgres_own_url: str, tmp_path: Path
) -> None:
    first, second = claims
    vectors = LateVectorIndex(partial(open_edge_index, tmp_path / "v", dimension=4), first)
    assert [await vectors.mend(), await vectors.mend()] == [True, False]
    await ask_server(CUT_OFF, at=make_url(postgres_own_url))
    assert [await vectors.mend(), await vectors.mend()] == [True, False]
    await ask_server(CUT_OFF, at=make_url(postgres_own_url))
    await second.take()
    with pytest.raises(IndexHeldElsewhere):
        await vectors.mend()
    with pytest.raises(IndexHeldElsewhere):
        await vectors.count()
    await second.aclose()
    assert await vectors.mend()
    assert await vectors.count() == 0
    await vectors.aclose()


async def test_a_database_that_is_away_says_nothing_of_others(
    claims: tuple[Claim, Claim], postgres_own_url: str, tmp_path: Path
) -> None:
    away = Claim(text_of(make_url(postgres_own_url).set(database="foreword_test_none")))
    vectors = LateVectorIndex(partial(open_edge_index, tmp_path / "v", dimension=4), away)
    with pytest.raises(VectorIndexUnavailable, match="does not exist") as refused:
        await vectors.mend()
    assert not isinstance(refused.value, IndexHeldElsewhere)


async def test_a_database_that_does_not_answer_is_told_of_in_words() -> None:
    left = asyncio.Event()

    async def keep_quiet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        left.set()

    async with await asyncio.start_server(keep_quiet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        silent = Claim(f"postgresql+asyncpg://nobody@127.0.0.1:{port}/none", patience=0.05)
        with pytest.raises(VectorIndexUnavailable, match=r"no answer of the database: no\w* "):
            await silent.take()
        await silent.aclose()
        async with asyncio.timeout(30):
            await left.wait()
