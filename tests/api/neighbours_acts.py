"""What neighbours do, each as a request or a few: with their own, and with anybody's ids."""

import json
from collections.abc import Mapping

from tests.api.neighbours import TENANTS, USERS, Act, Neighbours, Step, Thing
from tests.api.neighbours_ways import WAYS
from tests.api.speaking import Json, said

TEXTS = ("The cat of {0} is called {0}.", "{0} lives in Oslo since 2019.", "def {0}(): pass")
FORMATS = ("json", "markdown", "messages")


async def store(self: Neighbours, step: Step) -> None:
    body = the_same_for_all(step) if step.twist == 0 else of_ones_own(self, step)
    headers = {"Idempotency-Key": f"key-{step.twist}"} if step.twist < 3 else {}
    path = "/conversations" if step.twist == 5 else "/conversations?wait=indexed"
    answer = await self.ask(step, "POST", path, json=body, headers=headers)
    if answer.status_code == 201:
        stored = answer.json()
        self.conversations.append(Thing(step.tenant, step.user, stored["id"]))
        ids = stored["message_ids"]
        self.messages += [Thing(step.tenant, step.user, each) for each in ids]


def the_same_for_all(step: Step) -> Json:
    """Byte for byte what other tenants send, under the same idempotency key."""
    return {"external_id": "chat-0", "user_id": USERS[step.user], "messages": [said("Good day.")]}


def of_ones_own(self: Neighbours, step: Step) -> Json:
    marker = self.marker(step.tenant, step.user)
    texts = [TEXTS[(step.pick + n) % len(TEXTS)].format(marker) for n in range(2)]
    importance = 10 if step.twist == 1 else None
    return {
        "external_id": f"chat-{step.pick % 2}",
        "user_id": USERS[step.user],
        "label": f"label {marker}",
        "folder": "/work",
        "tags": [marker],
        "metadata": {"m": marker},
        "messages": [said(text, name=marker, importance=importance) for text in texts],
    }


async def append(self: Neighbours, step: Step) -> None:
    if thing := self.any_of(self.conversations, step):
        owner = self.owner(step, thing)
        text = TEXTS[0].format(self.marker(step.tenant, owner))
        path = f"/conversations/{thing.id}/messages"
        answer = await self.ask(step, "POST", path, wide=True, json={"messages": [said(text)]})
        assert answer.status_code == 404 or self.owns(step, thing)


def question(self: Neighbours, step: Step) -> Json:
    """Most often about what is somebody else's; few enough that others ask the same."""
    whose = self.marker(step.pick % TENANTS, 0)
    asked: Json = {"query": f"What is the cat of {whose} called?"}
    if USERS[step.user] is not None:
        asked["user_id"] = USERS[step.user]
    if step.twist == 5 and (thing := self.any_of(self.conversations, step)):
        asked |= {"filters": {"conversation_ids": [thing.id]}, "explain": True}
    return asked


async def context(self: Neighbours, step: Step) -> None:
    await build(self, step, {})


async def stream(self: Neighbours, step: Step) -> None:
    await build(self, step, {"Accept": "text/event-stream"})


async def build(self: Neighbours, step: Step, headers: Mapping[str, str]) -> None:
    body = {**question(self, step), "format": FORMATS[step.twist % 2]}
    since = self.any_of(self.bundles, step) if step.twist == 2 else None
    running = self.any_of(self.conversations, step) if step.twist == 3 else None
    if since:
        body["since"] = since.id
    if running:
        body["conversation_id"] = running.id
    if step.twist == 4:
        body |= {"group_by": "conversation", "format": "messages"}
    # Who names no user, but a conversation, asks for the memory of that conversation's user.
    wide = USERS[step.user] is None and running is not None
    query = body["query"]
    sent = {"json": body, "headers": headers}
    answer = await self.ask(step, "POST", "/context", wide=wide, query=query, **sent)
    if answer.status_code == 200:
        bundle = json.loads(answer.text.rpartition("data: ")[2])  # of events the last
        self.bundles.append(Thing(step.tenant, step.user, bundle["bundle_id"], query))
    if since and (since.tenant, since.user) != (step.tenant, step.user):
        assert answer.status_code == 404


async def search(self: Neighbours, step: Step) -> None:
    body = question(self, step)
    await self.ask(step, "POST", "/search", query=body["query"], json=body)


async def debug(self: Neighbours, step: Step) -> None:
    asked = question(self, step)
    given = {"q": asked["query"], "user_id": asked.get("user_id")}
    parameters = {name: value for name, value in given.items() if value is not None}
    path = "/memory/debug/retrieval"
    await self.ask(step, "GET", path, query=asked["query"], params=parameters)
    await self.ask(step, "GET", "/memory/debug/stats", wide=True)


