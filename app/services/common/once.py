"""What is stored once, however often it is asked for under one idempotency key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.errors import IdempotencyConflict
from app.ports.store import Transaction
from app.ports.stored import About


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A caller's promise that a request under `key` to `path` is always this `body_hash`."""

    path: str
    key: str
    body_hash: bytes


async def answered(
    transaction: Transaction, once: IdempotencyKey | None
) -> Mapping[str, object] | None:
    """
    What was answered under the key before.

    Raises:
        IdempotencyConflict: That was to another body.
    """
    found = once and await transaction.answers.find(once.path, once.key)
    if not (once and found):
        return None
    body_hash, answer = found
    if body_hash != once.body_hash:
        raise IdempotencyConflict(key=once.key)
    return answer


async def keep_answer(
    transaction: Transaction,
    once: IdempotencyKey | None,
    answer: Mapping[str, object],
    *,
    about: About,
    now: datetime,
) -> None:
    """Keep what is answered under the key; whoever comes after an erasure of it is heard anew."""
    if once is not None:
        await transaction.answers.keep(
            once.path, once.key, body_hash=once.body_hash, answer=answer, now=now, about=about
        )
