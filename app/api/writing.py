"""What a caller may ask of any request that stores: to be stored once, and to wait for indexes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response

from app.api.deps import Services
from app.api.reading import beside
from app.api.schemas.fields import Body
from app.domain.ids import TenantId
from app.services.common.once import IdempotencyKey

REPLAYED = {"Idempotency-Replayed": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """What a request is to be stored under once, if anything."""

    path: str
    key: str | None

    def with_body(self, body_hash: bytes) -> IdempotencyKey | None:
        if self.key is None:
            return None
        return IdempotencyKey(path=self.path, key=self.key, body_hash=body_hash)


async def _once(
    request: Request,
    idempotency_key: Annotated[
        str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)
    ] = None,
) -> Once:
    return Once(path=request.url.path, key=idempotency_key)


AsOnce = Annotated[Once, Depends(_once)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    request: Request
    response: Response
    asked: Once
    wait: Literal["indexed"] | None
    wait_s: float

    async def once(self, body: Body) -> IdempotencyKey | None:
        if self.asked.key is None:
            return None
        size = len(await self.request.body())
        return self.asked.with_body(await beside(size, partial(hash_of, body)))

    async def settle(
        self,
        services: Services,
        tenant: TenantId,
        outbox_key: int,
        *,
        of: Sequence[UUID],
        facts: Mapping[str, object],
        replayed: bool,
    ) -> bool:
        """
        Whether it is indexed, after waiting if asked to; what `facts` tell is stored anyway.

        `of`: the messages or items that were asked to be stored.
        """
        if replayed:
            self.response.headers.update(REPLAYED)
        if self.wait is None:
            services.waiter.wake()
            return False
        await services.waiter.wait(tenant, outbox_key, of=of, seconds=self.wait_s, facts=facts)
        return True


def hash_of(body: Body) -> bytes:
    return sha256(json.dumps(body.model_dump(mode="json"), sort_keys=True).encode()).digest()


async def _writing(
    request: Request,
    response: Response,
    once: AsOnce,
    wait: Annotated[
        Literal["indexed"] | None, Query(description="Answer once it can be found.")
    ] = None,
    wait_s: Annotated[float, Query(gt=0, le=600, description="Seconds.")] = 30.0,
) -> Writing:
    return Writing(
        request=request,
        response=response,
        asked=once,
        wait=wait,
        wait_s=wait_s,
    )


AsWriting = Annotated[Writing, Depends(_writing)]
