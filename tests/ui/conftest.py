"""A server with a memory to look into, and a browser that looks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.serving import Server, serving
from tests.ui.browser import Tab, browsing, require_browser
from tests.ui.seeding import fill


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all of these tests: each has users of its own."""
    require_browser()
    with serving(tmp_path_factory.mktemp("house")) as server:
        yield server


@pytest.fixture(scope="session")
def window(house: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browsing(tmp_path_factory.mktemp("profile"), house.url) as tab:
        yield tab


@pytest.fixture
def client(house: Server) -> Iterator[httpx.Client]:
    with house.client() as client:
        yield client


@pytest.fixture
def tab(window: Tab) -> Iterator[Tab]:
    """The window, which complains of nothing that a test did not expect."""
    window.shape(1280, 900)
    window.complaints()
    yield window
    assert window.complaints() == []
    window.driver.get("about:blank")


@pytest.fixture
def stored(client: httpx.Client, request: pytest.FixtureRequest) -> dict[str, Any]:
    """What is stored of a user of this test's own; `user` tells who."""
    user = Path(request.node.name).name.replace("[", "-").replace("]", "")
    return {"user": user, **fill(client, user)}
