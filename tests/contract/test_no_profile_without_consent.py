"""No consent, no byte of a profile, on any path, whatever happened before."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast
from unittest.mock import ANY

import pytest
from httpx import AsyncClient, Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.adapters.sql.database import Database
from app.adapters.sql.schema import metadata
from app.adapters.sql.store import SqlStore
from app.adapters.sql.tables import message, profile_entry
from app.api.deps import Proxy
from app.domain.ids import LOCAL_TENANT
from app.ports.upstream import HeaderList, Passed
from app.services.proxy.exchanges import ExchangeKeeper
from app.services.proxy.named import Named
from app.services.proxy.prompting import Prompter
from app.services.writing.waiting import IndexWaiter
from app.text.echo import own_words
from tests.factories import HandClock
from tests.fakes import Memory
from tests.over_memory import talking_over

USERS = count(1)
SECRET = "Zqxvjk"
DERIVED = "works_at"
"""The name of an entry that a fact is: of the fact itself no bundle tells it."""
QUERY = "Which tea does she like?"
FOREVER = float("inf")

CONTEXTS = st.fixed_dictionaries(
    {"format": st.sampled_from(["json", "markdown", "messages"])},
    optional={
        "explain": st.booleans(),
        "budget_tokens": st.sampled_from([20, 300, 4_000]),
        "group_by": st.just("conversation"),
        "filters": st.sampled_from([{"types": ["message"]}, {"types": ["profile"]}, {}]),
        "history": st.just({"max_messages": 0}),
        "streamed": st.sampled_from([True]),  # the answer, as events
    },
)
SECTIONS = st.sampled_from(["preferences", "context", "notes", "key"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("grant"), st.sampled_from([None, 60, 3_600])),
        st.tuples(st.just("grant facts"), st.sampled_from([None, 60, 3_600])),
        st.tuples(st.just("revoke facts"), st.none()),
        st.tuples(st.just("tell a fact"), st.none()),
        st.tuples(st.just("revoke"), st.sampled_from(["all", "profile", "user"])),
        st.tuples(st.just("write"), SECTIONS),
        st.tuples(st.just("write"), SECTIONS),
        st.tuples(st.just("erase"), st.none()),
        st.tuples(st.just("wait"), st.sampled_from([59, 61, 3_600])),
        st.tuples(st.just("switch"), st.booleans()),
        st.tuples(st.just("say"), st.none()),
        st.tuples(st.just("keep receipts"), st.none()),
        st.tuples(st.just("say what was told"), st.sampled_from(["user", "assistant", "tool"])),
        st.tuples(st.just("ask"), CONTEXTS),
        st.tuples(st.just("ask"), CONTEXTS),
        st.tuples(st.just("ask again"), st.none()),
        st.tuples(st.just("ask as a model"), st.none()),
        st.tuples(st.just("chat"), st.none()),
    ),
    min_size=4,
    max_size=14,
)


@dataclass
class Model:
    """An upstream of the proxy that answers everything alike; `read` is what it was sent."""

    read: list[str] = field(default_factory=list)
    status: int = 200
    headers: HeaderList = (("content-type", "application/json"),)

    @asynccontextmanager
    async def ask(self, passed: Passed) -> AsyncIterator["Model"]:
        self.read.append(passed.body.decode())
        yield self

    async def chunks(self) -> AsyncIterator[bytes]:
        yield b'{"choices": [{"message": {"role": "assistant", "content": "Green tea."}}]}'

    def decoded(self, body: bytes) -> bytes:
        return body


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    return Memory(store)


@pytest.fixture
def proxy(memory: Memory) -> Proxy:
    telemetry = memory.telemetry
    return Proxy(
        upstream=Model(),
        prompter=Prompter(
            store=memory.store, forge=memory.cached, telemetry=telemetry, deadline=60.0
        ),
        exchanges=ExchangeKeeper(
            store=memory.store,
            ingestor=memory.ingestor,
            waiter=IndexWaiter(memory.store, memory.indexer),
            telemetry=telemetry,
            longest=10_000,
            most_called=10_000,
        ),
        named=Named(),
        api_key=None,
        budget_tokens=None,
        joined=False,
    )


@pytest.fixture
async def client(memory: Memory, proxy: Proxy) -> AsyncIterator[AsyncClient]:
    async with talking_over(memory, proxy) as client:
        yield client


@dataclass
class Life:
    """What happens to one user, and what may be known of them at each moment."""

    client: AsyncClient
    memory: Memory
    proxy: Proxy = field(repr=False)
    user: str = field(default_factory=lambda: f"user/{next(USERS)}")
    agreed_until: float = 0.0
    derives_until: float = 0.0
    written: bool = False
    used: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)
    bundles: list[str] = field(default_factory=list)
    views: set[str] = field(default_factory=set)
    told: str = ""
    shown: int = 0
    derived: int = 0

    @property
    def clock(self) -> HandClock:
        return self.memory.clock

    @property
    def agrees(self) -> bool:
        return self.clock().timestamp() < self.agreed_until

    @property
    def derives(self) -> bool:
        return self.agrees and self.clock().timestamp() < self.derives_until

    @property
    def path(self) -> str:
        return f"/users/{self.user.replace('/', '%2F')}"

    async def grant(self, seconds: int | None) -> None:
        self.agreed_until = await self._grant("profile", seconds)

    async def grant_facts(self, seconds: int | None) -> None:
        self.derives_until = await self._grant("facts", seconds)

    async def _grant(self, purpose: str, seconds: int | None) -> float:
        """Until when what is granted holds."""
        ends = None if seconds is None else self.clock().timestamp() + seconds
        body: dict[str, Any] = {"purposes": {purpose: True, "learning": True}}
        if ends is not None:
            clock = HandClock(self.clock())
            clock.forward(seconds or 0)
            body["expires_at"] = clock().isoformat()
        answer = await self.client.put(f"{self.path}/consent", json=body)
        assert answer.json()["purposes"][purpose] is True
        return FOREVER if ends is None else ends

    async def revoke_facts(self, _: None) -> None:
        body = {"purposes": {"facts": False}}
        told = (await self.client.put(f"{self.path}/consent", json=body)).json()
        assert told["purposes"] == {"profile": self.agrees, "facts": False, "learning": ANY}
        if told["erasure"] is not None:
            assert (told["erasure"]["erased"]["profiles"], told["erasure"]["remaining"]) == (0, 0)
        self.derives_until = 0.0

    async def tell_a_fact(self, _: None) -> None:
        body = {"user_id": self.user, "messages": [{"role": "user", "content": "I work at Acme."}]}
        assert (await self.client.post("/conversations", json=body)).status_code == 201
        await self.memory.distil()
        await self.memory.index()

    async def revoke(self, how: str) -> None:
        had = self.written
        if how == "user":
            answer = await self.client.delete(self.path)
            receipt = answer.json()
        elif how == "all":
            receipt = (await self.client.delete(f"{self.path}/consent")).json()
        else:
            body = {"purposes": {"profile": False}}
            receipt = (await self.client.put(f"{self.path}/consent", json=body)).json()["erasure"]
        if receipt is not None:
            assert (receipt["erased"]["profiles"], receipt["remaining"]) == (int(had), 0)
        assert receipt is not None or not had
        self.agreed_until, self.written = 0.0, False
        if how != "profile":
            self.derives_until = 0.0
        if had:
            self.bundles.clear()

    async def write(self, section: str) -> None:
        body: dict[str, Any] = {"notes": f"Likes {SECRET}."}
        if section == "key":
            body = {"preferences": {SECRET: True}}
        elif section != "notes":
            body = {section: {"tea": SECRET, "cache_hit": False}}
        answer = await self.client.put(f"{self.path}/profile", json=body)
        assert answer.status_code == (200 if self.agrees else 403)
        if self.agrees:
            self.written = True
        else:
            assert SECRET not in answer.text

    async def erase(self, _: None) -> None:
        receipt = (await self.client.delete(f"{self.path}/profile")).json()
        assert (receipt["erased"]["profiles"], receipt["remaining"]) == (int(self.written), 0)
        self.written = False

    async def wait(self, seconds: int) -> None:
        self.clock.forward(seconds)

    async def switch(self, on: bool) -> None:  # noqa: FBT001  (a step's argument)
        answer = await self.client.put("/flags", json={"profile": on})
        assert answer.json()["profile"] is on
        self.used = on

    async def say(self, _: None) -> None:
        body = {"user_id": self.user, "messages": [{"role": "user", "content": "She likes tea."}]}
        assert (await self.client.post("/conversations", json=body)).status_code == 201
        await self.memory.index()

    async def say_what_was_told(self, role: str) -> None:
        """As an agent does that stores the prompt of its model, whatever was revoked meanwhile."""
        said = [{"role": role, "content": f"{self.told}\n\n{QUERY}"}]
        body = {"user_id": self.user, "messages": said}
        assert (await self.client.post("/conversations", json=body)).status_code == 201
        await self.memory.index()
        await self.memory.distil()
        await self.memory.index()

    async def keep_receipts(self, _: None) -> None:
        await self.memory.recorder.flush()

    async def ask(self, about: dict[str, Any]) -> None:
        self.asked.append(about)
        answer = await self.context(about)
        events = [line for line in answer.text.splitlines() if line.startswith("data: ")]
        told = json.loads(events[-1].removeprefix("data: ") if events else answer.text)
        self.bundles.append(told["bundle_id"])
        self.told = (
            told["text"] or (told["messages"] or [{"content": json.dumps(told)}])[0]["content"]
        )
        if self.derives and self.used:
            self.derived += DERIVED in answer.text
        else:
            assert DERIVED not in answer.text
        if not (self.agrees and self.written and self.used):
            assert SECRET not in answer.text
            assert (self.derives and self.used) or told["user_profile"] is None
            assert (self.derives and self.used) or told["metadata"]["profile"] is None
            return
        least = 300 if about["format"] == "json" else 4_000  # 15 % of 300 hardly hold a heading
        room = about.get("budget_tokens", 4_000) >= least
        if room and about.get("filters") != {"types": ["message"]}:
            self.shown += 1
            assert SECRET in json.dumps(told["user_profile"])
            assert SECRET in str(told["text"] or told["messages"] or SECRET)
        assert told["metadata"]["total_tokens"] <= told["metadata"]["budget_tokens"]

    async def ask_again(self, _: None) -> None:
        """From the cache, where nothing happened meanwhile."""
        for about in self.asked[-2:]:
            await self.ask(about)

    async def ask_as_a_model(self, _: None) -> None:
        sent = {"name": "recall", "arguments": {"query": QUERY, "user_id": self.user}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sent}
        headers = {"Accept": "application/json", "MCP-Protocol-Version": "2025-06-18"}
        answer = await self.client.post("/mcp", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        self.told = answer.json()["result"]["content"][0]["text"]
        self.sees(answer.text)

    async def chat(self, _: None) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": QUERY}]}
        headers = {"X-Foreword-User": self.user}
        answer = await self.client.post("/v1/chat/completions", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        assert SECRET not in answer.text
        self.sees(cast("Model", self.proxy.upstream).read[-1])
        await self.proxy.exchanges.drain()

    def sees(self, text: str) -> None:
        """What a model is told holds the profile wherever it may, and else nothing of it."""
        may = self.agrees and self.written and self.used
        assert (SECRET in text) is may
        assert DERIVED not in text or (self.derives and self.used)
        self.shown += may

    async def context(self, about: dict[str, Any]) -> Response:
        body = {"query": QUERY, "user_id": self.user, **about}
        streamed = body.pop("streamed", False)
        headers = {"Accept": "text/event-stream"} if streamed else {}
        answer = await self.client.post("/context", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer

    async def everywhere(self) -> AsyncIterator[Response]:
        """Every path that could tell anything, but for the one that asks for the profile."""
        query = {"query": QUERY, "user_id": self.user}
        yield await self.client.post("/search", json={**query, "explain": True})
        for path in ("/memory/debug/retrieval", "/memory/debug/stats", "/conversations"):
            yield await self.client.get(path, params={"q": QUERY, "user_id": self.user})
        for path in ("/memories", "/entities"):
            yield await self.client.get(path, params={"user_id": self.user})
        for path in (f"{self.path}/consent", "/flags", "/metrics", "/readyz", "/admin/audit"):
            yield await self.client.get(path)
        yield await self.client.get("/memory/metrics")

    async def look(self) -> None:
        async for answer in self.everywhere():
            assert answer.status_code == 200, answer.text
            assert SECRET not in answer.text, answer.request.url
            assert DERIVED not in answer.text or answer.request.url.path == "/memories"
        may = self.agrees and self.written
        assert SECRET not in await self.exported(may)
        listed = await self.client.get(
            "/memories", params={"user_id": self.user, "type": "profile"}
        )
        self.views |= {each["id"] for each in listed.json()["items"]}
        own = await self.client.get(f"{self.path}/profile")
        viewed = [await self.client.get(f"/memories/{each}") for each in self.views]
        for told in [listed, own, *viewed]:
            assert (SECRET in told.text) is may
            assert self.derives or DERIVED not in told.text
        for each in self.views:
            facts = await self.client.get(f"/memories/{each}/lineage")
            assert self.agrees or facts.status_code == 404
            assert self.derives or not facts.json().get("items")
        if may or not self.derives:
            assert own.status_code == (200 if may else 404 if self.agrees else 403)
        for bundle in self.bundles:
            replayed = await self.client.get(f"/bundles/{bundle}")
            assert may or SECRET not in replayed.text
            assert self.derives or DERIVED not in replayed.text

    async def exported(self, with_profile: bool) -> str:  # noqa: FBT001  (a fact about now)
        """But for the profile while it may be told, and for what callers stored of it."""
        answer = await self.client.get("/export", params={"user_id": self.user})
        lines = [json.loads(line) for line in answer.text.splitlines()]
        for line in lines:
            assert line["record"] != "user" or DERIVED not in json.dumps(line)
            if with_profile:
                line.pop("profile", None)
            for said in line["messages"] if line["record"] == "conversation" else ():
                said["content"] = own_words(said["content"], said.get("echo", ()))
        return json.dumps(lines)

    async def nothing_is_kept(self, database: Database) -> None:
        """
        Once a profile was erased, no row, no cached answer and no receipt holds any of it.

        What a caller stored of it is in the messages, and there as an echo.
        """
        async with database.read() as connection:
            for table in metadata.sorted_tables:
                rows = [row._asdict() for row in await connection.execute(select(table))]
                for row in rows if table is message else ():
                    row["content"] = own_words(row["content"], row["echo"] or ())
                assert SECRET not in repr(rows), table.name
                assert table is not profile_entry or not rows
        held = [repr(each) for each in self.memory.cache._answers.values()]
        held += [repr(each) for each in self.memory.recorder._waiting.values()]
        assert not any(SECRET in each or DERIVED in each for each in held)

    def taking(self, step: str) -> Callable[[Any], Awaitable[None]]:
        taken: Callable[[Any], Awaitable[None]] = getattr(self, step.replace(" ", "_"))
        return taken


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_without_consent_nothing_of_a_profile_is_told_on_any_path(
    memory: Memory,
    client: AsyncClient,
    proxy: Proxy,
    database: Database,
    steps: list[tuple[str, Any]],
) -> None:
    life = Life(client, memory, proxy)
    await life.switch(on=True)
    await life.say(None)
    for step, argument in steps:
        await life.taking(step)(argument)
        await life.look()
    await life.revoke("all")
    await life.look()
    await life.ask_again(None)
    await life.nothing_is_kept(database)


async def test_the_life_of_what_facts_tell(
    memory: Memory, client: AsyncClient, proxy: Proxy, database: Database
) -> None:
    """The same of derived entries: they are there, wherever they may be, and else nowhere."""
    life = Life(client, memory, proxy)
    await life.grant_facts(None)
    await life.tell_a_fact(None)
    await life.ask({"format": "json"})
    assert life.derived == 0
    await life.grant(3_600)
    for form in ("json", "markdown", "messages"):
        await life.ask({"format": form})
    assert life.derived == 3
    await life.keep_receipts(None)
    replayed = await client.get(f"/bundles/{life.bundles[-1]}")
    assert DERIVED in replayed.text
    await life.say_what_was_told("assistant")
    await life.grant_facts(60)
    await life.look()
    await life.ask_again(None)
    assert life.derived == 5
    await life.wait(61)
    await life.ask_again(None)
    await life.look()
    assert life.derived == 5
    await life.grant_facts(None)
    await life.ask_again(None)
    assert life.derived == 7
    await life.revoke_facts(None)
    await life.look()
    await life.ask_again(None)
    assert life.derived == 7
    await life.nothing_is_kept(database)


async def test_the_life_of_a_profile(
    memory: Memory, client: AsyncClient, proxy: Proxy, database: Database
) -> None:
    """The same steps once by name: what the property looks for does happen."""
    life = Life(client, memory, proxy)
    await life.say(None)
    await life.grant(3_600)
    await life.write("notes")
    for form in ("json", "markdown", "messages"):
        await life.ask({"format": form})
    await life.ask({"format": "json", "streamed": True})
    await life.ask_as_a_model(None)
    await life.chat(None)
    assert life.shown == 6
    await life.keep_receipts(None)
    replayed = await client.get(f"/bundles/{life.bundles[0]}")
    assert SECRET in replayed.text
    await life.ask_again(None)
    await life.wait(3_601)
    await life.ask_again(None)
    await life.look()
    await life.grant(None)
    await life.ask_again(None)
    assert life.shown == 10
    for role in ("user", "assistant"):
        await life.say_what_was_told(role)
    await life.look()
    await life.revoke("profile")
    await life.say_what_was_told("tool")
    await life.look()
    await life.ask_again(None)
    await life.nothing_is_kept(database)
    async with memory.store.read(LOCAL_TENANT) as snapshot:
        assert await snapshot.scopes.find(life.user) is not None
