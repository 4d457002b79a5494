"""Tables of comma-separated values: a message a row, told by the names of the columns."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from app.domain.conversation import NewMessage, Role, role_called
from app.formats import interleaved
from app.formats.encodings import IN_PLACE
from app.formats.fields import Malformed, identity, moment, role_of, short_name, text
from app.formats.found import Bounds, Rejected, Said
from app.formats.interleaved import Entry
from app.formats.rereading import Lines

_COLUMNS = {
    "conversation": ("conversation_id", "conversation", "thread_id", "thread", "session_id"),
    "user": ("user_id",),
    "id": ("message_id", "external_id", "id"),
    "role": ("role", "from", "sender", "author"),
    "content": ("content", "text", "message", "value", "body"),
    "time": ("created_at", "timestamp", "create_time", "datetime", "date", "time"),
    "name": ("name", "speaker"),
    "label": ("label", "title", "conversation_title"),
}
_SEPARATOR = re.compile(r"\s*\"?sep=([^\s\w\"]|\t)\"? *", re.IGNORECASE)
"""The first line that Excel writes, and takes, to tell what separates cells."""

_LINE_ENDS = re.compile("\r\n|\r|\n")
_NOTHING = " \t\r\n,;|\ufeff"

_Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    row: _Row


@dataclass(frozen=True, slots=True)
class Shape:
    """What separates the cells of a table, what we call its columns, and the header's line."""

    delimiter: str
    columns: Sequence[str | None]
    header: int
    spaced: bool
    """Whether a space stands behind each separator: it belongs to no cell."""


def shape_of(begins: str) -> Shape | None:
    """The shape that the first lines tell; None: no column is what was said."""
    told = ""
    for number, line in enumerate(_LINE_ENDS.split(begins), start=1):
        named = _SEPARATOR.fullmatch(line.removeprefix("\ufeff"))
        if named is not None and not told:
            told = named[1]
        elif line.strip(_NOTHING):
            return _shape(line.strip("\ufeff "), number, told)
    return None


def _shape(header: str, line: int, told: str) -> Shape | None:
    delimiter = told or max(",;\t|", key=lambda each: (header.count(each), each == ","))
    spaced = 0 < header.count(delimiter) == header.count(f"{delimiter} ")
    try:
        cells = next(csv.reader([header], delimiter=delimiter, skipinitialspace=spaced), [])
    except csv.Error:
        return None
    names = [each.strip().lower().replace(" ", "_") for each in cells]
    ours: list[str | None] = [None] * len(names)
    for name, aliases in _COLUMNS.items():
        known = next((each for each in aliases if each in names), None)
        if known is not None:
            ours[names.index(known)] = name
    return Shape(delimiter, ours, line, spaced) if "content" in ours else None


def rows(lines: Iterable[str], shape: Shape, bounds: Bounds) -> Iterator[_Place | Rejected]:
    """
    The rows behind the header, by our names of the columns; where they begin is their place.

    What makes no row is rejected, and reading goes on with the next line: a quotation mark that
    nobody closed takes nothing along.
    """
    csv.field_size_limit(max(bounds.message_chars, csv.field_size_limit()))
    lines_left = Lines(lines, most=bounds.record_bytes)
    reader = csv.reader(
        lines_left, delimiter=shape.delimiter, skipinitialspace=shape.spaced, strict=True
    )
    for _ in islice(lines_left, shape.header):
        pass
    while True:
        lines_left.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Rejected(f"line {lines_left.first}", f"is no row: {error}")
            lines_left.again()
            continue
        if any(map(str.strip, cells)):
            yield _row(lines_left.first, cells, shape)


def _row(line: int, cells: Sequence[str], shape: Shape) -> _Place | Rejected:
    """The cells by our names; more of them than columns are one that was cut at a separator."""
    odd = next((at for at, cell in enumerate(cells, 1) if IN_PLACE in cell), None)
    if odd is not None:
        return Rejected(f"line {line}", f"cell {odd} is no text in UTF-8 or Windows-1252")
    wanted = len(shape.columns)
    if any(map(str.strip, cells[wanted:])):
        return Rejected(f"line {line}", f"has {len(cells)} cells, and the header {wanted}")
    told = zip(shape.columns, cells, strict=False)
    return _Place(line, {name: cell for name, cell in told if name})


def said(
    several: Iterable[_Place | Rejected], bounds: Bounds, *, otherwise: str
) -> Iterator[Said | Rejected]:
    """Conversations, in portions; rows that name none belong to `otherwise`."""
    entries = (each if isinstance(each, Rejected) else _entry(each, otherwise) for each in several)
    return interleaved.said(entries, lambda row: _messages(row, bounds))


def _entry(place: _Place, otherwise: str) -> Entry | Rejected:
    at, row = f"line {place.line}", place.row
    try:
        owner = short_name(row.get("user"), "user_id")
    except Malformed as error:
        return Rejected(at, str(error))
    cell = row.get("conversation", "")
    conversation = identity(cell if cell.strip() else None) or otherwise
    return Entry(at, owner, conversation, row, row.get("label"))


def _messages(row: _Row, bounds: Bounds) -> Iterator[NewMessage]:
    """
    The message of a row.

    Raises:
        Malformed: It cannot be read, or says nothing: whoever counts rows misses it.
    """
    content = row.get("content", "")
    if not content.strip():
        raise Malformed("content says nothing")
    name = short_name(row.get("name"), "name")
    yield NewMessage(
        role=role_of(row["role"]) if row.get("role") else _role_of_speaker(name),
        content=text(content, "content", most=bounds.message_chars),
        external_id=identity(row.get("id")),
        name=name,
        created_at=moment(row.get("time"), "created_at"),
    )


def _role_of_speaker(name: str | None) -> Role:
    """Of a row that tells no role: the speaker's, where "Agent" or "Customer" stands for a name."""
    return (name and role_called(name)) or Role.USER
