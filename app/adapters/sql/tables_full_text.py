"""
PostgreSQL's full text as a table; SQLite's are virtual and only named where they are used.

Outside the metadata on purpose: each database has its own, and `migrations/` makes it.
"""

from sqlalchemy import BigInteger, Column, MetaData, Table
from sqlalchemy.dialects.postgresql import TSVECTOR

full_text_postgres = Table(
    "full_text",
    MetaData(),
    Column("item_key", BigInteger, primary_key=True),
    Column("document", TSVECTOR, nullable=False),
)
