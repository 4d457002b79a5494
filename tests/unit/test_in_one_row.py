import sqlite3
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import column, select, table

from app.adapters.sql.fetch import Constant
from app.adapters.sql.in_one_row import in_one_row, rows_in_one

STATEMENT = "SELECT number, said, packed, more FROM told ORDER BY rowid"

said = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
packed = st.none() | st.binary(max_size=40)
rows = st.lists(
    st.tuples(st.none() | st.integers(-(2**63), 2**63 - 1), st.none() | said, packed, packed),
    max_size=20,
)


@pytest.fixture(scope="module")
def raw() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE told (number INTEGER, said TEXT, packed BLOB, more BLOB)")
    yield connection
    connection.close()


def hold(raw: sqlite3.Connection, told: Sequence[tuple[object, ...]]) -> None:
    raw.execute("DELETE FROM told")
    raw.executemany("INSERT INTO told VALUES (?, ?, ?, ?)", told)


@given(told=rows)
def test_one_row_tells_what_all_rows_tell(
    raw: sqlite3.Connection, told: list[tuple[object, ...]]
) -> None:
    hold(raw, told)
    statement = in_one_row(STATEMENT, columns=4, bytes_at=(2, 3))
    assert [tuple(row) for row in rows_in_one(raw, statement, (), (2, 3))] == told


def test_what_is_too_long_for_one_row_comes_row_by_row(raw: sqlite3.Connection) -> None:
    told = [(at, "x" * 400, b"", None) for at in range(10)]
    hold(raw, told)
    source = table("told", column("number"), column("said"), column("packed"), column("more"))
    read = Constant.alone(select(source).order_by("number"))
    in_one = Constant(sqlite=read.sqlite, postgres=read.postgres, bytes_at=(2, 3))
    before = raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2_000)
    try:
        assert in_one.rows(raw, {}) == told
    finally:
        raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, before)
    assert [tuple(row) for row in in_one.rows(raw, {})] == told
