"""Looking after a service that runs: making indexes anew, and the doctor."""

import asyncio

from httpx import AsyncClient, Response

from tests.api.speaking import Json, contents, context, get, problem, search, store

HUGIN = "The name of the build machine is Hugin."
TOMATOES = "Tomatoes grow well in the greenhouse."
QUERY = "build machine"


async def job(client: AsyncClient, path: str, **body: object) -> Json:
    """What became of a job."""
    return await settled(client, await client.post(path, json=body))


async def settled(client: AsyncClient, begun: Response) -> Json:
    """The job that an answer tells, once it has ended."""
    assert begun.status_code == 202, begun.text
    told: Json = begun.json()
    while told["status"] == "running":
        await asyncio.sleep(0.02)
        told = await get(client, f"/jobs/{told['id']}")
    return told


async def test_vectors_are_made_anew_without_embedding_again(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES)
    before = await get(client, "/memory/debug/stats")

    done = await job(client, "/admin/reindex", projection="vectors")

    assert (done["status"], done["facts"]) == ("done", {"index": "vectors", "items": 2})
    assert done["progress"] == {"done": 2, "total": 2}
    assert (await get(client, "/memory/debug/stats"))["vectors"] == before["vectors"]
    found = await context(client, QUERY)
    assert found["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]


async def test_without_a_name_every_index_is_made_anew(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES)

    done = await job(client, "/admin/reindex")

    assert (done["status"], done["facts"]) == ("done", {"index": "fts, vectors, graph", "items": 5})
    found = await context(client, QUERY)
    assert found["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]


async def test_full_text_is_made_anew(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES)

    done = await job(client, "/admin/reindex", projection="fts")

    assert (done["status"], done["error"]) == ("done", None)
    assert done["facts"]["items"] > 0
    bundle = await context(client, QUERY)
    assert bundle["metadata"]["degraded"] == []
    assert contents(bundle) == [HUGIN]
    assert (await job(client, "/admin/doctor"))["facts"]["sound"]


async def test_everything_is_embedded_anew(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES)
    done = await job(client, "/admin/reembed")
    assert (done["status"], done["facts"]) == ("done", {"index": "embeddings", "items": 2})
    assert (await job(client, "/admin/doctor"))["facts"]["sound"]
    assert contents(await search(client, QUERY))[0] == HUGIN


async def test_a_doctor_finds_nothing_where_all_is_well(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES, user_id="alice")
    gone = await store(client, HUGIN, user_id="bob")
    await client.delete(f"/conversations/{gone['id']}")
    await context(client, QUERY, user_id="alice")

    told = (await job(client, "/admin/doctor"))["facts"]

    assert told["findings"] == []
    assert told["sound"]
    assert {"integrity", "full_text", "embeddings", "vectors", "outbox"} <= set(told["checks"])


async def test_jobs_are_listed_newest_first(client: AsyncClient) -> None:
    first = await job(client, "/admin/doctor")
    second = await job(client, f"/jobs/{first['id']}/retry")
    listed = await get(client, "/jobs")
    assert [each["id"] for each in listed["items"]] == [second["id"], first["id"]]
    assert listed["dead_letters"] == 0


async def test_work_of_which_nothing_is_said_needs_no_body(alone: AsyncClient) -> None:
    await store(alone, HUGIN)
    for path, told in (("/admin/reindex", {"items": 3}), ("/admin/doctor", {"sound": True})):
        done = await settled(alone, await alone.post(path))
        assert told.items() <= done["facts"].items()


async def test_jobs_and_lineages_come_in_pages_as_other_lists_do(alone: AsyncClient) -> None:
    stored = await store(alone, HUGIN, TOMATOES)
    summary = await alone.post(f"/conversations/{stored['id']}/summaries")
    for _ in range(2):
        await job(alone, "/admin/doctor")
    for path in ("/jobs", f"/memories/{summary.json()['id']}/lineage"):
        whole = await get(alone, path)
        first = await get(alone, path, limit=1)
        second = await get(alone, path, limit=1, cursor=first["next_cursor"])
        assert [*first["items"], *second["items"]] == whole["items"]
        assert (whole["next_cursor"], second["next_cursor"]) == (None, None)
        strange = await alone.get(path, params={"cursor": "x"})
        problem(strange, 422, "invalid-cursor")


async def test_one_of_a_kind_runs_at_a_time(alone: AsyncClient) -> None:
    await store(alone, HUGIN)
    first = await alone.post("/admin/reindex", json={"projection": "vectors"})
    second = await alone.post("/admin/reindex", json={"projection": "fts"})
    document = problem(second, 409, "job-running")
    assert document["job_id"] == first.json()["id"]


async def test_an_unknown_job_and_an_unknown_projection_are_told_as_such(
    alone: AsyncClient,
) -> None:
    nobody = "019a0000-0000-7000-8000-000000000000"
    problem(await alone.get(f"/jobs/{nobody}"), 404, "job-not-found")
    problem(await alone.post(f"/jobs/{nobody}/retry"), 404, "job-not-found")
    answer = await alone.post("/admin/reindex", json={"projection": "moon"})
    problem(answer, 422, "invalid-request")


async def test_a_backup_is_written_beside_the_data(client: AsyncClient) -> None:
    await store(client, HUGIN, TOMATOES)
    done = await job(client, "/admin/backup")
    assert done["status"] == "done"
    assert done["facts"]["rows"]["message"] == 2
    assert done["facts"]["file"].endswith("Z.zip")


async def test_pruning_is_a_dry_run_unless_somebody_says_otherwise(client: AsyncClient) -> None:
    await store(client, HUGIN, created_at="2001-01-01T00:00:00Z")
    await store(client, TOMATOES, importance=10)
    await asyncio.sleep(0.05)
    day_of_milliseconds = 0.001 / 86_400

    recent = (await job(client, "/admin/prune", after_days=1))["facts"]
    told = (await job(client, "/admin/prune", after_days=day_of_milliseconds))["facts"]
    before = await get(client, "/conversations")
    done = (await job(client, "/admin/prune", after_days=day_of_milliseconds, dry_run=False))[
        "facts"
    ]
    after = await get(client, "/conversations")

    assert (recent["conversations"], recent["dry_run"]) == (0, True)
    assert (told["conversations"], told["messages"], told["dry_run"]) == (1, 1, True)
    assert len(before["items"]) == 2
    assert (done["conversations"], done["remaining"], done["dry_run"]) == (1, 0, False)
    assert [each["importance"] for each in after["items"]] == [10]
    problem(await client.post("/admin/prune", json={"after_days": 0}), 422, "invalid-request")
    assert (await job(client, "/admin/doctor"))["facts"]["sound"]
