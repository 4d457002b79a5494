"""The forge behind a cache: what was just asked is answered at once, and built only once."""

import asyncio
import time
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from app.domain.context import ContextBundle, ContextRequest
from app.domain.difference import Difference
from app.domain.ids import TenantId
from app.domain.telling import Listener
from app.ports import AnswerCache, Renderer, Telemetry
from app.services.answering.pulse import Pulse
from app.services.answering.receipt import asked_for
from app.services.answering.recording import Recorder
from app.services.answering.replaying import Replayer
from app.services.common.flagging import FlagBoard
from app.services.context.forge import ContextForge
from app.services.context.gathering import SearchResult
from app.services.context.situation import Situation, Surveyor
from app.text.leaning import leans
from app.text.small_talk import is_small_talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer as it goes out."""

    body: bytes
    cache_hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A request with which nothing is wrong."""

    tenant: TenantId
    request: ContextRequest
    situation: Situation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedForge:
    """
    Answers context requests.

    The key is the tenant, the whole request, the flags, whether consent to use the profile holds,
    and the version of the scope, which every write raises: an entry of before a write, or of before
    a consent expired, is never found again. What is kept is the answer as it goes
    out: thousands of bundles would be millions of objects, and the garbage collector would stop
    everything for a tenth of a second each time it looks through them.
    """

    surveyor: Surveyor
    flags: FlagBoard
    forge: ContextForge
    cache: AnswerCache
    recorder: Recorder
    pulse: Pulse
    replayer: Replayer
    renderer: Renderer
    telemetry: Telemetry
    hold: Callable[[], AbstractContextManager[None]] = nullcontext
    """Keeps model and index together through a request."""
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
        begun = time.perf_counter()
        request, situation = await self._surveyed(tenant, request)
        if situation is None:
            _, body = await self._build(tenant, request, None)
            return Answered(body=body, cache_hit=False)
        key = _key(situation, request)
        if fresh:
            body = await self._fill(key, tenant, request, situation)
            return Answered(body=body, cache_hit=False)
        found = self.cache.get(key)
        self.telemetry.cache_asked(hit=found is not None)
        if found is not None:
            self.pulse.served(tenant, time.perf_counter() - begun)
            return Answered(body=self.renderer.from_cache(found), cache_hit=True)
        return Answered(body=await self._once(key, tenant, request, situation), cache_hit=False)

    async def bundle(self, tenant: TenantId, request: ContextRequest) -> ContextBundle:
        """
        A bundle of its own for `request`, recorded as one that is answered; never from the cache.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
            StoreUnavailable: The database does not answer.
        """
        request, situation = await self._surveyed(tenant, request)
        return await self._built(tenant, request, situation)

    async def prepare(self, tenant: TenantId, request: ContextRequest) -> Prepared:
        """
        Find out all that can be wrong with a request before anything is searched.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
            BundleNotFound: The bundle to compare with was never issued, or is too old.
            StoreUnavailable: The database does not answer.
        """
        request, situation = await self._surveyed(tenant, request)
        if request.since is not None:
            subject = _subject(tenant, request, situation)
            await self.replayer.check(tenant, request.since, subject=subject)
        return Prepared(tenant=tenant, request=request, situation=situation)

    async def answer_aloud(
        self, prepared: Prepared, listener: Listener, *, fresh: bool = False
    ) -> Answered:
        """
        The answer to a prepared request; `listener` hears what happens while it is made.

        Of an answer from the cache there is nothing to hear. A caller that goes cancels the making:
        nobody else waits for it.

        Raises:
            BundleNotFound: The bundle to compare with grew too old meanwhile.
            StoreUnavailable: The database does not answer.
        """
        begun = time.perf_counter()
        tenant, request, situation = prepared.tenant, prepared.request, prepared.situation
        if situation is None:
            _, body = await self._build(tenant, request, None)
            return Answered(body=body, cache_hit=False)
        key = _key(situation, request)
        found = None
        if not fresh:
            found = self.cache.get(key)
            self.telemetry.cache_asked(hit=found is not None)
        if found is not None:
            self.pulse.served(tenant, time.perf_counter() - begun)
            return Answered(body=self.renderer.from_cache(found), cache_hit=True)
        heard = replace(situation, listener=listener)
        return Answered(body=await self._fill(key, tenant, request, heard), cache_hit=False)

    async def search(self, tenant: TenantId, request: ContextRequest) -> SearchResult:
        """The ranked candidates for `request`, never from the cache."""
        situation = await self.surveyor.survey(tenant, request)
        with self.hold():
            return await self.forge.search(request, situation)

    async def _surveyed(
        self, tenant: TenantId, request: ContextRequest
    ) -> tuple[ContextRequest, Situation | None]:
        """The request with its budget, and the situation in which it is made."""
        query = request.query
        if not (leans(query) or is_small_talk(query)):  # it is not known yet on what, or is nothing
            await self.forge.recaller.expect(query)
        situation = await self.surveyor.survey(tenant, request)
        return await self._budgeted(tenant, request, situation), situation

    async def _budgeted(
        self, tenant: TenantId, request: ContextRequest, situation: Situation | None
    ) -> ContextRequest:
        """With the tenant's budget, where the caller names none."""
        if request.budget_named:
            return request
        flags = situation.flags if situation else await self.flags.current(tenant)
        return replace(request, budget_tokens=flags.token_budget, budget_named=True)

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
        before = self.cache.erasures
        bundle, body = await self._build(tenant, request, situation)
        if not bundle.degraded and self.cache.erasures == before:
            left = self._holds_for(situation)
            self.cache.put(key, situation.within.scopes, body, seconds=left)
        return body

    def _holds_for(self, situation: Situation) -> float | None:
        """Seconds until, without any write, other memory items hold; None for no such moment."""
        change = situation.scope.changes_at
        return None if change is None else (change - self.surveyor.clock()).total_seconds()

    async def _build(
        self, tenant: TenantId, request: ContextRequest, situation: Situation | None
    ) -> tuple[ContextBundle, bytes]:
        bundle = await self._built(tenant, request, situation)
        difference: Difference | None = None
        if request.since is not None:
            subject = _subject(tenant, request, situation)
            difference = await self.replayer.compare(tenant, request.since, bundle, subject=subject)
        return bundle, self.renderer.render(request, bundle, difference)

    async def _built(
        self, tenant: TenantId, request: ContextRequest, situation: Situation | None
    ) -> ContextBundle:
        with self.hold():
            bundle = await self.forge.build(request, situation)
        self.recorder.built(tenant, request, situation, bundle)
        return bundle


def _subject(tenant: TenantId, request: ContextRequest, situation: Situation | None) -> str:
    return asked_for(tenant, request, situation.scope if situation else None)


def _key(situation: Situation, request: ContextRequest) -> Hashable:
    scope, consents = situation.scope, (situation.profile_at is not None, situation.derives)
    versions = (scope.key, scope.version, scope.documents_version)
    return situation.tenant, versions, situation.flags, consents, request
