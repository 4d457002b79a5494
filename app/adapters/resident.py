"""What the process holds of the machine's memory."""

import ctypes
import mmap
import sys
from collections.abc import Iterator
from pathlib import Path

_MAPPINGS = Path("/proc/self/maps")


def give_back() -> None:
    """
    Give back what was freed and is still held, where the C library can: starting frees a lot.

    Of an idle server it is some 25 MB.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):  # glibc
        libc.malloc_trim(0)


def give_back_files(inside: Path) -> None:
    """
    Hold no more, on Linux, of the files of a directory that are mapped here than is used from now.

    Who opens a vector index reads its files ahead, and most of these are pages with nothing in them
    yet: 54 MB of an empty one. The system still has what it read, changed or not, and each page
    comes back when it is used.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    for start, size in _shared_mappings(inside.resolve()):
        libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.MADV_DONTNEED)


def _shared_mappings(inside: Path) -> Iterator[tuple[int, int]]:
    """Where its files are mapped, and how many bytes; of private ones changes would be lost."""
    for line in _MAPPINGS.read_text().splitlines():
        span, may, *_, file = line.split(maxsplit=5)
        if may.endswith("s") and Path(file).is_relative_to(inside):
            start, stop = (int(each, base=16) for each in span.split("-"))
            yield start, stop - start
