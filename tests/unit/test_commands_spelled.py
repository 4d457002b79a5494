"""What is given to a command is looked at before any service is asked."""

from pathlib import Path

import pytest

from tests.commanding import refused


def test_an_export_replaces_no_file_unless_it_is_told_to(tmp_path: Path) -> None:
    file = tmp_path / "x.ndjson"
    file.write_text("mine")
    told = refused("export", str(file), "--url", "http://127.0.0.1:9")
    assert told == f"foreword: {file} is there already; --force replaces it"
    forced = refused("export", str(file), "--force", "--url", "http://127.0.0.1:9")
    assert "is there already" not in forced
    assert file.read_text() == "mine"


def test_an_empty_file_and_a_device_have_nothing_to_lose(tmp_path: Path) -> None:
    (tmp_path / "x.ndjson").touch()
    for file in (tmp_path / "x.ndjson", Path("/dev/null")):
        told = refused("export", str(file), "--url", "http://127.0.0.1:9")
        assert "is there already" not in told, file


@pytest.mark.parametrize("kind", ["user", "conversation", "message", "memory"])
def test_what_has_no_name_is_not_forgotten(kind: str) -> None:
    told = refused("forget", kind, "", "--yes", "--url", "http://127.0.0.1:9")
    assert told == f"foreword: which {kind}? What is given is empty"


@pytest.mark.parametrize("value", ["off", "", "yes"])
def test_a_value_that_no_flag_has_is_told_with_the_flag(value: str) -> None:
    told = refused("flags", f"graph={value}", "--url", "http://127.0.0.1:9")
    assert told == (
        f"foreword: graph={value}: what graph is set to is true, false, null or a number"
    )
