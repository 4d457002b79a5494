from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.adapters.sql.store import SqlStore
from tests.factories import a_store

# How fast this machine is at the moment is nobody's bug.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    async with a_store(tmp_path) as opened:
        yield opened
