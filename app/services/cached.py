"""The forge behind a cache: what was just asked is answered at once, and built only once."""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, field

from app.domain.context import ContextBundle, ContextRequest, Difference
from app.domain.ids import TenantId
from app.ports import AnswerCache, Renderer, Telemetry
from app.services.forge import ContextForge, SearchResult
from app.services.recall import Situation
from app.services.receipts import Recorder, Replayer
from app.services.situation import Surveyor


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer as it goes out."""

    body: bytes
    cache_hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedForge:
    """
    Answers context requests.

    The key is the tenant, the whole request and the version of the scope, which every write
    raises: an entry of before a write is never found again. What is kept is the answer as it goes
    out: thousands of bundles would be millions of objects, and the garbage collector would stop
    everything for a tenth of a second each time it looks through them.
    """

    surveyor: Surveyor
    forge: ContextForge
    cache: AnswerCache
    recorder: Recorder
    replayer: Replayer
    renderer: Renderer
    telemetry: Telemetry
    _in_flight: dict[Hashable, asyncio.Task[bytes]] = field(default_factory=dict)

    async def answer(
        self, tenant: TenantId, request: ContextRequest, *, fresh: bool = False
    ) -> Answered:
        """
        The answer to `request`; `fresh` asks for a new one.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
            BundleNotFound: The bundle to compare with was never issued, or is too old.
            StoreUnavailable: The database does not answer.
        """
        self.forge.recaller.expect(request.query)
        situation = await self.surveyor.survey(tenant, request)
        if situation is None:
            _, body = await self._build(tenant, request, None)
            return Answered(body=body, cache_hit=False)
        key = (tenant, situation.scope.key, situation.scope.version, request)
        if fresh:
            body = await self._fill(key, tenant, request, situation)
            return Answered(body=body, cache_hit=False)
        found = self.cache.get(key)
        self.telemetry.cache_asked(hit=found is not None)
        if found is not None:
            return Answered(body=self.renderer.from_cache(found), cache_hit=True)
        return Answered(body=await self._once(key, tenant, request, situation), cache_hit=False)

    async def search(self, tenant: TenantId, request: ContextRequest) -> SearchResult:
        """The ranked candidates for `request`, never from the cache."""
        situation = await self.surveyor.survey(tenant, request)
        return await self.forge.search(request, situation)

    async def _once(
        self, key: Hashable, tenant: TenantId, request: ContextRequest, situation: Situation
    ) -> bytes:
        """Build, or wait for the same that is being built; a caller that goes does no harm."""
        task = self._in_flight.get(key)
        if task is None:
            task = asyncio.create_task(self._fill(key, tenant, request, situation))
            self._in_flight[key] = task
            task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        return await asyncio.shield(task)

    async def _fill(
        self, key: Hashable, tenant: TenantId, request: ContextRequest, situation: Situation
    ) -> bytes:
        bundle, body = await self._build(tenant, request, situation)
        if not bundle.degraded:
            self.cache.put(key, situation.scope.key, body)
        return body

    async def _build(
        self, tenant: TenantId, request: ContextRequest, situation: Situation | None
    ) -> tuple[ContextBundle, bytes]:
        bundle = await self.forge.build(request, situation)
        self.recorder.built(tenant, request, situation, bundle)
        difference: Difference | None = None
        if request.since is not None:
            difference = await self.replayer.compare(tenant, request.since, bundle)
        return bundle, self.renderer.render(request, bundle, difference)
