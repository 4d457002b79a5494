"""How tests import a file, and look at what came in."""

from typing import Any

from httpx import AsyncClient

NOTHING = {"conversations": 0, "messages": 0, "duplicates": 0, "rejected": []}


async def imported(client: AsyncClient, file: bytes, **parameters: str) -> dict[str, Any]:
    answer = await client.post("/import", content=file, params=parameters)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def said(client: AsyncClient, user_id: str) -> list[list[tuple[Any, ...]]]:
    """Of each conversation of a user, oldest first, who said what and when."""
    listed = (await client.get("/conversations", params={"user_id": user_id})).json()["items"]
    found = []
    for each in reversed(listed):
        page = (await client.get(f"/conversations/{each['id']}/messages")).json()["items"]
        found.append([(m["role"], m["content"], m["created_at"]) for m in page])
    return found
