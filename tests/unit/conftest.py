from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.sql.store import SqlStore
from tests.factories import a_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    async with a_store(tmp_path) as opened:
        yield opened
