"""How a command reaches the service, and how it tells what was answered."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, cast

import typer
from rich.console import Console

from app.adapters.presence import Address, find_server
from app.progress import watched
from app.terminal import (
    AsJson,
    DataDir,
    a_console,
    check_there,
    server_or_alone,
    settings_of,
    stop,
    takes_all_letters,
)

if TYPE_CHECKING:
    from app.client import Client
    from app.operations import Errand
    from app.settings import Settings

P = ParamSpec("P")

Url = Annotated[
    str | None,
    typer.Option(help="A service that runs; else FOREWORD_CLIENT__URL, or the one of the data."),
]
Key = Annotated[str | None, typer.Option(help="The API key to show it; else FOREWORD_CLIENT__KEY.")]
User = Annotated[str | None, typer.Option(help="Whose memory; without it, nobody's.")]

_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Service:
    """Where a command finds the service, and whether it answers in JSON."""

    url: str | None
    key: str | None
    data_dir: Path | None
    as_json: bool

    @contextmanager
    def client(self, *, may_make: bool = False) -> Iterator["Client"]:
        """
        A client of the service: at the address given, or that runs on this data directory.

        Where none runs, this process is one as long as the block lasts, which other commands find.
        Where there is no database either, the command ends, unless it `may_make` one.
        """
        from app.client import Client  # noqa: PLC0415  (slow; help needs it not)

        settings = settings_of(self.data_dir)
        url, key = self.address(settings)
        if url is not None:
            with Client(url, key, seconds=_SECONDS) as client:
                yield client
            return
        if not may_make:
            check_there(settings)
        with (
            _here(settings) as found,
            Client(found.url, key or found.key, seconds=_SECONDS) as client,
        ):
            yield client

    def address(self, settings: "Settings") -> tuple[str | None, str | None]:
        """Where a service runs, None: where the data is; and the key to show it."""
        from app.settings import revealed  # noqa: PLC0415  (slow)

        return self.url or settings.client.url, self.key or revealed(settings.client.key)

    def done(self, errand: "Errand") -> Mapping[str, Any]:
        """
        What came of some long work: of a service at the address given, or of this data directory.

        Where none runs, this process does it. What is refused ends the command.
        """
        from app.client import ClientError  # noqa: PLC0415  (slow)
        from app.operations import done, done_there  # noqa: PLC0415  (as above)

        settings = settings_of(self.data_dir)
        url, key = self.address(settings)
        if url is None:
            check_there(settings)
        try:
            with watched(quiet=self.as_json) as watch:
                if url is None:
                    return done(settings, errand, watch)
                return done_there(url, key, errand, watch)
        except ClientError as error:
            stop(str(error))

    def tell(self, facts: object, show: Callable[[Console], None]) -> None:
        """Print what was answered, for a machine or for a person."""
        if self.as_json:
            typer.echo(json.dumps(facts, ensure_ascii=not takes_all_letters()))
        else:
            show(a_console())


def _service(
    url: Url = None,
    key: Key = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> Service:
    return Service(url, key, data_dir, as_json)


def reaching(command: Callable[Concatenate[Service, P], None]) -> Callable[..., None]:
    """A command with the options that tell where the service is; its refusals end with a line."""

    @wraps(command)
    def run(**given: object) -> None:
        from app.client import ClientError  # noqa: PLC0415  (as above)

        where = {name: given.pop(name) for name in inspect.signature(_service).parameters}
        try:  # Typer has checked them all
            cast("Callable[..., None]", command)(
                cast("Callable[..., Service]", _service)(**where), **given
            )
        except ClientError as error:
            stop(str(error))

    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    options = inspect.signature(_service, eval_str=True).parameters.values()
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *options)]
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


@contextmanager
def _here(settings: "Settings") -> Iterator[Address]:
    """The service of this data directory: the one that runs, or this process."""
    if find_server(settings.data_dir) is None:
        import app.serving  # noqa: F401, PLC0415  (slow: better before others are kept out)
    with server_or_alone(settings) as server:
        if server is not None:
            yield server
            return
        from app.serving import serving  # noqa: PLC0415  (as above)

        with serving(settings) as address:
            yield address
