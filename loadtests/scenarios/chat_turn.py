"""An agent in the middle of a chat: asks for context, answers, and stores the turn."""

from locust import between, task

from loadtests.scenarios import corpus
from loadtests.scenarios.memory_user import MemoryUser

# After so many turns the chat ends and another begins; memories of the first stay.
TURNS = 20
BUDGET_TOKENS = 2_000


class ChatTurn(MemoryUser):
    """One POST /context with the running conversation and one write of two messages per turn."""

    wait_time = between(0.2, 1.0)
    conversation_id: str | None = None
    turns = 0

    @task
    def turn(self) -> None:
        if self.conversation_id is None and not self._begin():
            return
        question = corpus.asked(self.rng)
        self.ask(
            {
                "query": question,
                "user_id": self.user_id,
                "conversation_id": self.conversation_id,
                "budget_tokens": BUDGET_TOKENS,
            },
            name="POST /context [running chat]",
            fresh=False,
        )
        self._store(question, corpus.said(self.rng))

    def _begin(self) -> bool:
        answer = self.store(
            "/conversations",
            corpus.conversation(self.rng, self.user_id, 2),
            name="POST /conversations [2 messages]",
        )
        self.conversation_id, self.turns = answer.get("id"), 0
        return bool(answer)

    def _store(self, question: str, reply: str) -> None:
        self.store(
            f"/conversations/{self.conversation_id}/messages",
            {
                "messages": [
                    {"role": "user", "content": question},
                    {"role": "assistant", "content": reply},
                ]
            },
            name="POST /conversations/{id}/messages",
        )
        self.turns += 1
        if self.turns >= TURNS:
            self.conversation_id = None
