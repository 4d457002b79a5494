"""What neighbours do by the other ways into the service: files, MCP, and the proxy."""

from collections.abc import Mapping
from typing import Any

from tests.api.neighbours import TENANTS, USERS, Act, Neighbours, Step, Thing
from tests.api.speaking import Json, said
from tests.exports import chatgpt_conversation, lines_of, spelled

_OF_RPC = {"Accept": "application/json", "MCP-Protocol-Version": "2025-06-18"}


async def bring(self: Neighbours, step: Step) -> None:
    """A file twice, and a look at what is there then."""
    file = await a_file(self, step)
    user = {} if USERS[step.user] is None else {"user_id": USERS[step.user]}
    lines = {"Accept": "application/x-ndjson"} if step.pick % 2 else {}
    sent: Json = {"content": file, "params": user, "headers": lines}
    for _ in range(2):
        answer = await self.ask(step, "POST", "/import", **sent)
        assert answer.status_code == 200, answer.text
    listed = await self.ask(step, "GET", "/conversations", params=user)
    for each in listed.json()["items"][:2]:
        self.conversations.append(Thing(step.tenant, step.user, each["id"]))
        await self.ask(step, "GET", f"/conversations/{each['id']}/messages")


async def a_file(self: Neighbours, step: Step) -> bytes:
    """The same for all; one's own export; or one's own words under others' ids."""
    if step.twist == 0:
        return spelled([chatgpt_conversation()])
    if step.twist in {1, 2}:
        exported = await self.ask(
            step, "GET", "/export", params={"user_id": USERS[step.user] or ""}
        )
        return exported.content
    return under_others_ids(self, step)


def under_others_ids(self: Neighbours, step: Step) -> bytes:
    marker = self.marker(step.tenant, step.user)
    inside = brought(self, step, self.conversations)
    message = brought(self, step, self.messages)
    memory = brought(self, step, self.memories)
    content = f"The dog of {marker} is called {marker}, too."
    told = {"id": message, "created_at": "2024-03-01T10:00:00Z", **said(content, name=marker)}
    conversation = {"record": "conversation", "id": inside, "messages": [told]}
    item = {
        "record": "memory",
        "type": "fact",
        "id": memory,
        "content": content,
        "conversation_id": inside,
        "derived_from": [] if message is None else [message],
    }
    return lines_of({"record": "foreword", "version": 1}, conversation, item)


def brought(self: Neighbours, step: Step, things: list[Thing]) -> str | None:
    """An id of another tenant that this one may have from now on, should it become free."""
    thing = self.any_of([each for each in things if each.tenant != step.tenant], step)
    if thing is None or (step.tenant, thing.id) in self.brought:
        return None
    self.brought[step.tenant, thing.id] = step.user
    return thing.id


async def speak_mcp(self: Neighbours, step: Step) -> None:
    """Use a tool or resource, over a connection for one user or for any."""
    await (remembered, recalled, found, opened, listed, forgotten)[step.twist](self, step)


async def remembered(self: Neighbours, step: Step) -> None:
    content = f"{self.marker(step.tenant, step.user)} drives a tractor."
    inside: Json = {"conversation": f"chat-{step.pick % 2}"} if step.pick % 3 else {}
    answer = await use(self, step, "remember", content=content, **inside)
    told = answer["content"][0]["text"].rstrip(".").rpartition(" ")[2]
    (self.messages if inside else self.memories).append(Thing(step.tenant, step.user, told))


async def recalled(self: Neighbours, step: Step) -> None:
    query = a_question_about(self, step.pick % TENANTS, 0)
    answer = await use(self, step, "recall", query=query)
    for each in answer["content"][1:]:
        bundle = each["uri"].rpartition("/")[2]
        self.bundles.append(Thing(step.tenant, step.user, bundle, query))


async def found(self: Neighbours, step: Step) -> None:
    whose = self.marker(step.pick % TENANTS, 0)
    await use(self, step, "search", query=a_question_about(self, step.pick % TENANTS, 0))
    await use(self, step, "list_conversations", text=whose)
    await use(self, step, "list_conversations")


