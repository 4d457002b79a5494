"""API keys: who may ask for what, and how a key is written down."""

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from app.domain.audit import ANYONE, COMMAND, Actor
from app.domain.ids import LOCAL_TENANT, KeyId, TenantId

SECRET_BYTES = 32
PREFIX = "fwd_"
"""How every key begins, so that one that strayed into a repository can be found."""

LOCAL_PREFIX = "local_"
"""How the key begins that a server makes for commands on its machine."""

_SECRET = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{43}")
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AGE = re.compile(r"([1-9][0-9]*)([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Permission(StrEnum):
    """What a key may do. None holds another: a key that may write and read has both."""

    # In requests and answers: a key's `scopes`. A `Scope` here is a user's memory.

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


USUAL = frozenset({Permission.READ, Permission.WRITE})
"""What a new key may do unless something else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as stored: its secret is known by its hash only."""

    id: KeyId
    tenant: TenantId
    name: str
    permissions: frozenset[Permission]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def opens(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, for whom, and what of it is allowed."""

    tenant: TenantId
    permissions: frozenset[Permission]
    actor: Actor
    operates: bool = False
    """Whether they may do what concerns every tenant."""


ANYONE_HERE = Caller(
    tenant=LOCAL_TENANT, permissions=frozenset(Permission), actor=ANYONE, operates=True
)
"""The caller while no key exists: whoever is on this machine."""

OPERATOR = Caller(
    tenant=LOCAL_TENANT, permissions=frozenset(Permission), actor=COMMAND, operates=True
)
"""A command of ours on this machine, which found the key that the server left there for it."""


def written(secret: bytes) -> str:
    """
    A secret of 32 random bytes as callers write it.

    Raises:
        ValueError: It has another length.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes")
    return PREFIX + urlsafe_b64encode(secret).decode().rstrip("=")


def looks_like_a_key(text: str) -> bool:
    return _SECRET.fullmatch(text) is not None


def hash_of(key: str) -> bytes:
    """
    What is stored of a key.

    SHA-256 without salt or stretching: those protect secrets that can be guessed, and nobody
    guesses 256 random bits.
    """
    return sha256(key.encode()).digest()


def tenant_named(text: str) -> TenantId:
    """
    The tenant that an operator names.

    Raises:
        ValueError: It is not 1 to 64 letters, digits, dots, hyphens or underscores.
    """
    if _TENANT.fullmatch(text) is None:
        raise ValueError("a tenant is named by 1 to 64 of A-Z a-z 0-9 . _ -, not ._- first")
    return TenantId(text)


def permissions_named(text: str) -> frozenset[Permission]:
    """
    Permissions as in "read,write".

    Raises:
        ValueError: There is none, or one that we do not know.
    """
    names = [each for each in re.split(r"[,\s]+", text) if each]
    unknown = sorted(set(names) - set(Permission))
    if unknown or not names:
        told = f", not {', '.join(unknown)}" if unknown else ""
        raise ValueError(f"scopes are some of {', '.join(Permission)}, joined by commas{told}")
    return frozenset(map(Permission, names))


def in_order(permissions: frozenset[Permission]) -> list[Permission]:
    return [each for each in Permission if each in permissions]


def expiry_named(text: str, *, now: datetime) -> datetime:
    """
    When a key ends: an age ("90d"; minutes, hours, days, weeks), a day in UTC, or an RFC 3339 time.

    Raises:
        ValueError: It is none of these, not after `now`, or after all years.
    """
    try:
        ends = _after(text, now) or _moment(text)
    except OverflowError:
        raise ValueError("an expiry so far off is none: the year 9999 is the last") from None
    except ValueError:
        raise ValueError("an expiry is 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z") from None
    if ends <= now:
        raise ValueError("an expiry lies in the future")
    return ends


def _after(text: str, now: datetime) -> datetime | None:
    found = _AGE.fullmatch(text)
    return found and now + timedelta(**{_UNITS[found[2]]: int(found[1])})


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    is_day = len(text) == len("2027-01-31")
    if moment.tzinfo is None and not is_day:
        raise ValueError("without an offset")
    return moment.replace(tzinfo=UTC) if is_day else moment.astimezone(UTC)
