"""Who is let in, and how much of anything: the parts of that, wired."""

import time
from datetime import timedelta
from logging import getLogger

from cachetools import LRUCache, TTLCache
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from app.adapters.sql.store import SqlStore
from app.api.bodies import BodyLimit
from app.api.gate import Gate, House
from app.api.limits import Limits
from app.api.paths import EncodedSlashes
from app.api.spelling import ReadableAddresses
from app.domain.ids import LOCAL_TENANT
from app.domain.keys import hash_of
from app.ports import Clock
from app.services.access.admit import Doorkeeper
from app.services.access.rates import Places, Rate, Rates
from app.settings import Settings

_log = getLogger(__name__)


def guard(app: FastAPI, settings: Settings) -> None:
    """Put the gate before the routes, and before it what it must not refuse."""
    house = _house(settings)
    app.add_middleware(BodyLimit, limits=house.limits)
    app.add_middleware(Gate, house=house)
    app.add_middleware(EncodedSlashes)
    app.add_middleware(ReadableAddresses)
    if house.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=house.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["*"],
        )


def _house(settings: Settings) -> House:
    limits = settings.limits
    return House(
        limits=Limits(**limits.model_dump(include=set(Limits.__slots__))),
        rates=Rates(
            rate=Rate(per_second=limits.requests_per_s, burst=limits.burst),
            full_at=LRUCache(maxsize=settings.keys.remembered),
            timer=time.monotonic,
        ),
        places=Places(most=limits.concurrent),
        open_metrics=settings.server.open_metrics,
        open_to_all=settings.server.allow_public,
        origins=frozenset(settings.server.cors_origins),
    )


def a_doorkeeper(settings: Settings, store: SqlStore, clock: Clock) -> Doorkeeper:
    limits = settings.limits
    seconds, local = settings.keys.remembered_s, settings.server.local_key
    return Doorkeeper(
        store=store,
        clock=clock,
        known=TTLCache(maxsize=settings.keys.remembered, ttl=seconds),
        trusted=LRUCache(maxsize=settings.keys.remembered),
        guesses=Rates(
            rate=Rate(per_second=limits.guesses_per_s, burst=limits.guesses),
            full_at=LRUCache(maxsize=settings.keys.remembered),
            timer=time.monotonic,
        ),
        remembered=timedelta(seconds=seconds),
        standing=TTLCache(maxsize=settings.keys.remembered, ttl=settings.proxy.keys_stand_s),
        stands=timedelta(seconds=settings.proxy.keys_stand_s),
        patience=settings.proxy.deadline_s,
        local=None if local is None else hash_of(local.get_secret_value()),
        operators=settings.keys.operators,
    )


async def tell_of_keys(doorkeeper: Doorkeeper, settings: Settings) -> None:
    """Say at start who is answered without a key."""
    if await doorkeeper.needs_keys():
        return
    callers = "whoever comes" if settings.server.allow_public else "callers on this machine"
    _log.warning(
        "there is no API key: %s are answered, as tenant %s; `foreword keys create` ends that",
        callers,
        LOCAL_TENANT,
    )
