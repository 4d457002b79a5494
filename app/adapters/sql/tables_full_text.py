"""
Full text as tables: FTS5's virtual one and PostgreSQL's.

Outside the metadata on purpose: each database has its own. They are made by `migrations/`, and
made anew from the messages when they are lost; so they are never migrated, only built again.

Terms are made by app/text/terms.py and carry their scope ("12:word"), so a search reads only the
postings of its own user. No positions and no sizes are kept: ranking counts for itself.
"""

from sqlalchemy import BigInteger, Column, MetaData, Table, column, table
from sqlalchemy.dialects.postgresql import TSVECTOR

fts5 = table("full_text", column("rowid"), column("terms"), column("place"), column("full_text"))

full_text_postgres = Table(
    "full_text",
    MetaData(),
    Column("item_key", BigInteger, primary_key=True),
    Column("document", TSVECTOR, nullable=False),
)

CREATE_SQLITE = (
    """CREATE VIRTUAL TABLE full_text USING fts5(
        terms, place, content='', detail=column, columnsize=0, tokenize="ascii tokenchars '_:'"
    )""",
    "CREATE VIRTUAL TABLE full_text_vocabulary USING fts5vocab('full_text', 'row')",
)
DROP_SQLITE = ("DROP TABLE IF EXISTS full_text_vocabulary", "DROP TABLE IF EXISTS full_text")
CLEAR_SQLITE = (
    DROP_SQLITE[0],
    "CREATE TABLE IF NOT EXISTS full_text_data (id INTEGER PRIMARY KEY, block BLOB)",
    """CREATE TABLE IF NOT EXISTS full_text_idx
        (segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS full_text_config (k PRIMARY KEY, v) WITHOUT ROWID",
    "DELETE FROM full_text_data",
    "INSERT INTO full_text_data VALUES (1, x''), (10, x'00000000000000')",
    "REPLACE INTO full_text_config VALUES ('version', 4)",
    DROP_SQLITE[1],
    *(f"DROP TABLE IF EXISTS full_text_{own}" for own in ("data", "idx", "config")),
)
"""
Removes what is left of it, whatever that is.

FTS5 opens a table before it drops it, and refuses to where the tables below are gone or garbage.
So these are first made to say what they say of an empty one.
"""
CREATE_POSTGRES = (
    "CREATE TABLE full_text (item_key bigint PRIMARY KEY, document tsvector NOT NULL)",
    "CREATE INDEX ix_full_text_document ON full_text USING gin (document)",
)
DROP_POSTGRES = ("DROP TABLE IF EXISTS full_text",)
