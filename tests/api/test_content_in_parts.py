"""A message whose content is a list of parts, as models take them."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, get, problem, said, store

PARTS: list[list[Json]] = [
    [{"type": "text", "text": "My cat is called Schnitzel."}],
    [{"type": "text", "text": "My cat"}, {"type": "image_url", "image_url": {"url": "data:,"}}],
    [],
]
SAID = "; lists of parts, as models take them, are read by POST /import and by the proxy (/v1)"


@pytest.mark.parametrize("parts", PARTS)
async def test_it_is_refused_with_a_word_on_what_reads_it(
    alone: AsyncClient, parts: list[Json]
) -> None:
    body = {"messages": [said("Hello."), {"role": "user", "content": parts}]}
    known = await store(alone, "Hello.")
    for path in ("/conversations", f"/conversations/{known['id']}/messages"):
        told = problem(await alone.post(path, json=body), 422, "invalid-request")
        assert told["errors"] == [
            {
                "pointer": "#/messages/1/content",
                "detail": f"Input should be a valid string{SAID}",
            }
        ]
    assert len((await get(alone, "/conversations"))["items"]) == 1


async def test_the_import_reads_it(alone: AsyncClient) -> None:
    answer = await alone.post("/import", json=[{"role": "user", "content": PARTS[0]}])

    assert answer.json()["messages"] == 1
    (conversation,) = (await get(alone, "/conversations"))["items"]
    (message,) = (await get(alone, f"/conversations/{conversation['id']}/messages"))["items"]
    assert message["content"] == "My cat is called Schnitzel."


async def test_other_content_that_is_no_text_is_refused_as_before(alone: AsyncClient) -> None:
    for path, body in (
        ("/memories", {"type": "fact", "content": PARTS[0]}),
        ("/conversations", {"messages": [{"role": "user", "content": {"text": "x"}}]}),
    ):
        told = problem(await alone.post(path, json=body), 422, "invalid-request")
        assert [each["detail"] for each in told["errors"]] == ["Input should be a valid string"]