async def opened(self: Neighbours, step: Step) -> None:
    """A conversation of anybody, as a page and as a resource."""
    if thing := self.any_of(self.conversations, step):
        page = await use(self, step, "get_conversation", by_id=True, conversation_id=thing.id)
        assert page.get("isError") or self.owns(step, thing)
        await read(self, step, thing, "conversations")


async def listed(self: Neighbours, step: Step) -> None:
    await speak(self, step, "resources/list", {}, wide=not bound(step))
    if thing := self.any_of(self.bundles, step):
        await read(self, step, thing, "bundles")


async def forgotten(self: Neighbours, step: Step) -> None:
    things = (self.messages, self.conversations, self.memories)[step.pick % 3]
    if thing := self.any_of(things, step):
        told = await use(self, step, "forget", by_id=True, id=thing.id)
        assert told.get("isError") or self.owns(step, thing)


async def read(self: Neighbours, step: Step, thing: Thing, kind: str) -> None:
    address = {"uri": f"foreword://{kind}/{thing.id}"}
    told = await speak(
        self, step, "resources/read", address, wide=not bound(step), query=thing.query
    )
    assert "contents" not in told or self.owns(step, thing)


async def use(
    self: Neighbours, step: Step, tool: str, *, by_id: bool = False, **arguments: object
) -> Json:
    """What a tool answers; one that is asked `by_id` and for no user may tell of any."""
    if not by_id and not bound(step) and USERS[step.user]:
        arguments["user_id"] = USERS[step.user]
    sent = {"name": tool, "arguments": arguments}
    query = str(arguments.get("query", "?"))
    wide = by_id and not bound(step)
    return await speak(self, step, "tools/call", sent, wide=wide, query=query)


async def speak(self: Neighbours, step: Step, method: str, params: Json, **looking: Any) -> Json:
    of_one = {"X-Foreword-User": str(USERS[step.user])} if bound(step) else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent: Json = {"json": body, "headers": {**_OF_RPC, **of_one}}
    answer = await self.ask(step, "POST", "/mcp", **looking, **sent)
    assert answer.status_code == 200, answer.text
    result: Json = answer.json().get("result", {})
    return result


def bound(step: Step) -> bool:
    """Whether the connection of a step is for its user alone."""
    return USERS[step.user] is not None and step.pick % 2 == 0


def a_question_about(self: Neighbours, tenant: int, user: int) -> str:
    return f"What is the cat of {self.marker(tenant, user)} called?"


_WAYS_THROUGH = (
    ("/v1/chat/completions", "messages"),
    ("/v1/responses", "input"),
    ("/v1/messages", "messages"),
)


async def chat(self: Neighbours, step: Step) -> None:
    """
    About one's own, since it is kept; nothing of others may reach the upstream either.

    Who names no user may name a conversation of anybody's external id.
    """
    user = {} if USERS[step.user] is None else {"X-Foreword-User": USERS[step.user]}
    inside = {"X-Foreword-Conversation": f"chat-{step.pick % 2}"} if step.twist < 3 else {}
    query = a_question_about(self, step.tenant, step.user)
    mark = f"request {self.name}-{self.asked}"
    path, spoken = _WAYS_THROUGH[step.twist % len(_WAYS_THROUGH)]
    body = {"model": mark, spoken: [said(query)]}
    sent: Json = {"json": body, "headers": {**user, **inside}}
    answer = await self.ask(step, "POST", path, query=query, **sent)
    assert answer.status_code == 200, answer.text
    (heard,) = [each for each in self.upstream.heard if mark.encode() in each.raw]
    passed_on = f"{heard.raw.decode()}\n{heard.headers}".replace(query, "?")
    self.look(step, passed_on.lower())
    for caller in self.callers:
        assert caller.headers["authorization"].split()[1] not in passed_on
    if bundle := answer.headers.get("x-foreword-bundle"):
        self.bundles.append(Thing(step.tenant, step.user, bundle, query))


WAYS: Mapping[str, Act] = {"bring": bring, "mcp": speak_mcp, "chat": chat}
