"""SIGTERM: what runs is answered, what was begun goes back into the outbox."""

import itertools
import threading
from pathlib import Path

import httpx
import pytest

from tests.api.serving import eventually, serving, store
from tests.databases import BOTH, settings_of_own
from tests.durability.slow_embedder import slow_embedder
from tests.durability.watching import stats

pytestmark = pytest.mark.durability


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    return settings_of_own(request)


def test_what_was_begun_is_done_by_the_next_at_once(
    tmp_path: Path, database: dict[str, str]
) -> None:
    with slow_embedder() as model:
        settings = database | {
            "EMBEDDER__KIND": "ollama",
            "EMBEDDER__BASE_URL": model.url,
            "EMBEDDER__TIMEOUT_S": "600",
            "INDEXER__LEASE_S": "3600",
        }
        with serving(tmp_path, **settings) as server, server.client() as client:
            asked = model.asked
            model.stalls = True
            store(client, "one", "two", "three", wait=False)
            eventually(lambda: model.asked >= asked + 3)
            assert server.end() == 0
            assert "Traceback" not in server.log

        model.stalls = False
        with serving(tmp_path, **settings) as server, server.client() as client:
            eventually(lambda: stats(client)["index_lag"] == 0)
            assert stats(client)["vectors"] == 3
            assert server.end() == 0


def test_requests_that_run_are_answered(tmp_path: Path) -> None:
    answers: list[int] = []

    def say(client: httpx.Client, n: int) -> None:
        for cup in itertools.count():
            said = {"role": "user", "content": f"tea, cup {cup}"}
            body = {"external_id": f"talk {n}", "messages": [said]}
            try:
                answers.append(client.post("/conversations", json=body).status_code)
            except httpx.ConnectError:
                return  # nobody listens any more: it was never accepted
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                return  # the connection was closed between two requests, or while one was sent

    with serving(tmp_path) as server:
        with server.client() as client:
            threads = [threading.Thread(target=say, args=(client, n)) for n in range(4)]
            for each in threads:
                each.start()
            eventually(lambda: len(answers) > 20)
            assert server.end() == 0
            for each in threads:
                each.join()
        assert set(answers) == {201}
        assert "Traceback" not in server.log
    with serving(tmp_path) as server, server.client() as client:
        assert stats(client)["messages"] == len(answers)  # none was kept without an answer


def test_a_service_that_has_ended_leaves_nothing_of_what_was_erased(tmp_path: Path) -> None:
    """Of what is left on the disk no byte tells it, be it in the log or in full text."""
    mark = "zqxvjplum"
    with serving(tmp_path) as server, server.client() as client:
        for number in range(20):
            store(client, f"The {mark} of tree {number} is ripe.", external_id=f"chat {number}")
        gone = [each["id"] for each in client.get("/conversations").json()["items"]]
        assert [client.delete(f"/conversations/{each}").status_code for each in gone] == [200] * 20
        assert server.end() == 0

    files = sorted((tmp_path / "data").glob("foreword.db*"))
    assert [each.name for each in files if mark.encode() in each.read_bytes().lower()] == []
    assert files
