"""What every test stands on: where its files lie, and how properties are tried."""

import gc
import os
import shutil
import ssl
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.ext.asyncio import create_async_engine

from app.adapters.embedder import compile as compile_
from app.adapters.embedder import onnx_embedder
from tests.databases import migrate, run_apart
from tests.fakes_embedder import hashed_once, loaded_once
from tests.shared_statements import with_shared_statements

IN_MEMORY = Path("/dev/shm")  # noqa: S108  (a place for temporary files is what is wanted)
ROOM = 2 * 2**30
"""Bytes; an opened application takes 50 million of them."""


def _keep_files_in_memory() -> None:
    """
    Let temporary files lie in memory, where there is room and nobody chose another place.

    The engines wait for the disk at each step, to survive a power cut: without this, three quarters
    of the time that it takes to open an application are such waits. A killed process, which is what
    tests try, loses nothing in either place. Processes that tests start inherit the choice.
    """
    if "TMPDIR" in os.environ or not IN_MEMORY.is_dir():
        return
    if shutil.disk_usage(IN_MEMORY).free >= ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


_keep_files_in_memory()

# What tests leave is little, and what they have loaded is much: to look through all of it as often
# as Python does by itself takes an eighth of their time.
gc.set_threshold(10_000)

# How fast this machine is at the moment is nobody's bug. CI tries the same examples every time:
# what it says of a change is about the change.
settings.register_profile(
    "calm",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("calm")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes begins first: begun last, it is what everybody waits for at the end."""
    items.sort(key=lambda item: item.get_closest_marker("durability") is None)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: nothing of them is garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _one_model_in_memory() -> Iterator[None]:
    """Opening an application takes twice as long where each of them loads the model for itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_embedder, "_load", loaded_once(onnx_embedder._load))
        patch.setattr(compile_, "sha256_of", hashed_once(compile_.sha256_of))
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_in_memory() -> Iterator[None]:
    """Each engine compiles each statement for itself: a quarter of the time of a test over HTTP."""
    with pytest.MonkeyPatch.context() as patch:
        created = with_shared_statements(create_async_engine)
        patch.setattr("app.adapters.sql.database.create_async_engine", created)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_in_memory() -> Iterator[None]:
    """Each client over HTTP reads those of all authorities: a quarter of a second of processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """Pytest's, but gone with the test where it lies in memory, which has an end."""
    yield tmp_path
    if tmp_path.is_relative_to(IN_MEMORY):
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to be copied."""
    path = tmp_path_factory.mktemp("template") / "store.db"
    run_apart(migrate(f"sqlite+aiosqlite:///{path}"))
    return path
