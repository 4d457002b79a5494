"""The forge behind a cache: what was just asked is answered at once, and built only once."""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, field

from app.domain.context import ContextBundle, ContextRequest
from app.domain.ids import TenantId
from app.ports import BundleCache, Telemetry
from app.services.forge import ContextForge, SearchResult
from app.services.recall import Situation
from app.services.receipts import Recorder
from app.services.situation import Surveyor


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    bundle: ContextBundle
    cache_hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedForge:
    """
    Answers context requests.

    The key is the tenant, the whole request and the version of the scope, which every write
    raises: an entry of before a write is never found again.
    """

    surveyor: Surveyor
    forge: ContextForge
    cache: BundleCache
    recorder: Recorder
    telemetry: Telemetry
    _in_flight: dict[Hashable, asyncio.Task[ContextBundle]] = field(default_factory=dict)

    async def build(
        self, tenant: TenantId, request: ContextRequest, *, fresh: bool = False
    ) -> Answered:
        """
        The bundle for `request`; `fresh` asks for a new one.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
            StoreUnavailable: The database does not answer.
        """
        self.forge.recaller.expect(request.query)
        situation = await self.surveyor.survey(tenant, request)
        if situation is None:
            return Answered(bundle=await self._build(tenant, request, None), cache_hit=False)
        key = (tenant, situation.scope.key, situation.scope.version, request)
        if fresh:
            bundle = await self._fill(key, tenant, request, situation)
            return Answered(bundle=bundle, cache_hit=False)
        found = self.cache.get(key)
        self.telemetry.cache_asked(hit=found is not None)
        if found is not None:
            return Answered(bundle=found, cache_hit=True)
        return Answered(bundle=await self._once(key, tenant, request, situation), cache_hit=False)

    async def search(self, tenant: TenantId, request: ContextRequest) -> SearchResult:
        """The ranked candidates for `request`, never from the cache."""
        situation = await self.surveyor.survey(tenant, request)
        return await self.forge.search(request, situation)

    async def _once(
        self, key: Hashable, tenant: TenantId, request: ContextRequest, situation: Situation
    ) -> ContextBundle:
        """Build, or wait for the same that is being built; a caller that goes does no harm."""
        task = self._in_flight.get(key)
        if task is None:
            task = asyncio.create_task(self._fill(key, tenant, request, situation))
            self._in_flight[key] = task
            task.add_done_callback(lambda _: self._in_flight.pop(key, None))
        return await asyncio.shield(task)

    async def _fill(
        self, key: Hashable, tenant: TenantId, request: ContextRequest, situation: Situation
    ) -> ContextBundle:
        bundle = await self._build(tenant, request, situation)
        if not bundle.degraded:
            self.cache.put(key, situation.scope.key, bundle)
        return bundle

    async def _build(
        self, tenant: TenantId, request: ContextRequest, situation: Situation | None
    ) -> ContextBundle:
        bundle = await self.forge.build(request, situation)
        self.recorder.built(tenant, request, situation, bundle)
        return bundle
