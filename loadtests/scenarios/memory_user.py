"""What every user of the load test has: a host, a key, its own texts, and checked answers."""

import os
from typing import Any

from locust import FastHttpUser

from loadtests.scenarios import corpus

# A loaded machine answers late; an answer later than this counts as a failure.
TIMEOUT_S = 30.0


class MemoryUser(FastHttpUser):
    abstract = True
    host = "http://127.0.0.1:8000"
    connection_timeout = TIMEOUT_S
    network_timeout = TIMEOUT_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rng = corpus.own_random()
        self.user_id = f"load-{type(self).__name__}-{self.rng.getrandbits(40):010x}"
        key = os.environ.get("FOREWORD_KEY")
        self.key = {"Authorization": f"Bearer {key}"} if key else {}

    def store(self, path: str, body: dict[str, Any], *, name: str) -> dict[str, Any]:
        """What was answered, or {} where it failed."""
        return self._post(path, body, name=name, expected=201)

    def ask(self, body: dict[str, Any], *, name: str, fresh: bool) -> dict[str, Any]:
        """The bundle, or {} where it failed; a bundle over its budget is a failure."""
        return self._post("/context", body, name=name, expected=200, fresh=fresh)

    def _post(
        self, path: str, body: dict[str, Any], *, name: str, expected: int, fresh: bool = False
    ) -> dict[str, Any]:
        headers = {**self.key, **({"Cache-Control": "no-cache"} if fresh else {})}
        with self.client.post(
            path, json=body, headers=headers, name=name, catch_response=True
        ) as response:
            if response.status_code != expected:
                response.failure(
                    f"{response.status_code}: {str(response.text or response.error)[:200]}"
                )
                return {}
            answer: dict[str, Any] = response.json()
            facts = answer.get("metadata") or {}
            if facts.get("total_tokens", 0) > facts.get("budget_tokens", 0):
                response.failure(f"over budget: {facts['total_tokens']}")
            return answer
