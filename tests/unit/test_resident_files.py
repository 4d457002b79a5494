"""Of mapped files no more is held than is used."""

import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.adapters.resident import give_back_files

SIZE = 64 * mmap.PAGESIZE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mappings are told by /proc")


@contextmanager
def mapped(file: Path, access: int) -> Iterator[mmap.mmap]:
    file.write_bytes(b"." * SIZE)
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), SIZE, access=access) as mapping:
        assert mapping[:] == b"." * SIZE  # all of it is read, and held
        yield mapping


def held_of(file: Path) -> int:
    """The kilobytes of a mapped file that this process holds."""
    told = Path("/proc/self/smaps").read_text().partition(str(file))[2]
    return int(told.partition("Rss:")[2].split()[0])


def test_a_file_of_the_directory_is_held_no_more_and_says_what_it_said(tmp_path: Path) -> None:
    with mapped(tmp_path / "pages", mmap.ACCESS_WRITE) as mapping:
        mapping[:4] = b"told"  # not on the disk yet
        assert held_of(tmp_path / "pages") == SIZE // 1024
        give_back_files(tmp_path)
        assert held_of(tmp_path / "pages") == 0
        assert mapping[:6] == b"told.."
    assert (tmp_path / "pages").read_bytes()[:6] == b"told.."


def test_what_is_of_another_directory_stays(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    with mapped(tmp_path / "inside-not", mmap.ACCESS_READ):
        give_back_files(tmp_path / "inside")
        assert held_of(tmp_path / "inside-not") == SIZE // 1024


def test_what_is_changed_for_this_process_alone_is_not_lost(tmp_path: Path) -> None:
    with mapped(tmp_path / "pages", mmap.ACCESS_COPY) as mapping:
        mapping[:4] = b"mine"
        give_back_files(tmp_path)
        assert mapping[:4] == b"mine"


def test_a_file_with_blanks_and_breaks_in_its_name_is_no_trouble(tmp_path: Path) -> None:
    directory = tmp_path / "a b\nc"
    directory.mkdir()
    with mapped(directory / "pages", mmap.ACCESS_WRITE) as mapping:
        give_back_files(directory)
        assert mapping[:1] == b"."
