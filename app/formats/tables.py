"""Tables of comma-separated values: a message a row, told by the names of the columns."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from app.domain.conversation import NewConversation, NewMessage, Role
from app.formats.fields import (
    Malformed,
    gathered,
    identified,
    identity,
    label,
    moment,
    role_of,
    short_name,
    text,
    timed,
)
from app.formats.found import Bounds, Rejected, Said

_COLUMNS = {
    "conversation": ("conversation_id", "conversation", "thread_id", "thread", "session_id"),
    "id": ("message_id", "external_id", "id"),
    "role": ("role", "from", "sender", "author"),
    "content": ("content", "text", "message", "value", "body"),
    "time": ("created_at", "timestamp", "create_time", "datetime", "date", "time"),
    "name": ("name", "speaker"),
    "label": ("label", "title", "conversation_title"),
}
PORTION = 200
"""Messages of one conversation that are given out at once."""

_Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    row: _Row


@dataclass(frozen=True, slots=True)
class _Begun:
    """How far a conversation has been read: its rows, and when the last one was said."""

    rows: int = 0
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What separates the cells of a table, and what we call its columns, if anything."""

    delimiter: str
    columns: Sequence[str | None]


def shape_of(header: str) -> Shape | None:
    """The shape that a first line tells; None: no column is what was said."""
    delimiter = max(",;\t|", key=lambda each: (header.count(each), each == ","))
    try:
        cells = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return None
    names = [each.strip().lower().replace(" ", "_") for each in cells]
    ours: list[str | None] = [None] * len(names)
    for name, aliases in _COLUMNS.items():
        known = next((each for each in aliases if each in names), None)
        if known is not None:
            ours[names.index(known)] = name
    return Shape(delimiter, ours) if "content" in ours else None


def rows(lines: Iterable[str], shape: Shape, *, most: int) -> Iterator[_Place | Rejected]:
    """The rows behind the first one, of `most` characters a cell, by our names of the columns."""
    csv.field_size_limit(max(most, csv.field_size_limit()))
    reader = csv.reader(lines, delimiter=shape.delimiter)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Rejected(f"line {reader.line_num}", str(error))
            continue
        if reader.line_num > 1 and any(cells):
            told = zip(shape.columns, cells, strict=False)
            yield _Place(reader.line_num, {name: cell for name, cell in told if name})


def said(
    several: Iterable[_Place | Rejected], bounds: Bounds, *, otherwise: str
) -> Iterator[Said | Rejected]:
    """
    Conversations, in portions; rows that name none belong to `otherwise`.

    Rows without an id are known by their place in the conversation and what they say; those without
    a time have that of the row before, at the beginning that of the first row that has one.
    """
    begun: dict[str, _Begun] = {}
    for told, run in groupby(several, key=lambda each: _conversation(each, otherwise)):
        if isinstance(told, Rejected):
            yield from (each for each in run if isinstance(each, Rejected))
            continue
        places = (each for each in run if isinstance(each, _Place))
        for portion in _portions(places):
            before = begun.get(told, _Begun())
            found = _portion(told, portion, before, bounds)
            said_at = [each.created_at for each in found.conversation.messages] or [before.said_at]
            begun[told] = _Begun(before.rows + len(portion), said_at[-1])
            yield found


def _conversation(place: _Place | Rejected, otherwise: str) -> str | Rejected:
    if isinstance(place, Rejected):
        return place
    return identity(place.row.get("conversation")) or otherwise


def _portions(places: Iterable[_Place]) -> Iterator[list[_Place]]:
    kept: list[_Place] = []
    for each in places:
        kept.append(each)
        if len(kept) == PORTION:
            yield kept
            kept = []
    if kept:
        yield kept


def _portion(conversation: str, places: Sequence[_Place], before: _Begun, bounds: Bounds) -> Said:
    at = f"line {places[0].line}"
    found = gathered(
        ((f"line {each.line}", each.row) for each in places), lambda row: _messages(row, bounds)
    )
    title, untold = _title(places[0])
    begins = next((each.created_at for each in found.messages if each.created_at), None)
    told = NewConversation(
        external_id=conversation,
        label=title,
        created_at=begins,
        messages=identified(timed(found.messages, before.said_at or begins), before.rows),
    )
    return Said(at, told, [*untold, *found.rejected])


def _title(place: _Place) -> tuple[str | None, Sequence[Rejected]]:
    """What a row says of its conversation; what cannot be stored of that costs no message."""
    try:
        return label(place.row.get("label")), []
    except Malformed as error:
        return None, [Rejected(f"line {place.line}", str(error))]


def _messages(row: _Row, bounds: Bounds) -> Iterator[NewMessage]:
    content = row.get("content", "")
    if not content.strip():
        return
    yield NewMessage(
        role=role_of(row["role"]) if row.get("role") else Role.USER,
        content=text(content, "content", most=bounds.message_chars),
        external_id=identity(row.get("id")),
        name=short_name(row.get("name"), "name"),
        created_at=moment(row.get("time"), "created_at"),
    )
