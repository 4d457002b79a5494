"""A context that is told as server-sent events while it is built."""

import asyncio
import json
from dataclasses import dataclass

from fastapi import Request
from pydantic import TypeAdapter

from app.api.passing import EVENTS, UNBUFFERED
from app.api.problems import accident, answer_to
from app.api.relaying import Relay, Speaking
from app.api.schemas.recalled import MemoryOut, memory_out
from app.domain.context import Candidate
from app.domain.errors import ForewordError
from app.domain.telling import Answered
from app.services.cached import CachedForge, Prepared

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
                for memory in json.loads(answered.body)["retrieved_memories"]:
                    data = json.dumps(memory, ensure_ascii=False).encode()
                    await speaking.say(bytes(_Told(name="item", data=data)))
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
        return _Told(name="memory_debug", data=json.dumps(told).encode())
