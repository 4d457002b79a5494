"""However much was said, no line of an export is too long to be imported."""

import json

from httpx import AsyncClient

from tests.api.importing import NOTHING, imported


async def test_what_is_large_is_told_in_several_lines(client: AsyncClient) -> None:
    off = {"facts": False, "summaries": False, "graph": False}
    assert (await client.put("/flags", json=off)).status_code == 200
    for count in (10, 5, 5, 1):
        large = {"role": "user", "metadata": {"x": "y" * 10**6}}
        said = [{**large, "content": f"Report {each} is late."} for each in range(count)]
        body = {"user_id": "alice", "messages": said}
        assert (await client.post("/conversations", json=body)).status_code == 201

    file = (await client.get("/export", params={"user_id": "alice"})).content

    lines = file.splitlines()
    counted = [len(json.loads(each)["messages"]) for each in lines[1:]]
    assert counted == [8, 2, 5, 5, 1]
    assert max(map(len, lines)) < 9 * 2**20
    told = await imported(client, file, user_id="bob")
    assert told == {**NOTHING, "conversations": 4, "messages": 21}
