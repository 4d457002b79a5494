"""All that is logged goes to standard error: the standard output belongs to commands and MCP."""

import json
import logging
from collections.abc import Iterator

import pytest
import stamina
from stamina.instrumentation import set_on_retry_hooks

from app.api.logging import configure_logging


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    set_on_retry_hooks(None)


def retry_once() -> None:
    for attempt in stamina.retry_context(on=OSError, attempts=2, wait_initial=0, wait_jitter=0):
        with attempt:
            if attempt.num == 1:
                raise OSError


def test_a_retry_is_a_line_of_json_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", json=True)
    retry_once()
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert not told.out
    assert json.loads(line)["event"] == "stamina.retry_scheduled"


def test_commands_say_nothing_of_retries(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("error", json=False)
    retry_once()
    assert capsys.readouterr() == ("", "")
