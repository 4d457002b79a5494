"""A file on its way in is kept where there is room, as the body of a request or in a form."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import httpx
import pytest
from fastapi import Request
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from starlette.types import Message

from app.api.receiving import received
from app.domain.errors import ImportUnreadable, StorageFull

BOUNDARY = "xyz"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
HEADER = 'Content-Disposition: form-data; name="file"; filename="list.json"'


def a_request(*chunks: bytes, kind: str = "application/octet-stream") -> Request:
    told = iter([*chunks, b""])
    left = len(chunks)

    async def receive() -> Message:
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": next(told), "more_body": left >= 0}

    headers = [(b"content-type", kind.encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


def a_form(content: bytes, *others: str) -> bytes:
    parts = [f"--{BOUNDARY}\r\n{each}\r\n\r\nfield\r\n".encode() for each in others]
    file = f"--{BOUNDARY}\r\n{HEADER}\r\n\r\n".encode() + content + b"\r\n"
    return b"".join(chain(parts, [file, f"--{BOUNDARY}--\r\n".encode()]))


async def what_came(directory: Path, request: Request) -> bytes:
    async with received(request, directory) as file:
        file.seek(0)
        return file.read()


def is_empty(directory: Path) -> bool:
    return not list(directory.iterdir())


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """As on a disk that fills up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@given(
    content=st.binary(max_size=300).filter(lambda told: b"xyz" not in told),
    size=st.integers(1, 100),
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_file_comes_as_it_was_sent(tmp_path: Path, content: bytes, size: int) -> None:
    form = a_form(content, 'Content-Disposition: form-data; name="a"')
    for sent, kind in ((content, "text/csv"), (form, FORM)):
        chunks = [sent[at : at + size] for at in range(0, len(sent), size)]
        assert await what_came(tmp_path, a_request(*chunks, kind=kind)) == content
    assert is_empty(tmp_path)


async def test_a_form_of_a_client_holds_its_first_file(tmp_path: Path) -> None:
    files = [("one", ("a.json", b"first")), ("two", ("b.json", b"second"))]
    sent = httpx.Request("POST", "http://x", data={"user": "alice"}, files=files)
    request = a_request(sent.read(), kind=sent.headers["content-type"])
    assert await what_came(tmp_path, request) == b"first"


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"", FORM),
        (b"no form at all", FORM),
        (a_form(b"x").replace(b"; filename", b"; nothing"), FORM),
        (a_form(b"x").replace(b"form-data", b"x" * 20_000), FORM),
        (a_form(b"x"), "multipart/form-data"),
        (a_form(b"x"), "multipart/form-data; boundary="),
    ],
)
async def test_a_form_without_a_file_is_refused(tmp_path: Path, sent: bytes, kind: str) -> None:
    with pytest.raises(ImportUnreadable):
        await what_came(tmp_path, a_request(sent, kind=kind))


@pytest.mark.parametrize("kind", ["application/json", FORM])
async def test_a_file_that_there_is_no_room_for_is_refused(tmp_path: Path, kind: str) -> None:
    large = b"x" * 3 * 2**20
    sent = a_form(large) if kind == FORM else large
    with no_file_beyond(2**20), pytest.raises(StorageFull):
        await what_came(tmp_path, a_request(sent, b"", kind=kind))
    with pytest.raises(StorageFull):
        await what_came(tmp_path / "missing", a_request(sent, kind=kind))
