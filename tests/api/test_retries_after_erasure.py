"""What a retry under an idempotency key sees after what it stored was erased."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import erase, get, problem, said

KEY = {"Idempotency-Key": "k1"}
REPLAYED = "idempotency-replayed"
CONVERSATION = {"user_id": "alice", "external_id": "chat", "messages": [said("Tea is good.")]}
MORE = {"messages": [said("So is milk.")]}


@pytest.mark.parametrize("whole_user", [False, True])
async def test_a_retry_after_an_erasure_is_stored_anew(
    client: AsyncClient, *, whole_user: bool
) -> None:
    first = (await client.post("/conversations", json=CONVERSATION, headers=KEY)).json()
    path = f"/conversations/{first['id']}"
    assert (await client.post(f"{path}/messages", json=MORE, headers=KEY)).status_code == 201
    assert (await client.post(f"{path}/summaries", headers=KEY)).status_code == 201
    await erase(client, "/users/alice" if whole_user else path)

    for part, body in (("messages", MORE), ("summaries", None)):
        late = await client.post(f"{path}/{part}", json=body, headers=KEY)
        problem(late, 404, "conversation-not-found")
    again = await client.post("/conversations", json=CONVERSATION, headers=KEY)

    assert (again.status_code, REPLAYED in again.headers) == (201, False)
    assert again.json()["id"] != first["id"]
    (kept,) = (await get(client, "/conversations", user_id="alice"))["items"]
    assert (kept["id"], kept["message_count"]) == (again.json()["id"], 1)


async def test_of_an_erased_user_no_memory_is_answered_again(client: AsyncClient) -> None:
    fact = {"type": "fact", "content": "Alice drinks tea.", "user_id": "alice"}
    first = (await client.post("/memories", json=fact, headers=KEY)).json()
    await erase(client, "/users/alice")

    again = await client.post("/memories", json=fact, headers=KEY)

    assert (again.status_code, REPLAYED in again.headers) == (201, False)
    assert again.json()["id"] != first["id"]


async def test_a_retry_brings_no_deleted_message_back(client: AsyncClient) -> None:
    first = await client.post("/conversations", json=CONVERSATION, headers=KEY)
    await erase(client, f"/messages/{first.json()['message_ids'][0]}")

    again = await client.post("/conversations", json=CONVERSATION, headers=KEY)

    assert (again.json(), REPLAYED in again.headers) == (first.json(), True)
    assert (await get(client, f"/conversations/{first.json()['id']}/messages"))["items"] == []


async def test_what_is_summed_up_anew_is_told_to_who_asks_again(client: AsyncClient) -> None:
    said_first = "We decided that the vault moves to Oslo, where the rent is half of ours."
    messages = [said(said_first), said("We decided on PostgreSQL for the ledger of the vault.")]
    body = {"user_id": "alice", "messages": messages * 3}
    stored = (await client.post("/conversations", json=body)).json()
    path = f"/conversations/{stored['id']}/summaries"
    first = await client.post(path, headers=KEY)
    assert (first.status_code, "Oslo" in first.json()["content"]) == (201, True)
    for at in (0, 2, 4):
        await erase(client, f"/messages/{stored['message_ids'][at]}")
    for _ in range(2):
        again = await client.post(path, headers=KEY)
        assert (again.status_code, "Oslo" in again.json()["content"]) == (201, False)
    assert REPLAYED in again.headers


async def test_others_are_answered_as_before(client: AsyncClient) -> None:
    first = await client.post("/conversations", json=CONVERSATION, headers=KEY)
    other = {**CONVERSATION, "external_id": "other"}
    second = await client.post("/conversations", json=other, headers={"Idempotency-Key": "k2"})
    await erase(client, f"/conversations/{second.json()['id']}")

    again = await client.post("/conversations", json=CONVERSATION, headers=KEY)

    assert (again.json(), REPLAYED in again.headers) == (first.json(), True)
