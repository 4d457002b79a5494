"""
Several tenants with users of the same names, who all try to see what is not theirs.

Each writes texts with a marker of its own; whatever is answered to one is searched for the markers
of all others, and for the ids of other tenants. What a caller said in the request itself is no
leak, so queries are left out of that.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from httpx import AsyncClient, Response

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
    conversations: list[Thing] = field(default_factory=list)
    messages: list[Thing] = field(default_factory=list)
    bundles: list[Thing] = field(default_factory=list)
    memories: list[Thing] = field(default_factory=list)
    asked: int = 0

    def marker(self, tenant: int, user: int) -> str:
        return f"{self.name}{'abc'[tenant]}{'xyz'[user]}zq"

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
        for tenant in range(TENANTS):
            for user in range(len(USERS)):
                own = tenant == step.tenant and (wide or user == step.user)
                assert own or self.marker(tenant, user) not in seen, (step, seen)
        for thing in (*self.conversations, *self.messages, *self.bundles, *self.memories):
            told = thing.id in seen and thing.id not in f"{path}{sent}"
            assert not told or thing.tenant == step.tenant, (step, seen)
        return answer

    def any_of(self, things: list[Thing], step: Step) -> Thing | None:
        return things[step.pick % len(things)] if things else None


Act = Callable[[Neighbours, Step], Awaitable[None]]


def unechoed(answer: Response, query: str) -> str:
    """All that was answered, headers included, but for the query, which may be told back."""
    return f"{answer.text}\n{answer.headers}".replace(query, "?").lower()
