"""
Full text as tables: FTS5's virtual one and PostgreSQL's.

Outside the metadata on purpose: each database has its own, and `migrations/` makes it.
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
