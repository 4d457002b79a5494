"""Readers of many users: mostly fresh contexts, a few cached, now and then the debugger."""

from urllib.parse import urlencode

from locust import between, task

from loadtests.scenarios import corpus
from loadtests.scenarios.memory_user import MemoryUser

# Each reader brings this much to read, so 8 readers make 24 users with 1,440 messages.
USERS_PER_READER = 3
CONVERSATIONS = 3
MESSAGES = 20
BUDGET_TOKENS = 4_000

_owners: list[str] = []


class ReadHeavy(MemoryUser):
    wait_time = between(0.05, 0.2)

    def on_start(self) -> None:
        """Store what will be read; every reader reads what all of them have stored."""
        for number in range(USERS_PER_READER):
            owner = f"{self.user_id}-{number}"
            for _ in range(CONVERSATIONS):
                self.store(
                    "/conversations",
                    corpus.conversation(self.rng, owner, MESSAGES),
                    name="POST /conversations [to be read]",
                )
            _owners.append(owner)
        # Always the same request, so all but the first after a write come from the cache.
        self.usual = self._question()

    @task(20)
    def fresh(self) -> None:
        self.ask(self._question(), name="POST /context [no-cache]", fresh=True)

    @task(4)
    def cached(self) -> None:
        self.ask(self.usual, name="POST /context [cached]", fresh=False)

    @task(1)
    def look_inside(self) -> None:
        asked = {"q": corpus.asked(self.rng), "user_id": self.rng.choice(_owners)}
        self.client.get(
            f"/memory/debug/retrieval?{urlencode(asked)}",
            headers=self.key,
            name="GET /memory/debug/retrieval",
        )

    def _question(self) -> dict[str, object]:
        return {
            "query": corpus.asked(self.rng),
            "user_id": self.rng.choice(_owners),
            "budget_tokens": BUDGET_TOKENS,
        }
