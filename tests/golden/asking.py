"""Every golden question, asked of the real application that holds the golden conversations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from httpx import AsyncClient

from tests.api.speaking import Json, context, settled, store_soon

KEPT = 10
"""Distinct messages of a bundle that count, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, the messages that answer it, and those its bundle began with, best first."""

    question: str
    user: str
    category: str
    language: str
    evidence: frozenset[str]
    found: Sequence[str]
    sufficient: bool

    @property
    def recall(self) -> float:
        """The share of the evidence that was found."""
        return len(self.evidence.intersection(self.found)) / len(self.evidence)

    @property
    def reciprocal_rank(self) -> float:
        """1 / rank of the first evidence, 0 if none was found."""
        ranks = (at for at, each in enumerate(self.found, start=1) if each in self.evidence)
        first = next(ranks, None)
        return 1 / first if first else 0.0

    @property
    def declined(self) -> bool:
        """Whether the answer is: memory holds nothing about that."""
        return not self.found or not self.sufficient


async def store_all(client: AsyncClient, golden: Json) -> None:
    for memory in golden["conversations"]:
        for session in memory["sessions"]:
            messages = [_message(each) for each in session["messages"]]
            await store_soon(
                client,
                *messages,
                external_id=session["id"],
                label=session["label"],
                user_id=memory["id"],
                created_at=session["date"],
            )
    await settled(client, at_most=180)


async def ask_all(client: AsyncClient, golden: Json) -> list[Asked]:
    return [await _ask(client, question) for question in golden["questions"]]


async def ask_densely(client: AsyncClient, golden: Json, *, category: str) -> list[Asked]:
    """The questions of one category, asked of vectors alone."""
    (await client.put("/flags", json={"hybrid": False})).raise_for_status()
    chosen = [each for each in golden["questions"] if each["category"] == category]
    return [await _ask(client, question) for question in chosen]


async def _ask(client: AsyncClient, question: Json) -> Asked:
    user = question["conv_id"]
    bundle = await context(client, question["question"], user_id=user, as_of=question["as_of"])
    asked = asked_of(
        bundle,
        user=user,
        category=question["category"],
        evidence=question["evidence_message_ids"],
    )
    return replace(asked, language=question["language"])


def asked_of(bundle: Json, *, user: str, category: str, evidence: Sequence[str]) -> Asked:
    """What the question of a bundle found."""
    return Asked(
        question=bundle["query"],
        user=user,
        category=category,
        language="en",
        evidence=frozenset(evidence),
        found=_sources(bundle)[:KEPT],
        sufficient=bundle["metadata"]["sufficient"],
    )


def _sources(bundle: Json) -> list[str]:
    """The distinct messages that a bundle's messages and chunks come from, best first."""
    items = (each for each in bundle["retrieved_memories"] if each["type"] in {"message", "chunk"})
    return list(dict.fromkeys(edge["external_id"] for item in items for edge in item["lineage"]))


def _message(message: Json) -> Json:
    return {
        "external_id": message["id"],
        "role": message["role"],
        "name": message["speaker"],
        "content": message["text"],
        "created_at": message["timestamp"],
    }
