"""What a person sees of long work, and when there is nothing to see."""

from io import StringIO

import pytest
from rich.console import Console

from app.domain.watching import BYTES, Step, counting
from app.progress import watched


def seen(*steps: Step, quiet: bool = False, terminal: bool = True) -> str:
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=160, color_system=None)
    with watched(quiet=quiet, console=console) as watch:
        for each in steps:
            watch(each)
    return written.getvalue()


HALF = Step(name="exporting", done=500, total=1_000, unit="messages")


def test_how_far_how_fast_and_how_long_still() -> None:
    told = seen(HALF)
    assert "exporting" in told
    assert "50%" in told
    assert "messages/s" in told
    assert "left" in told


def test_the_rate_is_of_what_is_counted() -> None:
    bytes_read = Step(name="importing", done=7, total=10, unit="messages", counted=0, said="3 new")
    told = seen(bytes_read)
    assert "70%" in told
    assert "0.0 messages/s" in told
    assert "3 new" in told


def test_each_step_has_a_bar_of_its_own() -> None:
    sent = Step(name="sending", done=2_000_000, total=0, unit=BYTES)
    told = seen(sent, HALF)
    assert "sending" in told
    assert "exporting" in told
    assert "B/s" in told


@pytest.mark.parametrize("hidden", [{"quiet": True}, {"terminal": False}])
def test_nothing_is_shown_to_a_machine(hidden: dict[str, bool]) -> None:
    assert not seen(HALF, **hidden).strip()


def test_parts_are_counted() -> None:
    told: list[Step] = []
    count = counting(told.append, "asking", "questions", 3)
    count(2)
    count(1)
    assert [(each.done, each.total) for each in told] == [(0, 3), (2, 3), (3, 3)]
