"""Jobs are a tenant's own, or of the whole service; those are for whoever operates it."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from httpx import AsyncClient, Response

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.ids import ConversationKey, TenantId
from app.domain.keys import tenant_named
from app.domain.periods import Period, span_of
from app.settings import KeySettings, Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.speaking import Json, get, problem, store

OF_THE_SERVICE: list[tuple[str, Json]] = [
    ("/admin/reindex", {"projection": "vectors"}),
    ("/admin/reembed", {}),
    ("/admin/doctor", {"fix": True}),
    ("/admin/backup", {}),
]


async def ended(client: AsyncClient, path: str, **body: object) -> Json:
    answer = await client.post(path, json=body)
    assert answer.status_code == 202, answer.text
    told: Json = answer.json()
    while told["status"] == "running":
        await asyncio.sleep(0.02)
        told = await get(client, f"/jobs/{told['id']}")
    return told


async def listed(client: AsyncClient) -> list[str]:
    return [each["kind"] for each in (await get(client, "/jobs"))["items"]]


def without_ids(answer: Response, *ids: str) -> str:
    """What a refusal says, apart from the names that the caller gave."""
    said = answer.text
    for each in (answer.json()["request_id"], *ids):
        said = said.replace(each, "…")
    return said


async def test_a_tenant_sees_its_own_jobs_only(embedded: Settings) -> None:
    _, acme_key = await a_key(embedded, "acme", scopes=EVERYTHING)
    _, other_key = await a_key(embedded, "other", scopes=EVERYTHING)
    async with (
        the_service(embedded) as app,
        a_caller(app, acme_key) as acme,
        a_caller(app, other_key) as other,
    ):
        await store(acme, "hello")
        pruned = await ended(acme, "/admin/prune", after_days=1e-9)
        await ended(other, "/admin/retry-dead-letters")

        assert pruned["facts"]["conversations"] == 1
        assert await listed(acme) == ["prune"]
        assert await listed(other) == ["retry"]
        unseen = f"/jobs/{pruned['id']}"
        assert (await acme.get(unseen)).status_code == 200
        problem(await other.get(unseen), 404, "job-not-found")
        problem(await other.post(f"{unseen}/retry"), 404, "job-not-found")
        assert (await acme.post(f"{unseen}/retry")).status_code == 202


async def test_what_concerns_every_tenant_is_the_operators(embedded: Settings) -> None:
    chosen = embedded.model_copy(update={"keys": KeySettings(operator_tenant="ops")})
    _, acme_key = await a_key(embedded, "acme", scopes=EVERYTHING)
    _, ops_key = await a_key(embedded, "ops", scopes=EVERYTHING)
    _, weak_key = await a_key(embedded, "ops")
    async with (
        the_service(chosen) as app,
        a_caller(app, acme_key) as acme,
        a_caller(app, ops_key) as ops,
        a_caller(app, weak_key) as weak,
    ):
        before = [await acme.post(path, json=body) for path, body in OF_THE_SERVICE]
        done = [await ended(ops, path, **body) for path, body in OF_THE_SERVICE]
        after = [await acme.post(path, json=body) for path, body in OF_THE_SERVICE]
        unshaped = await acme.post("/admin/reindex", json={"projection": "moon"})

        for answer in (*before, *after, unshaped):
            problem(answer, 403, "operator-needed")
        assert [without_ids(each) for each in before] == [without_ids(each) for each in after]
        assert without_ids(unshaped) == without_ids(before[0])
        problem(await weak.post("/admin/doctor", json={}), 403, "not-permitted")
        assert [each["status"] for each in done] == ["done"] * 4

        theirs, none = done[-1]["id"], str(uuid4())
        assert theirs in {each["id"] for each in (await get(ops, "/jobs"))["items"]}
        assert await listed(acme) == []
        assert [(await get(each, "/jobs"))["operator"] for each in (ops, acme)] == [True, False]
        for ask, path in ((acme.get, "/jobs/{}"), (acme.post, "/jobs/{}/retry")):
            seen, unseen = await ask(path.format(theirs)), await ask(path.format(none))
            problem(seen, 404, "job-not-found")
            assert without_ids(seen, theirs) == without_ids(unseen, none)
        assert (await ops.post(f"/jobs/{theirs}/retry")).status_code == 202


async def test_no_key_is_an_operators_unless_a_setting_says_so(embedded: Settings) -> None:
    async with the_service(embedded) as app, a_caller(app) as here:
        assert (await ended(here, "/admin/doctor"))["facts"]["sound"]
        _, key = await a_key(embedded, "local", scopes=EVERYTHING)
        async with a_caller(app, key) as local:
            refused = await local.post("/admin/doctor", json={})
        told = problem(refused, 403, "operator-needed")
    assert "FOREWORD_KEYS__OPERATOR_TENANT" in told["detail"]


async def put_off(settings: Settings, tenant: TenantId) -> None:
    """As a worker leaves for tomorrow what failed, beside the service: all talk, and one week."""
    database = open_database(settings.database_url)
    store, now = SqlStore(database), datetime.now(UTC)
    tomorrow = now + timedelta(days=1)
    try:
        async with store.write(tenant) as transaction:
            scope = await transaction.scopes.ensure("alice", now=now)
            week = span_of(Period.WEEK, datetime(2020, 1, 8, tzinfo=UTC))
            await transaction.periods.note(scope.key, [week], now=now)
        async with store.project() as projections:
            await projections.distil_anew(after=ConversationKey(0), limit=9, now=now)
            talk = await projections.claim_conversations(now=now, limit=9, lease=60)
            await projections.leave_conversations(talk, due_at=tomorrow, error="no")
            weeks = await projections.claim_periods(now=now, limit=9, lease=60)
            await projections.leave_periods(weeks, due_at=tomorrow, error="no")
    finally:
        await database.dispose()


async def test_what_waits_for_the_workers_is_told_of_ones_own_tenant_only(
    embedded: Settings,
) -> None:
    chosen = embedded.model_copy(update={"keys": KeySettings(operator_tenant="ops")})
    keys = [(await a_key(embedded, each, scopes=EVERYTHING))[1] for each in ("acme", "other")]
    _, ops_key = await a_key(embedded, "ops", scopes=EVERYTHING)
    async with the_service(chosen) as app, a_caller(app, keys[0]) as acme:
        await store(acme, "hello")
    await put_off(embedded, tenant_named("acme"))
    async with the_service(chosen) as app:
        told = []
        for key in (*keys, ops_key):
            async with a_caller(app, key) as caller:
                told.append((await get(caller, "/jobs"))["waiting"])
    waits = {"indexing": 0, "conversations": 1, "periods": 1}
    assert told == [waits, dict.fromkeys(waits, 0), waits]
