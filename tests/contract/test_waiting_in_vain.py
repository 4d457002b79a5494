"""`?wait=indexed` of what indexing gives up: it is stored, and nobody says that it is indexed."""

from app.ports.store import Store
from tests.api.speaking import said
from tests.fakes import Memory
from tests.over_memory import talking_over

INDEXED, ONCE = {"wait": "indexed"}, {"Idempotency-Key": "1"}
GIVEN_UP = "/problems/indexing-given-up"


async def test_it_is_told_at_once_and_what_others_store_is_not_held_up(store: Store) -> None:
    memory = Memory(store)
    memory.embedder.poison = "poison"
    body = {"external_id": "chat", "messages": [said("A poison.", external_id="m1")]}
    fact = {"type": "fact", "content": "It is a poison."}
    async with talking_over(memory) as client:
        stored = (await client.post("/conversations", json=body)).json()
        await client.post("/memories", json=fact, headers=ONCE)
        for _ in range(10):
            await memory.index()
            memory.clock.forward(3_600)
        again = await client.post("/conversations", params=INDEXED, json=body)
        item = await client.post("/memories", params=INDEXED, json=fact, headers=ONCE)
        memory.embedder.poison = None
        other = await client.post("/conversations", json={"messages": [said("Tea.")]})
        await memory.index()
        waited = await client.post(
            f"/conversations/{other.json()['id']}/messages",
            params=INDEXED,
            json={"messages": [said("Tea.")]},
        )
    assert (item.status_code, item.json()["type"]) == (503, GIVEN_UP)
    told = again.json()
    assert (again.status_code, told["type"]) == (503, GIVEN_UP)
    assert {name: told[name] for name in ("id", "message_ids", "indexed", "dead_letters")} == {
        "id": stored["id"],
        "message_ids": stored["message_ids"],
        "indexed": False,
        "dead_letters": 1,
    }
    assert (waited.status_code, waited.json()["indexed"]) == (201, True)
