"""
Several tenants with users of the same names, who all try to see what is not theirs.

Each writes texts with a marker of its own; whatever is answered to one is searched for the markers
of all others, and for the ids of other tenants. What a caller said in the request itself is no
leak, so queries are left out of that.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from httpx import AsyncClient, Response

from tests.stand_in_model import StandInModel

USERS = ("alice", "bob", None)
TENANTS = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One request: what, by which tenant for which user, about any tenant's thing."""

    act: str
    tenant: int
    user: int
    pick: int
    """Chooses among all that anybody was ever told the id of."""
    twist: int
    """Chooses among variants, 0 to 5; of some, everybody's requests are the same."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with an id."""

    tenant: int
    user: int
    id: str
    query: str = "?"
    """Of a bundle: what was asked."""


@dataclass
class Neighbours:
    """Tenants of one example; `name` is in all of their markers, and in nobody else's."""

    name: str
    callers: list[AsyncClient]
    acts: "Mapping[str, Act]"
    upstream: StandInModel
    """What the proxy passes everybody's chats on to."""
    conversations: list[Thing] = field(default_factory=list)
    messages: list[Thing] = field(default_factory=list)
    bundles: list[Thing] = field(default_factory=list)
    memories: list[Thing] = field(default_factory=list)
    views: list[Thing] = field(default_factory=list)
    """Entities and profiles, told as memory items."""
    brought: dict[tuple[int, str], int] = field(default_factory=dict)
    """Others' ids that a tenant gave things of its own, with the user: it may get them."""
    told_of_own: set[str] = field(default_factory=set)
    """Acts by which somebody was told something of theirs."""
    asked: int = 0

    def marker(self, tenant: int, user: int) -> str:
        return f"{self.name}{'abc'[tenant]}{'xyz'[user]}zq"

    async def take_at_once(self, steps: Iterable[Step]) -> None:
        await asyncio.gather(*(self.take(step) for step in steps))

    async def take(self, step: Step) -> None:
        """Make the request of `step`, and look through the answer."""
        self.asked += 1
        await self.acts[step.act](self, step)

    async def ask(
        self,
        step: Step,
        method: str,
        path: str,
        *,
        wide: bool = False,
        query: str = "?",
        **sent: Any,
    ) -> Response:
        """Ask `query` of a user's memory, or with `wide` for anything of the tenant."""
        answer = await self.callers[step.tenant].request(method, path, **sent)
        assert answer.status_code < 500, (step, answer.text)
        seen = unechoed(answer, query)
        self.look(step, seen, wide=wide)
        for thing in (
            *self.conversations,
            *self.messages,
            *self.bundles,
            *self.memories,
            *self.views,
        ):
            told = thing.id in seen and thing.id not in f"{path}{sent}"
            assert not told or self.owns(step, thing), (step, seen)
        return answer

    def look(self, step: Step, seen: str, *, wide: bool = False) -> None:
        """Search what came of a step for others' markers."""
        for tenant in range(TENANTS):
            for user in range(len(USERS)):
                own = tenant == step.tenant and (wide or user == step.user)
                found = self.marker(tenant, user) in seen
                assert own or not found, (step, seen)
                if found:
                    self.told_of_own.add(step.act)

    def owns(self, step: Step, thing: Thing) -> bool:
        """Whether the tenant of a step can have something of this id."""
        return thing.tenant == step.tenant or (step.tenant, thing.id) in self.brought

    def owner(self, step: Step, thing: Thing) -> int:
        """Whose marker belongs into it, if the tenant has it."""
        if thing.tenant == step.tenant:
            return thing.user
        return self.brought.get((step.tenant, thing.id), step.user)

    def any_of(self, things: list[Thing], step: Step) -> Thing | None:
        return things[step.pick % len(things)] if things else None


Act = Callable[[Neighbours, Step], Awaitable[None]]


def unechoed(answer: Response, query: str) -> str:
    """All that was answered, headers included, but for the query, which may be told back."""
    return f"{answer.text}\n{answer.headers}".replace(query, "?").lower()
