"""Someone brings a history: long conversations, one after another, faster than they are indexed."""

from locust import between, task

from loadtests.scenarios import corpus
from loadtests.scenarios.memory_user import MemoryUser

SHORTEST, LONGEST = 50, 200


class ImportBurst(MemoryUser):
    wait_time = between(0.5, 1.5)

    @task
    def bring(self) -> None:
        count = self.rng.randint(SHORTEST, LONGEST)
        answer = self.store(
            "/conversations",
            corpus.conversation(self.rng, self.user_id, count),
            name=f"POST /conversations [{SHORTEST}-{LONGEST} messages]",
        )
        stored = answer.get("message_count", count)
        if stored != count:
            raise ValueError(f"sent {count} messages, {stored} were stored")
