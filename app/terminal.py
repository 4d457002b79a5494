"""
What the commands share: where data is, and how to end with one clear line.

Every command is told to the shell before one is chosen, so no module of a command imports what is
slow: each does so where it begins to work.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import typer
from rich.console import Console

from app.adapters.presence import Address, find_server, held, held_or_visited
from app.domain.errors import DataDirectoryInUse, ForewordError

if TYPE_CHECKING:
    from app.settings import Settings

T = TypeVar("T")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

DataDir = Annotated[
    Path | None, typer.Option(help="Where the embedded engines keep data.", file_okay=False)
]

_WITHOUT_EDGE = 1_000_000
STARTING = 10.0
"""Seconds that a server may take to begin to listen."""

_HARMLESS: dict[int, int | None] = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"},
    ord("\r"): None,
    0x7F: ord("␡"),
    **dict.fromkeys(range(0x80, 0xA0), ord("\ufffd")),
}


def harmless(text: str) -> str:
    """What somebody else wrote, with control characters to be seen: a terminal would obey them."""
    return text.translate(_HARMLESS)


def a_console() -> Console:
    """
    Where people read what a command tells.

    What is no terminal has no edge: a file or a pipe gets each line, and each id, whole.
    """
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WITHOUT_EDGE
    return console


def begin() -> None:
    """A letter that the standard output has not is told by its number, and ends nothing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def takes_all_letters() -> bool:
    """Whether the standard output does."""
    return (sys.stdout.encoding or "").lower().startswith("utf")


def counted(number: int, one: str) -> str:
    """How many, and of what: "1 message", "1,200 messages"."""
    return f"{number:,} {one if number == 1 else f'{one}s'}"


def settings_of(data_dir: Path | None = None, **given: object) -> "Settings":
    """The settings of a command; `given` wins, and a mistake in them ends it."""
    from app.settings import SettingsError, load_settings  # noqa: PLC0415  (slow; help needs it not)

    if data_dir is not None:
        given["data_dir"] = data_dir
    try:
        return load_settings(**given)
    except SettingsError as error:
        stop(str(error))


def is_there(settings: "Settings") -> bool:
    """Whether there is a database with our schema, or a server that makes it."""
    if find_server(settings.data_dir) is not None:
        return True
    file = settings.database_file
    return run(_is_made(settings.database_url)) if file is None else file.exists()


async def _is_made(url: str) -> bool:
    from app.adapters.sql.migrate import as_it_is  # noqa: PLC0415  (slow)

    async with as_it_is(url) as database:
        return database is not None


def check_there(settings: "Settings") -> None:
    """End the command where there is no database yet: who only asks does not make one."""
    if is_there(settings):
        return
    file = settings.database_file
    if file is None:
        stop("there is nothing of Foreword in the database")
    stop(f"there is no database in {file.parent}")


@contextmanager
def server_or_alone(settings: "Settings") -> Iterator[Address | None]:
    """
    The server that has the data; None: it is had alone meanwhile, or any number may have it.

    Who has it and cannot be reached ends the command.
    """
    with ExitStack() as stack:
        yield _server(settings, stack) if settings.embedded else None


def _server(settings: "Settings", stack: ExitStack) -> Address | None:
    try:
        return stack.enter_context(held_or_visited(settings.data_dir, seconds=STARTING))
    except DataDirectoryInUse as error:
        stop(str(error))


@contextmanager
def alone(settings: "Settings") -> Iterator[None]:
    """Have the data directory to oneself, or end with a line that says who has it."""
    try:
        with held(settings.data_dir):
            yield
    except DataDirectoryInUse as error:
        stop(str(error))


def run(work: Coroutine[None, None, T]) -> T:
    """Do it to its end; what is refused ends the command."""
    try:
        return asyncio.run(work)
    except ForewordError as error:
        stop(str(error))


def stop(line: str) -> NoReturn:
    """End with one clear line."""
    typer.echo(f"foreword: {harmless(line)}", err=True)
    raise typer.Exit(2)
