"""
What a route may ask for. Routes never reach into `request.state` themselves.

Coroutines all of them: FastAPI sends plain functions to a thread, which costs more than they do.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypedDict, cast

from fastapi import Depends, Request
from starlette.types import Receive, Scope, Send

from app.adapters.telemetry import PrometheusTelemetry
from app.domain.errors import NotPermitted, OperatorNeeded
from app.domain.ids import TenantId
from app.domain.keys import Caller, Permission, in_order
from app.ports.store import Store
from app.ports.upstream import Upstream
from app.services.access.admit import Doorkeeper
from app.services.access.keys import KeyRing
from app.services.answering.cached import CachedForge
from app.services.answering.replaying import Replayer
from app.services.common.flagging import FlagBoard
from app.services.common.jobs import Jobs, Work
from app.services.common.pacing import Traffic
from app.services.distilling.consolidating import Consolidator
from app.services.distilling.summing_up import SummaryDesk
from app.services.erasing.forget import Forgetter
from app.services.erasing.pruning import Pruner
from app.services.memories.keep import MemoryKeeper
from app.services.memories.stewarding import Steward
from app.services.memories.viewing import Viewer
from app.services.moving.exporting import Exporter
from app.services.moving.importing import Importer
from app.services.operating.doctor import Doctor
from app.services.operating.measuring import Meter
from app.services.operating.readiness import Readiness
from app.services.operating.reindex import Reindexer
from app.services.operating.sharing import Shared
from app.services.proxy.exchanges import ExchangeKeeper
from app.services.proxy.named import Named
from app.services.proxy.prompting import Prompter
from app.services.writing.ingest import Ingestor
from app.services.writing.waiting import IndexWaiter


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """What chat completions pass through on their way to a model."""

    upstream: Upstream
    prompter: Prompter
    exchanges: ExchangeKeeper
    named: Named
    api_key: str | None = field(repr=False)
    budget_tokens: int | None
    """Of memory, where a request says nothing; None: the tenant's."""
    joined: bool
    """Memory goes into the first instructions of a request, not before them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that routes are made of."""

    store: Store
    ingestor: Ingestor
    importer: Importer
    exporter: Exporter
    keeper: MemoryKeeper
    viewer: Viewer
    waiter: IndexWaiter
    forge: CachedForge
    replayer: Replayer
    forgetter: Forgetter
    pruner: Pruner
    jobs: Jobs
    consolidator: Consolidator
    traffic: Traffic
    summaries: SummaryDesk
    reindexer: Reindexer
    doctor: Doctor
    at_work: Callable[[], AbstractAsyncContextManager[None]]
    """While this is entered, what goes on behind the answers does."""
    back_up: Work
    """Writes a backup into the data directory."""
    readiness: Readiness
    """How each part is, looked at together by those who ask together."""
    sizes: Shared[Mapping[str, int]]
    """Bytes in the database, by part."""
    telemetry: PrometheusTelemetry
    flags: FlagBoard
    meter: Meter
    steward: Steward
    doorkeeper: Doorkeeper
    keys: KeyRing
    proxy: Proxy | None
    spool: Path
    """The directory that has room for a file while it is imported."""


class Mountable(Protocol):
    """Answers requests of a protocol of its own."""

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class AppState(TypedDict):
    services: Services
    mcp: Mountable


class Mounted:
    """The way to what an application opened under a name of its state."""

    def __init__(self, path: str, name: Literal["mcp"]) -> None:
        self.path = path
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self  # by whose path requests are counted
        mounted: Mountable = scope["state"][self._name]
        await mounted.handle_request(scope, receive, send)


async def _services(request: Request) -> Services:
    return cast("Services", request.state.services)


async def _caller(request: Request) -> Caller:
    """Who asks; the gate has seen the key."""
    return cast("Caller", request.state.caller)


async def _tenant(request: Request) -> TenantId:
    """Whose key it is; the gate has seen it."""
    return cast("Caller", request.state.caller).tenant


def require(caller: Caller, needed: Permission) -> None:
    """
    Ask for a permission beside the one that the gate asked for.

    Raises:
        NotPermitted: The key has it not.
    """
    if needed not in caller.permissions:
        raise NotPermitted(
            f"It needs `{needed.value}`.", needed=needed.value, scopes=in_order(caller.permissions)
        )


async def _operator(request: Request) -> None:
    if not cast("Caller", request.state.caller).operates:
        raise OperatorNeeded(
            "It takes a command on the machine of the service, or a key of the tenant that "
            "FOREWORD_KEYS__OPERATOR_TENANT names."
        )


Use = Annotated[Services, Depends(_services)]
Tenant = Annotated[TenantId, Depends(_tenant)]
WhoAsks = Annotated[Caller, Depends(_caller)]
OPERATOR_ONLY = Depends(_operator)
"""For routes that concern every tenant, whichever permissions a key has in its own."""
