"""What a stored vector can be narrowed by: the fields, their index types, and filters over them.

Both engines take their words from here, so they cannot drift apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto

from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPlace

SCOPE = "scope"
TENANT = "tenant"
CONVERSATION = "conversation"
ROLE = "role"
TYPE = "type"
AT = "at"
UNTIL = "until"


class FieldIndex(Enum):
    """How an engine indexes a field. A filter over one without an index costs ten times more."""

    TENANT = auto()
    """Text that every search is narrowed by: the engine keeps its points together."""
    KEYWORD = auto()
    LOOKUP = auto()
    """Whole numbers, compared for equality only."""
    MOMENT = auto()
    """RFC 3339 text, compared as a whole number of microseconds: exact in the years 1 to 9999."""


INDEXES: Mapping[str, FieldIndex] = {
    SCOPE: FieldIndex.TENANT,
    TENANT: FieldIndex.KEYWORD,
    CONVERSATION: FieldIndex.LOOKUP,
    ROLE: FieldIndex.KEYWORD,
    TYPE: FieldIndex.KEYWORD,
    AT: FieldIndex.MOMENT,
    UNTIL: FieldIndex.MOMENT,
}

Values = tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """The field is there and is one of `values`, of which there is at least one."""

    field: str
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf:
    """The field is none of `values`, or is not there at all."""

    field: str
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The field lies within every bound that is given, of which there is at least one."""

    field: str
    gte: datetime | None = None
    lt: datetime | None = None
    lte: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlasting:
    """The field lies behind `moment`, or is not there at all."""

    field: str
    moment: datetime


Condition = AnyOf | NoneOf | Between | Outlasting


def payload_of(place: VectorPlace) -> dict[str, object]:
    """What is stored beside the vector; what a place does not have is left out."""
    fields: dict[str, object] = {
        SCOPE: str(place.scope),
        TENANT: place.tenant,
        TYPE: place.type.value,
        AT: moment(place.created_at),
    }
    if place.conversation is not None:
        fields[CONVERSATION] = place.conversation
    if place.role is not None:
        fields[ROLE] = place.role.value
    if place.until is not None:
        fields[UNTIL] = moment(place.until)
    return fields


def misplaced(
    stored: Mapping[ItemKey, Mapping[str, object]], places: Sequence[VectorPlace]
) -> set[ItemKey]:
    """The keys of those `places` beside whose vector another payload is stored."""
    return {
        each.key for each in places if each.key in stored and stored[each.key] != payload_of(each)
    }


def moment(at: datetime) -> str:
    """The stored form of an aware time."""
    return at.astimezone(UTC).isoformat()


def conditions(within: RecallFilter) -> Sequence[Condition] | None:
    """All that must hold for a point to be found, the scope first; None when nothing can be."""
    if not within.scopes or within.conversations == frozenset():
        return None
    wanted = (
        _any_of(SCOPE, tuple(sorted({str(scope) for scope in within.scopes}))),
        _any_of(CONVERSATION, tuple(sorted(within.conversations or ()))),
        _none_of(CONVERSATION, tuple(sorted(within.without_conversations))),
        _any_of(ROLE, tuple(sorted(role.value for role in within.roles))),
        _any_of(TYPE, tuple(sorted(item_type.value for item_type in within.types))),
        _between(AT, gte=within.after, lt=within.before, lte=within.as_of),
        _outlasting(UNTIL, within.held_at),
    )
    return tuple(condition for condition in wanted if condition is not None)


def _any_of(field: str, values: Values) -> AnyOf | None:
    return AnyOf(field=field, values=values) if values else None


def _none_of(field: str, values: Values) -> NoneOf | None:
    return NoneOf(field=field, values=values) if values else None


def _between(
    field: str, *, gte: datetime | None, lt: datetime | None, lte: datetime | None
) -> Between | None:
    if gte is lt is lte is None:
        return None
    return Between(field=field, gte=gte, lt=lt, lte=lte)


def _outlasting(field: str, moment: datetime | None) -> Outlasting | None:
    return None if moment is None else Outlasting(field=field, moment=moment)
