"""Messages too long for a bundle: what is asked for is brought back, not the rest."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from app.adapters.tokenizer import BpeTokenCounter
from app.settings import Settings
from loadtests.needles import LENGTHS, haystacks
from tests.api.speaking import (
    contents,
    context,
    distilling_nothing,
    erase,
    get,
    said,
    search,
    store,
    talking_to,
)

COUNT = BpeTokenCounter().count
NEEDLE = "Ingeborg keeps the spare key of the observatory under the third flowerpot."
CODE = "```python\ndef open_dome(angle):\n    return motor.turn(angle, speed=3)\n```"


@pytest.fixture
async def client(client: AsyncClient) -> AsyncClient:
    return await distilling_nothing(client)


def diary(tokens: int) -> list[str]:
    """Paragraphs of everyday matters, about so many tokens."""
    (hay, *_) = (each for each in haystacks(3) if each.length == LENGTHS[-1])
    text = hay.text
    for needle in hay.needles:
        text = text.replace(needle.sentence, "")
    paragraphs = text.split("\n\n")
    mean = COUNT(text) / len(paragraphs)
    return paragraphs[: int(tokens / mean)]


def with_needle(tokens: int, depth: float, needle: str = NEEDLE) -> str:
    return with_needles(tokens, {depth: needle})


def with_needles(tokens: int, needles: Mapping[float, str]) -> str:
    paragraphs = diary(tokens)
    for depth, needle in sorted(needles.items(), reverse=True):
        paragraphs.insert(int(len(paragraphs) * depth), needle)
    return "\n\n".join(paragraphs)


def pieces_of(bundle: dict[str, Any], message: str) -> list[dict[str, Any]]:
    """What was retrieved, each of which must be a part of the message that it names."""
    items: list[dict[str, Any]] = bundle["retrieved_memories"]
    for item in items:
        if item["type"] == "chunk":
            (edge,) = item["lineage"]
            assert item["content"] == message[edge["start"] : edge["stop"]]
            assert item["tokens"] == COUNT(item["content"])
    return items


AT_EACH_DEPTH = {
    0.02: ("Where is the key of the observatory?", NEEDLE),
    0.5: ("Who mends the clock of the town hall?", "Tobias mends the clock of the town hall."),
    0.98: ("What does the ferry cost?", "The ferry to the island costs eleven crowns a ride."),
}


async def test_needles_in_20000_tokens_are_found_and_returned(client: AsyncClient) -> None:
    needles = {depth: needle for depth, (_, needle) in AT_EACH_DEPTH.items()}
    message = with_needles(20_000, needles)
    assert COUNT(message) > 18_000
    stored = await store(client, said(message, external_id="diary"), "I wrote a diary.")
    for question, needle in AT_EACH_DEPTH.values():
        bundle = await context(client, question, budget_tokens=1_000)
        items = pieces_of(bundle, message)
        assert needle in items[0]["content"]
        assert items[0]["type"] == "chunk"
        (edge,) = items[0]["lineage"]
        assert (edge["kind"], edge["id"]) == ("message", stored["message_ids"][0])
        assert edge["external_id"] == "diary"
        assert bundle["metadata"]["total_tokens"] <= 1_000


async def test_what_does_not_fit_is_shown_with_what_tells_most(client: AsyncClient) -> None:
    paragraphs = diary(200)
    message = " ".join([*paragraphs[:2], NEEDLE, *paragraphs[2:]])
    assert 150 < COUNT(message) <= 300
    stored = await store(client, said(message, external_id="diary"))
    bundle = await context(client, "Where is the key of the observatory?", budget_tokens=100)
    (item,) = bundle["retrieved_memories"]
    assert NEEDLE in item["content"]
    (edge,) = item["lineage"]
    assert item["content"] == message[edge["start"] : edge["stop"]]
    assert (item["type"], item["id"]) == ("message", edge["id"])
    assert edge["id"] == stored["message_ids"][0]
    assert item["tokens"] == COUNT(item["content"]) == bundle["metadata"]["total_tokens"] <= 100
    replayed = await get(client, f"/bundles/{bundle['bundle_id']}")
    assert replayed["retrieved_memories"][0]["content"] == item["content"]
    assert replayed["retrieved_memories"][0]["lineage"] == item["lineage"]


async def test_no_words_are_told_twice(client: AsyncClient) -> None:
    message = with_needle(3_000, 0.5)
    await store(client, message)
    query = "the neighbours, the committee, the choir, the gardener and the observatory"
    bundle = await context(client, query, budget_tokens=16_000, max_items=200, min_score=0.0)
    items = pieces_of(bundle, message)
    assert len(items) > 3
    told = [
        at
        for item in items
        for edge in item["lineage"]
        for at in range(edge["start"], edge["stop"])
    ]
    assert len(told) == len(set(told))
    replayed = await get(client, f"/bundles/{bundle['bundle_id']}")
    assert contents(replayed) == contents(bundle)
    assert [item["tokens"] for item in replayed["retrieved_memories"]] == [
        item["tokens"] for item in items
    ]


async def test_what_a_long_message_begins_with_brings_its_best_chunk(client: AsyncClient) -> None:
    message = with_needle(4_000, 0.0, needle="This is my diary of the year at the lake house.")
    await store(client, message)
    found = await search(client, "the diary of the lake house")
    assert {item["type"] for item in found["results"]} == {"chunk"}
    assert "lake house" in contents(found)[0]


async def test_types_are_what_was_said(client: AsyncClient) -> None:
    message = with_needle(1_500, 0.0)
    await store(client, message, "The observatory has a spare key, Ingeborg says.")
    query = "the spare key of the observatory"
    of_messages = await search(client, query, filters={"types": ["message"]})
    assert {item["type"] for item in of_messages["results"]} == {"message"}
    assert message in contents(of_messages)
    of_chunks = await search(client, query, filters={"types": ["chunk"]})
    assert {item["type"] for item in of_chunks["results"]} == {"chunk"}
    smallest = await search(client, query, filters={"types": ["message", "chunk"]})
    assert contents(smallest) == contents(await search(client, query))
    assert message not in contents(smallest)


async def test_a_pinned_message_is_there_whole_or_with_its_best_chunk(
    client: AsyncClient,
) -> None:
    message = with_needle(1_500, 0.7)
    await store(client, said(message, importance=10), "Something else about keys.")
    query = "Where is the key of the observatory?"
    whole = await context(client, query, budget_tokens=4_000)
    assert message in contents(whole)
    assert sum(NEEDLE in content for content in contents(whole)) == 1
    cut = await context(client, query, budget_tokens=600)
    assert message not in contents(cut)
    assert NEEDLE in contents(cut)[0]
    assert "pinned" in pieces_of(cut, message)[0]["sources"]


async def test_code_in_a_message_is_returned_by_itself(client: AsyncClient) -> None:
    message = f"{' '.join(diary(200))}\n\n{CODE}\n\n{' '.join(diary(150))}"
    await store(client, message)
    bundle = await context(client, "def open_dome(angle)", budget_tokens=1_000)
    assert contents(bundle)[0] == CODE


async def test_the_end_of_the_running_conversation_is_shown_with_its_beginning(
    client: AsyncClient,
) -> None:
    message = with_needle(4_000, 0.8)
    stored = await store(client, "Good morning!", message, "What do you think?")
    bundle = await context(
        client,
        "Where is the key of the observatory?",
        conversation_id=stored["id"],
        budget_tokens=1_500,
    )
    beginning, question = (each["content"] for each in bundle["recent_history"])
    assert question == "What do you think?"
    assert message.startswith(beginning.removesuffix(" […]"))
    assert 500 < COUNT(beginning) <= 750
    assert NEEDLE in contents(bundle)[0]
    shown = len(beginning) - len(" […]")
    for item in pieces_of(bundle, message):
        assert item["lineage"][0]["start"] >= shown
    assert bundle["metadata"]["total_tokens"] <= 1_500
    replayed = await get(client, f"/bundles/{bundle['bundle_id']}")
    assert [each["content"] for each in replayed["recent_history"]] == [beginning, question]


async def test_chunks_of_what_is_in_the_history_are_not_retrieved_again(
    client: AsyncClient,
) -> None:
    message = with_needle(1_000, 0.5)
    stored = await store(client, message)
    bundle = await context(
        client, "Where is the key?", conversation_id=stored["id"], budget_tokens=8_000
    )
    assert [each["content"] for each in bundle["recent_history"]] == [message]
    assert contents(bundle) == []


async def test_an_erasure_counts_chunks(client: AsyncClient) -> None:
    stored = await store(client, with_needle(2_000, 0.5))
    stats = await get(client, "/memory/debug/stats")
    receipt = await erase(client, f"/conversations/{stored['id']}")
    erased, chunks = receipt["erased"], stats["chunks"]
    assert chunks > 5
    assert (erased["messages"], erased["chunks"], erased["full_text"]) == (1, chunks, chunks)
    assert erased["vectors"] == erased["embeddings"] == chunks + 1
    assert receipt["remaining"] == 0


async def test_posting_a_long_message_again_adds_nothing(client: AsyncClient) -> None:
    message = with_needle(2_000, 0.5)
    for _ in range(2):
        await store(client, message, external_id="diary")
    before = await get(client, "/memory/debug/stats")
    again = await store(client, message, external_id="diary")
    assert again["duplicates"] == 1
    assert (await get(client, "/memory/debug/stats"))["chunks"] == before["chunks"]


async def test_lost_vectors_of_chunks_are_healed(embedded: Settings, tmp_path: Path) -> None:
    message = with_needle(3_000, 0.5)
    async with talking_to(embedded) as client:
        await store(client, message)
        vectors = (await get(client, "/readyz"))["parts"]["vectors"]
    for path in sorted((embedded.data_dir / "vectors").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    async with talking_to(embedded) as client:
        await store(client, "one more message")
        found = await search(client, "Where is the key of the observatory?")
        assert NEEDLE in contents(found)[0]
        assert "semantic" in found["results"][0]["sources"]
    assert vectors["status"] == "ok"


async def test_random_text_of_any_kind_is_stored_and_found(client: AsyncClient) -> None:
    chance = random.Random(5)
    kinds = ["没有空格也没有句号的文字", "👩‍👩‍👧 ", "word ", "\r\n\r\n", "```", "x" * 40]
    message = "".join(chance.choice(kinds) for _ in range(2_000)) + NEEDLE
    await store(client, message)
    bundle = await context(client, "the key of the observatory", budget_tokens=1_000)
    assert any(NEEDLE in item["content"] for item in pieces_of(bundle, message))
