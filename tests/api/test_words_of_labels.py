"""What a conversation is about may stand in its label alone."""

from httpx import AsyncClient

from tests.api.speaking import contents, context, store

KICKOFFS = {
    "Project Atlas kickoff": (
        "The deadline is the end of March.",
        "Nadia leads it.",
        "40k at most.",
    ),
    "Project Beacon kickoff": (
        "The deadline is the 20th of May.",
        "Igor leads it.",
        "15k for now.",
    ),
}


async def test_the_label_tells_which_is_asked_about(client: AsyncClient) -> None:
    for label, said in KICKOFFS.items():
        await store(client, *said, label=label)

    for query, answer in {
        "When is the deadline of Beacon?": "The deadline is the 20th of May.",
        "When is the deadline of Atlas?": "The deadline is the end of March.",
        "Who leads project Beacon?": "Igor leads it.",
        "Who leads project Atlas?": "Nadia leads it.",
    }.items():
        found = contents(await context(client, query))
        assert found[0] == answer


async def test_what_is_said_under_a_label_tells_of_what_it_names(client: AsyncClient) -> None:
    for label, said in KICKOFFS.items():
        await store(client, *said, label=label)

    told = {
        "When is the deadline of Beacon?": True,
        "Who leads Atlas?": True,
        "When is the deadline of Project Comet?": False,
    }
    for query, sufficient in told.items():
        assert (await context(client, query))["metadata"]["sufficient"] is sufficient


async def test_somebody_under_the_label_of_a_chat_may_be_another(client: AsyncClient) -> None:
    told = [
        {"role": "user", "name": "Tom", "content": "Ben is a vegetarian."},
        {"role": "user", "name": "Tom", "content": "We met at school."},
    ]
    await store(client, *told, label="Chat with Maria")

    query = "Is Maria a vegetarian?"

    assert not (await context(client, query))["metadata"]["sufficient"]


async def test_a_label_that_is_changed_is_heeded_at_once(client: AsyncClient) -> None:
    ids = [(await store(client, *said, label="Kickoff"))["id"] for said in KICKOFFS.values()]
    for conversation, label in zip(ids, reversed(KICKOFFS), strict=True):
        changed = await client.patch(f"/conversations/{conversation}", json={"label": label})
        assert changed.status_code == 200

    assert contents(await context(client, "Who leads Beacon?"))[0] == "Nadia leads it."


async def test_vectors_alone_heed_no_words(client: AsyncClient) -> None:
    await client.put("/flags", json={"hybrid": False})
    for label, said in KICKOFFS.items():
        await store(client, *said, label=label, user_id="with")
        await store(client, *said, user_id="without")

    query = "When is the deadline of Beacon?"
    with_labels, without = [
        await context(client, query, user_id=user, as_of="2030-01-01T00:00:00Z")
        for user in ("with", "without")
    ]
    assert contents(with_labels) == contents(without)
