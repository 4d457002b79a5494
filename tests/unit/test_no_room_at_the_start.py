"""A disk without a byte left: the service tells so in words, and goes on where it can."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from app.adapters.presence import find_server, telling
from app.domain.errors import StorageFull, StoreUnavailable
from app.wiring.opening import telling_of_no_room


def test_where_its_address_cannot_be_kept_a_server_serves_unfound(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gone = tmp_path / "gone"
    with telling(gone, "http://127.0.0.1:1", "key"):
        assert find_server(gone) is None
    (told,) = caplog.messages
    assert told == "commands will not find this server"


def open_in(directory: Path, error: Exception) -> None:
    with telling_of_no_room(directory):
        raise error


@pytest.mark.parametrize(
    "error", [StoreUnavailable("disk I/O error"), sqlite3.OperationalError("database is full")]
)
def test_what_cannot_be_opened_on_a_full_disk_names_the_disk(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(type(error)):
        open_in(tmp_path, error)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": 0})())
    with pytest.raises(StorageFull, match=f"no room on the disk of {tmp_path}"):
        open_in(tmp_path, error)
