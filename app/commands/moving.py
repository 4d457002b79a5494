"""The commands `foreword import` and `foreword export`."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from app.commands.reaching import Service, User, reaching
from app.domain.watching import BYTES, Step, Watch
from app.progress import watched
from app.terminal import counted, harmless, stop

if TYPE_CHECKING:
    from app.client import Client

_AT_ONCE = 2**20
_PIPED = "-"
"""The standard input or output, as a file is called."""
_UNREADABLE = "/problems/import-unreadable"
_AGAIN = "what came in is stored: begin again, and the rest follows"
_SHOWN = 20
_IMPORTED = ("conversations", "messages", "duplicates", "memories", "users")
"""What an answer counts of what came in, or was there."""
_MESSAGE = b'"role":'
"""Of each message in an export there is one: inside of texts, quotation marks are escaped."""


def _there(file: Path) -> Path:
    """Typer's own check finds no file that is called like the standard input."""
    if str(file) != _PIPED and not file.exists():
        raise typer.BadParameter(f"file {str(file)!r} does not exist.")
    return file


@reaching
def import_command(
    service: Service,
    file: Annotated[
        Path,
        typer.Argument(
            help="An export, - for the standard input; what kind it is, is found out.",
            callback=_there,
            dir_okay=False,
        ),
    ],
    user_id: User = None,
) -> None:
    """
    Bring in an export: of Foreword, ChatGPT or Claude, lists of messages, ShareGPT or CSV.

    What is there already is not stored twice, so an import that was interrupted is begun again.
    Ends with 1 only if nothing could be imported.
    """
    with service.client(may_make=True) as client, watched(quiet=service.as_json) as watch:
        told = _imported(client, file, user_id, watch)
    rejected = told["rejected"]

    def show(console: Console) -> None:
        memories = f", {counted(told['memories'], 'memory item')}" if told.get("memories") else ""
        consent = f", consent of {counted(told['users'], 'user')} read" if told.get("users") else ""
        others = f" ({told['differing']:,} otherwise)" if told.get("differing") else ""
        console.print(
            f"New: {counted(told['conversations'], 'conversation')}, "
            f"{counted(told['messages'], 'message')}{memories}; "
            f"{told['duplicates']:,} there already{others}{consent}, {len(rejected):,} rejected"
        )
        for each in rejected[:_SHOWN]:
            told_so = harmless(f"{each['at']}: {each['reason']}")
            console.print(told_so, style="yellow", markup=False)
        if len(rejected) > _SHOWN:
            console.print(f"… and {len(rejected) - _SHOWN} more; --json tells up to 1,000")

    service.tell(told, show)
    if rejected and not any(told.get(name) for name in _IMPORTED):
        raise typer.Exit(1)


@reaching
def export_command(
    service: Service,
    file: Annotated[
        Path, typer.Argument(help="Where to; - for the standard output.", dir_okay=False)
    ] = Path(_PIPED),
    user_id: Annotated[str | None, typer.Option(help="Of this user; else of all.")] = None,
    embeddings: Annotated[bool, typer.Option("--embeddings", help="Also the vectors.")] = False,  # noqa: FBT002  (a switch)
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,  # noqa: FBT002  (a switch)
) -> None:
    """Write out everything of a user or a tenant, a JSON object a line, to be imported again."""
    if not file.parent.is_dir():
        stop(f"there is no directory {file.parent}")
    if not force and file.is_file() and file.stat().st_size:
        stop(f"{file} is there already; --force replaces it")
    with service.client() as client:
        chunks = client.export(user_id, embeddings=embeddings)
        if str(file) == _PIPED:
            sys.stdout.buffer.writelines(chunks)
            return
        if file.is_char_device() or file.is_fifo():  # there is nothing to replace
            with file.open("wb") as opened:
                opened.writelines(chunks)
            return
        with watched(quiet=service.as_json) as watch:
            try:
                lines, size = _written(chunks, file, watch)
            except OSError as error:
                stop(f"{file} cannot be written: {error.strerror}")
    facts = {"file": str(file), "lines": lines, "bytes": size}
    told = f"{file}: {counted(lines, 'line')}, {counted(size, 'byte')}"
    service.tell(facts, lambda console: console.print(told, markup=False))


def _imported(client: "Client", file: Path, user_id: str | None, watch: Watch) -> Mapping[str, Any]:
    from app.client import ClientError  # noqa: PLC0415  (slow)

    last: Mapping[str, Any] = {}
    piped = str(file) == _PIPED
    with nullcontext(sys.stdin.buffer) if piped else file.open("rb") as opened:
        try:
            sent = _sent(opened, 0 if piped else file.stat().st_size, watch)
            for last in client.import_file(sent, user_id):
                if "done" in last:
                    watch(_importing(last))
        except ClientError as error:
            if last and not error.problem:
                raise ClientError(f"{error}; {_AGAIN}") from error
            if error.problem.get("type") != _UNREADABLE:
                raise
            return _nothing(file, str(error.problem.get("detail") or error))
    if "rejected" not in last:
        told = last.get("detail") or "the service ended before it was done"
        raise ClientError(f"{told}; {_AGAIN}")
    return last


def _nothing(file: Path, reason: str) -> Mapping[str, Any]:
    rejected = [{"at": file.name, "reason": reason}]
    return {"conversations": 0, "messages": 0, "duplicates": 0, "rejected": rejected}


def _written(chunks: Iterator[bytes], file: Path, watch: Watch) -> tuple[int, int]:
    """How many lines and bytes; the file appears whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    lines = size = messages = 0
    total: int | None = None
    try:
        with part.open("wb") as opened:
            for chunk in chunks:
                opened.write(chunk)
                lines += chunk.count(b"\n")
                size += len(chunk)
                messages += chunk.count(_MESSAGE)
                total = _told(chunk) if total is None else total
                watch(Step(name="exporting", done=messages, total=total, unit="messages"))
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return lines, size


def _told(chunk: bytes) -> int:
    """How many messages an export will have, by its first line; 0 where it does not say."""
    try:
        return int(json.loads(chunk.partition(b"\n")[0])["messages"])
    except (ValueError, LookupError, TypeError):
        return 0


def _sent(file: IO[bytes], size: int, watch: Watch) -> Iterator[bytes]:
    done = 0
    while chunk := file.read(_AT_ONCE):
        yield chunk
        done += len(chunk)
        watch(Step(name="sending", done=done, total=size, unit=BYTES))


def _importing(told: Mapping[str, Any]) -> Step:
    new, known = told["messages"], told["duplicates"]
    return Step(
        name="importing",
        done=told["done"],
        total=told["total"],
        unit="messages",
        counted=new + known,
        said=f"{new:,} new, {known:,} known",
    )
