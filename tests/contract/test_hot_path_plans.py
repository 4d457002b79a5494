"""What is known by its keys is read by them, whatever indexes there are beside."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite

from app.adapters.sql.fetch import Constant
from app.adapters.sql.graph import statements as graph_statements
from app.adapters.sql.items.rows import ITEMS, ITEMS_AND_PERIODS
from app.adapters.sql.recall.chunk_rows import CHUNKS_OF_MESSAGES
from app.adapters.sql.recall.hydrating import HYDRATE
from app.adapters.sql.recall.neighbours import BESIDE
from app.adapters.sql.recall.said_then import said_then
from app.adapters.sql.said import labels

STATEMENTS = {
    "messages": HYDRATE,
    "neighbours": BESIDE,
    "chunks": CHUNKS_OF_MESSAGES,
    "items": ITEMS,
    "derived": graph_statements.derived(frozenset(), frozenset()),
}


def plan(file: Path, statement: Constant) -> list[str]:
    compiled = statement.sqlite.compile(dialect=sqlite.dialect())  # type: ignore[attr-defined]
    values = ["[1]" for _ in compiled.positiontup]
    with closing(sqlite3.connect(file)) as connection:
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {compiled}", values)]


@pytest.mark.parametrize("name", STATEMENTS)
def test_nothing_goes_through_all_that_a_user_has(name: str, sqlite_template: Path) -> None:
    steps = plan(sqlite_template, STATEMENTS[name])
    assert steps
    assert not [each for each in steps if "scope_key" in each], steps


def test_summaries_of_periods_are_read_by_their_subjects(sqlite_template: Path) -> None:
    steps = [each for each in plan(sqlite_template, ITEMS_AND_PERIODS) if each.startswith("SEARCH")]
    of_memory = [each for each in steps if "memory_item" in each or "period" in each]
    by_key = [each for each in of_memory if "INTEGER PRIMARY KEY" in each]
    others = [each for each in of_memory if each not in by_key]
    assert by_key
    assert others
    assert all(each.endswith("(scope_key=? AND type=? AND subject=?)") for each in others), steps


def test_what_was_said_at_a_time_is_read_from_its_end(sqlite_template: Path) -> None:
    steps = plan(sqlite_template, said_then(frozenset({"since", "until"})))
    by_time = "(scope_key=? AND created_at>? AND created_at<?)"
    (of_messages,) = (each for each in steps if "SEARCH message " in each)
    assert of_messages.endswith(by_time), steps
    assert not any("TEMP B-TREE" in each for each in steps[: steps.index("SCAN last")]), steps


def test_labels_are_read_by_their_terms_and_the_conversations_by_their_keys(
    sqlite_template: Path,
) -> None:
    steps = plan(sqlite_template, labels.NEWEST)
    (of_terms,) = (each for each in steps if "SEARCH label_term" in each)
    assert of_terms.endswith("(scope_key=? AND term=?)"), steps
    (of_rows,) = (each for each in steps if "SEARCH conversation" in each)
    assert of_rows.endswith("INTEGER PRIMARY KEY (rowid=?)"), steps
    assert not any("TEMP B-TREE" in each for each in steps), steps

    (more,) = (each for each in plan(sqlite_template, labels.HELD) if "SEARCH label_term" in each)
    assert "(conversation_key=?" in more
