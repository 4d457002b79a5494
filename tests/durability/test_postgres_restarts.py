"""PostgreSQL crashes and comes back under a running service, on a cluster of the test's own."""

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.serving import context, eventually, serving, store
from tests.durability.cluster import a_cluster
from tests.durability.watching import HUGIN, SAID, contents, degraded, metric, stats, until

pytestmark = pytest.mark.durability


class Teller(threading.Thread):
    """Says one thing after the other, each again until it is acknowledged."""

    def __init__(self, client: httpx.Client, name: str) -> None:
        super().__init__()
        self.client = client
        self.conversation = name
        self.acknowledged: list[str] = []
        self.refusals: set[tuple[int, str]] = set()
        self.enough = threading.Event()

    def run(self) -> None:
        while not self.enough.is_set():
            said = f"{self.conversation} says that number {len(self.acknowledged)} is drawn."
            body = {
                "external_id": self.conversation,
                "messages": [{"role": "user", "content": said}],
            }
            headers = {"Idempotency-Key": said}
            answer = self.client.post("/conversations", json=body, headers=headers)
            if answer.status_code == 201:
                self.acknowledged.append(said)
            else:
                self.refusals.add((answer.status_code, answer.json()["type"]))
                self.enough.wait(0.05)


def test_nothing_is_lost_when_the_database_restarts(tmp_path: Path) -> None:
    with (
        a_cluster() as cluster,
        serving(tmp_path, DATABASE__URL=cluster.url) as server,
        server.client() as client,
    ):
        store(client, HUGIN, user_id="alice")
        tellers = [Teller(client, name) for name in ("Anna", "Bert", "Carl")]
        for each in tellers:
            each.start()
        for mode in ("immediate", "fast"):
            so_far = [len(each.acknowledged) for each in tellers]
            wait_for_more(tellers, so_far, by=20)
            cluster.stop(mode)
            assert client.get("/readyz").status_code == 503
            assert client.get("/healthz").status_code == 200
            assert metric(client, 'foreword_part_up{part="database"}') == 0
            cluster.start()
        wait_for_more(tellers, [len(each.acknowledged) for each in tellers], by=20)
        for each in tellers:
            each.enough.set()
            each.join()

        until(client, "database", "ok")
        refusals = {refusal for each in tellers for refusal in each.refusals}
        assert refusals <= {(503, "/problems/store-unavailable")}
        for each in tellers:
            assert stored_by(client, each) == each.acknowledged
        eventually(lambda: stats(client)["index_lag"] == 0)
        counted = stats(client)
        assert counted["vectors"] == counted["messages"]
        assert counted["messages"] == 1 + sum(len(each.acknowledged) for each in tellers)
        assert counted["dead_letters"] == 0
        found = context(client, SAID, user_id="alice")
        assert contents(found) == [HUGIN]
        assert degraded(found) == []
        assert server.end() == 0
        assert "Traceback" not in server.log


def wait_for_more(tellers: list[Teller], so_far: list[int], *, by: int) -> None:
    pairs = list(zip(tellers, so_far, strict=True))
    eventually(lambda: all(len(each.acknowledged) >= before + by for each, before in pairs))


def stored_by(client: httpx.Client, teller: Teller) -> list[str]:
    (found,) = client.get("/conversations", params={"q": teller.conversation}).json()["items"]
    path, texts, cursor = f"/conversations/{found['id']}/messages", [], None
    while True:
        parameters: dict[str, Any] = {"limit": 500} | ({"cursor": cursor} if cursor else {})
        page = client.get(path, params=parameters).json()
        texts += [each["content"] for each in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return texts
