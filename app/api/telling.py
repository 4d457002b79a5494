"""A context that is told as server-sent events while it is built."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from pydantic import TypeAdapter

from app.api.passing import EVENTS, UNBUFFERED
from app.api.problems import accident, answer_to
from app.api.relaying import Relay, Speaking
from app.api.schemas.recalled import MemoryOut, memory_out
from app.domain.context import Candidate, Source
from app.domain.errors import ForewordError
from app.domain.telling import Answered
from app.services.answering.cached import CachedForge, Prepared

_HEADERS = (("content-type", f"{EVENTS}; charset=utf-8"), UNBUFFERED)
_MEMORY = TypeAdapter(MemoryOut)

_Happened = Answered | Candidate | None
"""None: nothing will happen any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    name: str
    data: bytes

    def __bytes__(self) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (self.name.encode(), self.data)


class Telling:
    """One context in the making."""

    def __init__(
        self, request: Request, forge: CachedForge, prepared: Prepared, *, fresh: bool
    ) -> None:
        self._request = request
        self._forge = forge
        self._prepared = prepared
        self._fresh = fresh
        self._happened: asyncio.Queue[_Happened] = asyncio.Queue()

    def answer(self) -> Relay:
        return Relay(self._speak)

    async def _speak(self, speaking: Speaking) -> None:
        await speaking.begin(200, _HEADERS)
        building = asyncio.ensure_future(
            self._forge.answer_aloud(self._prepared, self._happened.put_nowait, fresh=self._fresh)
        )
        building.add_done_callback(lambda _: self._happened.put_nowait(None))
        try:
            while (happened := await self._happened.get()) is not None:
                await speaking.say(bytes(self._event(happened)))
        finally:
            building.cancel()  # does nothing to what is done
        try:
            answered = await building
        except ForewordError as error:
            await self._sorry(speaking, bytes(answer_to(self._request, error).body))
        except Exception as error:  # noqa: BLE001  (the answer has begun: it is told inside)
            await self._sorry(speaking, bytes(accident(self._request, error).body))
        else:
            if answered.cache_hit:
                for told in _told_of(json.loads(answered.body)):
                    await speaking.say(bytes(told))
            await speaking.say(bytes(_Told(name="bundle", data=answered.body)))
            await speaking.end()

    async def _sorry(self, speaking: Speaking, problem: bytes) -> None:
        await speaking.say(bytes(_Told(name="error", data=problem)))
        await speaking.end()

    def _event(self, happened: Answered | Candidate) -> _Told:
        if isinstance(happened, Candidate):
            memory = memory_out(happened, explain=self._prepared.request.explain)
            return _Told(name="item", data=_MEMORY.dump_json(memory))
        told: dict[str, object] = {
            "source": happened.source.value,
            "took_ms": round(happened.seconds * 1_000, 3),
            "found": happened.found,
        }
        if happened.missing is not None:
            told["degraded"] = happened.missing
        return _told("memory_debug", told)


def _told_of(bundle: Mapping[str, Any]) -> Iterator[_Told]:
    """
    What happened when an answer from the cache was made, as far as it tells.

    How many candidates a source found is not kept: `found` counts those that are in the bundle.
    """
    memories = bundle["retrieved_memories"]
    sources = {each.value for each in Source}
    asked = bundle["metadata"]["started_ms"]
    for stage, took in bundle["metadata"]["timings_ms"].items():
        if stage in sources and stage in asked:
            found = sum(stage in each["sources"] for each in memories)
            told = {"source": stage, "took_ms": took, "found": found, "cached": True}
            yield _told("memory_debug", told)
    for memory in memories:
        yield _told("item", memory)


def _told(name: str, facts: object) -> _Told:
    return _Told(name=name, data=json.dumps(facts, ensure_ascii=False).encode())
