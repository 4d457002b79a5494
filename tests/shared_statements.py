"""Compiled statements that all engines of a session share, as those of one process of ours do."""

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy.engine.interfaces import CompiledCacheType, Dialect
from sqlalchemy.ext.asyncio import AsyncEngine

_Key = tuple[Any, ...]


class _SharedStatements:
    """
    A compiled cache in which dialects of one name and one paramstyle are one.

    SQLAlchemy's keys begin with the dialect itself, which each engine has for itself.
    """

    def __init__(self) -> None:
        self._kept: dict[_Key, Any] = {}

    def get(self, key: _Key) -> Any:
        return self._kept.get(_told(key))

    def __setitem__(self, key: _Key, compiled: object) -> None:
        self._kept[_told(key)] = compiled


def _told(key: _Key) -> _Key:
    dialect: Dialect = key[0]
    return (dialect.name, dialect.driver, *key[1:])


def with_shared_statements(create: Callable[..., AsyncEngine]) -> Callable[..., AsyncEngine]:
    """`create`, whose engines compile no statement that another of them has compiled."""
    shared = cast("CompiledCacheType", _SharedStatements())

    def created(*args: Any, **options: Any) -> AsyncEngine:
        return create(*args, execution_options={"compiled_cache": shared}, **options)

    return created
