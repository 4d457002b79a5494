"""Exports of more than is read of a file at once: all of it is read."""

import io
import zipfile
from typing import Any

import pytest

from app.formats.archive import CHUNK
from app.formats.found import Said
from app.formats.reading import Reading
from tests.exports import lines_of, spelled
from tests.readings import BOUNDS, contents_in, rejected_in

SAID = [f"Report {each} is late, and nobody knows why." for each in range(CHUNK // 25)]
MESSAGES: list[Any] = [{"role": "user", "content": each} for each in SAID]


def zipped(raw: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("conversations.json", raw)
    return written.getvalue()


FILES = {
    "a list of messages": spelled(MESSAGES),
    "lines of messages": lines_of(*MESSAGES),
    "a zip of a list": zipped(spelled(MESSAGES)),
    "a list of conversations": spelled([{"messages": [each]} for each in MESSAGES]),
    "a table": "\n".join(["content", *(f'"{each}"' for each in SAID)]).encode(),
}


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES.keys())
def test_nothing_of_a_large_file_is_left_out(raw: bytes) -> None:
    assert len(raw) > CHUNK
    assert rejected_in(raw) == []
    assert contents_in(raw) == SAID


@pytest.mark.parametrize("raw", FILES.values(), ids=FILES.keys())
def test_it_is_told_how_much_of_it_is_read(raw: bytes) -> None:
    reading = Reading(io.BytesIO(raw), BOUNDS)
    done = [reading.done for each in reading if isinstance(each, Said)]
    assert done == sorted(done)
    assert done[0] < reading.done == reading.total