async def listing(self: Neighbours, step: Step) -> None:
    given = {"user_id": USERS[step.user], "q": self.marker(step.pick % TENANTS, step.twist % 2)}
    parameters = {name: value for name, value in given.items() if value is not None}
    await self.ask(step, "GET", "/conversations", params=parameters)
    parameters.pop("q")
    await self.ask(step, "GET", "/conversations", params=parameters)


async def entities(self: Neighbours, step: Step) -> None:
    """Of the user, then of anybody by a name of theirs; whatever is listed is shown to the user."""
    user = {} if USERS[step.user] is None else {"user_id": USERS[step.user]}
    await self.ask(step, "GET", "/entities", params={**user, "q": self.marker(step.pick % 3, 0)})
    listed = await self.ask(step, "GET", "/entities", params=user)
    for each in listed.json()["items"][:3]:
        await self.ask(step, "GET", f"/entities/{each['id']}")
        other = (step.tenant + 1) % TENANTS
        refused = await self.callers[other].get(f"/entities/{each['id']}")
        assert refused.status_code == 404, (step, refused.text)


async def read(self: Neighbours, step: Step) -> None:
    if thing := self.any_of(self.conversations, step):
        for path in (f"/conversations/{thing.id}", f"/conversations/{thing.id}/messages"):
            answer = await self.ask(step, "GET", path, wide=True)
            assert answer.status_code == 404 or self.owns(step, thing)


async def replay(self: Neighbours, step: Step) -> None:
    if thing := self.any_of(self.bundles, step):
        path = f"/bundles/{thing.id}"
        answer = await self.ask(step, "GET", path, wide=True, query=thing.query)
        assert answer.status_code == 404 or self.owns(step, thing)


async def change(self: Neighbours, step: Step) -> None:
    if thing := self.any_of(self.conversations, step):
        owner = self.owner(step, thing)
        body = {"label": self.marker(step.tenant, owner), "archived": step.twist == 0}
        path = f"/conversations/{thing.id}"
        answer = await self.ask(step, "PATCH", path, wide=True, json=body)
        assert answer.status_code == 404 or self.owns(step, thing)


async def erase(self: Neighbours, step: Step) -> None:
    kinds = [("messages", self.messages), ("conversations", self.conversations)]
    kind, things = kinds[step.twist % 2]
    if thing := self.any_of(things, step):
        answer = await self.ask(step, "DELETE", f"/{kind}/{thing.id}", wide=True)
        assert answer.status_code == 404 or self.owns(step, thing)
    if step.twist == 0 and USERS[step.user]:
        await self.ask(step, "DELETE", f"/users/{USERS[step.user]}", wide=True)


async def correct(self: Neighbours, step: Step) -> None:
    """An item of anybody, in the words of the one whom it may belong to."""
    if thing := self.any_of(self.memories, step):
        content = f"{self.marker(step.tenant, self.owner(step, thing))} likes coffee."
        path = f"/memories/{thing.id}"
        answer = await self.ask(step, "PATCH", path, wide=True, json={"content": content})
        assert answer.status_code == 404 or self.owns(step, thing)


async def introduce(self: Neighbours, step: Step) -> None:
    if user := USERS[step.user]:
        agreed = {"purposes": {"profile": step.twist != 0}}
        notes = {"notes": self.marker(step.tenant, step.user)}
        await self.ask(step, "PUT", f"/users/{user}/consent", json=agreed)
        await self.ask(step, "PUT", f"/users/{user}/profile", json=notes)
        await self.ask(step, "GET", f"/users/{user}/profile")


async def users(self: Neighbours, step: Step) -> None:
    """One called by a marker; then all of the tenant, or those who are called as anybody is."""
    marker = self.marker(step.tenant, step.user)
    await self.ask(step, "PUT", f"/users/{marker}/consent", json={"purposes": {"learning": True}})
    whose = self.marker(step.pick % TENANTS, step.user)
    begins = {"begins": whose} if step.twist % 2 else {}
    listed = await self.ask(step, "GET", "/users", wide=True, params={**begins, "limit": 500})
    told = [each["user_id"] for each in listed.json()["items"]]
    assert (marker in told) is (not begins or whose == marker), (step, told)


async def withdraw(self: Neighbours, step: Step) -> None:
    if user := USERS[step.user]:
        what = ("profile", "consent")[step.twist % 2]
        await self.ask(step, "DELETE", f"/users/{user}/{what}")
        await self.ask(step, "GET", f"/users/{user}/consent")


