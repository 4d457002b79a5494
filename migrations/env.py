"""Runs migrations on the connection that `app.adapters.sql.migrate` hands over."""

from alembic import context
from sqlalchemy import Connection

from app.adapters.sql.migrate import is_ours
from app.adapters.sql.schema import metadata


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        include_name=is_ours,
        render_as_batch=connection.dialect.name == "sqlite",
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


run(context.config.attributes["connection"])
