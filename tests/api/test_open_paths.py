"""What callers cost before it is known who they are, and what they are told of others."""

from typing import Any

from app.settings import KeySettings, LimitSettings, ServerSettings, Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.speaking import Json, get, problem, store, talking_to

UNKNOWN = "fwd_" + "x" * 43


def changed(settings: Settings, **sections: Any) -> Settings:
    return settings.model_copy(update=sections)


async def points(client: Any) -> int:
    parts: Json = (await get(client, "/readyz"))["parts"]
    assert 'foreword_part_up{part="vectors"}' in (await client.get("/metrics")).text
    return int(parts["vectors"]["points"])


async def test_what_waits_and_what_is_there_is_told_as_it_is(embedded: Settings) -> None:
    async with talking_to(changed(embedded, server=ServerSettings(look_s=60))) as client:
        assert await points(client) == 0
        answer = await client.post(
            "/conversations?wait=indexed", json={"messages": [{"role": "user", "content": "tea"}]}
        )
        assert answer.status_code == 201
        assert await points(client) == 1


async def test_an_address_may_present_so_many_keys_that_are_none(embedded: Settings) -> None:
    limits = LimitSettings(guesses_per_s=0.001, guesses=3)
    slow = changed(embedded, limits=limits, keys=KeySettings(remembered_s=0.001))
    (_, known), (_, new) = await a_key(slow), await a_key(slow)
    async with (
        the_service(slow) as app,
        a_caller(app, UNKNOWN, address="10.0.0.1") as guesser,
        a_caller(app, known, address="10.0.0.1") as beside,
        a_caller(app, new, address="10.0.0.1") as late,
        a_caller(app, UNKNOWN, address="10.0.0.2") as other,
    ):
        assert [(await beside.get("/conversations")).status_code for _ in range(9)] == [200] * 9
        for _ in range(3):
            problem(await guesser.get("/conversations"), 401, "not-authenticated")
        refused = await guesser.get("/conversations")
        document = problem(refused, 429, "too-many-guesses")
        assert refused.headers["retry-after"] == str(document["retry_after_s"])
        assert (await late.get("/conversations")).status_code == 200
        problem(await guesser.get("/conversations"), 429, "too-many-guesses")
        assert (await beside.get("/conversations")).status_code == 200
        assert (await guesser.get("/healthz")).status_code == 200
        problem(await other.get("/conversations"), 401, "not-authenticated")


async def test_what_tells_of_other_tenants_is_for_the_operator(embedded: Settings) -> None:
    run = changed(embedded, keys=KeySettings(operator_tenant="ours"))
    (_, ours), (_, theirs) = [await a_key(run, each, EVERYTHING) for each in ("ours", "theirs")]
    async with (
        the_service(run) as app,
        a_caller(app, ours) as operator,
        a_caller(app, theirs) as tenant,
    ):
        await store(operator, "Tea is at four.", "Coffee is at three.")
        await store(tenant, "Milk is in the fridge.")
        told, all_told = [await get(each, "/memory/debug/stats") for each in (tenant, operator)]
    assert (told["vectors"], told["index_sizes"], told["messages"]) == (1, {}, 1)
    assert (told["index_lag"], told["index_lag_seconds"], told["dead_letters"]) == (0, 0.0, 0)
    assert all_told["vectors"] == 3
    assert all_told["index_sizes"]["messages"] > 0


async def test_sizes_are_counted_once_a_minute(embedded: Settings) -> None:
    async with talking_to(embedded) as client:
        before = await get(client, "/memory/debug/stats")
        await store(client, *(f"{n} {'tea ' * 2_000}" for n in range(20)))
        after = await get(client, "/memory/debug/stats")
    assert after["messages"] == 20
    assert after["index_sizes"] == before["index_sizes"]