async def switch(self: Neighbours, step: Step) -> None:
    """A flag of one's own, which is nobody else's."""
    own = 2_000 + step.tenant
    await self.ask(step, "PUT", "/flags", json={"token_budget": own})
    for other, caller in enumerate(self.callers):
        flags = (await caller.get("/flags")).json()
        default = flags["defaults"]["token_budget"]
        assert flags["token_budget"] in {default, 2_000 + other}, (step, flags)


async def work(self: Neighbours, step: Step) -> None:
    """A job of one's own, which nobody else sees or has tried again."""
    started = await self.ask(step, "POST", "/admin/prune", json={"after_days": 1, "dry_run": True})
    path = f"/jobs/{started.json()['id']}"
    await self.ask(step, "GET", path)
    other = self.callers[(step.tenant + 1) % TENANTS]
    for refused in (await other.get(path), await other.post(f"{path}/retry")):
        assert refused.status_code == 404, (step, refused.text)


async def govern(self: Neighbours, step: Step) -> None:
    paths = ("/admin/audit", "/admin/keys", "/metrics", "/readyz", "/memory/metrics", "/jobs")
    for path in (*paths, "/flags"):
        await self.ask(step, "GET", path)
    await self.ask(step, "POST", "/admin/prune", json={"after_days": 1})
    assert (await self.ask(step, "POST", "/admin/doctor", json={})).status_code == 403


async def remember(self: Neighbours, step: Step) -> None:
    """Items of one's own, and a look at anybody's."""
    user = {} if USERS[step.user] is None else {"user_id": USERS[step.user]}
    content = f"{self.marker(step.tenant, step.user)} likes tea."
    headers = {"Idempotency-Key": f"key-{step.twist}"} if step.twist < 3 else {}
    body = {"type": "fact", "content": content, **user}
    answer = await self.ask(step, "POST", "/memories", json=body, headers=headers)
    if answer.status_code == 201:
        self.memories.append(Thing(step.tenant, step.user, answer.json()["id"]))
    await self.ask(step, "GET", "/memories", params={**user, "include_superseded": True})
    for kind in ("entity", "profile"):
        viewed = await self.ask(step, "GET", "/memories", params={**user, "type": kind})
        several = viewed.json()["items"]
        self.views += [Thing(step.tenant, step.user, each["id"]) for each in several]
    if thing := self.any_of(self.views, step):
        for path in (f"/memories/{thing.id}", f"/memories/{thing.id}/lineage"):
            answer = await self.ask(step, "GET", path, wide=True)
            assert answer.status_code == 404 or self.owns(step, thing)
    if thing := self.any_of(self.memories, step):
        path = f"/memories/{thing.id}"
        for method, sort in (("GET", path), ("GET", f"{path}/lineage"), ("DELETE", path)):
            if method == "GET" or step.twist == 0:
                answer = await self.ask(step, method, sort, wide=True)
                assert answer.status_code == 404 or self.owns(step, thing)


async def export(self: Neighbours, step: Step) -> None:
    """One's own as a file, and the summary and the message of anybody."""
    user = USERS[step.user]
    of_one = {} if user is None else {"user_id": user}
    await self.ask(step, "GET", "/export", wide=not of_one, params=of_one)
    if thing := self.any_of(self.messages, step):
        answer = await self.ask(step, "GET", f"/messages/{thing.id}", wide=True)
        assert answer.status_code == 404 or self.owns(step, thing)
    if thing := self.any_of(self.conversations, step):
        path = f"/conversations/{thing.id}/summaries"
        answer = await self.ask(step, "POST", path, wide=True)
        assert answer.status_code == 404 or self.owns(step, thing)


async def mistake(self: Neighbours, step: Step) -> None:
    marker = self.marker(step.tenant, step.user)
    wrong = {"messages": [{"role": marker, "content": marker}], marker: marker}
    await self.ask(step, "POST", "/conversations", json=wrong)
    await self.ask(step, "GET", f"/nothing/{marker}")
    await self.ask(step, "GET", f"/conversations?cursor={marker}")


ACTS: Mapping[str, Act] = {
    "store": store,
    "append": append,
    "context": context,
    "stream": stream,
    "search": search,
    "debug": debug,
    "list": listing,
    "entities": entities,
    "read": read,
    "replay": replay,
    "change": change,
    "erase": erase,
    "correct": correct,
    "introduce": introduce,
    "users": users,
    "withdraw": withdraw,
    "switch": switch,
    "work": work,
    "remember": remember,
    "export": export,
    "govern": govern,
    "mistake": mistake,
    **WAYS,
}
