"""Alembic migrations: up from empty and down again, on SQLite and on PostgreSQL."""
