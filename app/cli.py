"""The `foreword` command: a thin shell over the same composition."""

import asyncio
import ipaddress
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
import uvicorn

from app.adapters.embedder import ModelSpec, compile_model
from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import upgrade
from app.api.logging import configure_logging
from app.domain.errors import ForewordError
from app.settings import PREFIX, Settings, SettingsError, load_settings
from app.tuning import eval_command, tune_command

app = typer.Typer(
    help="Memory for LLM agents.", no_args_is_help=True, pretty_exceptions_enable=False
)

DataDir = Annotated[
    Path | None, typer.Option(help="Where the embedded engines keep data.", file_okay=False)
]
app.command("eval")(eval_command)
app.command("tune")(tune_command)


@app.callback()
def main() -> None:
    """Memory for LLM agents."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", min=0, max=65535)] = None,
    data_dir: DataDir = None,
) -> None:
    """Run the service: migrate, then answer requests until told to stop."""
    settings = _settings(data_dir)
    host = host or settings.server.host
    port = settings.server.port if port is None else port
    if not (settings.server.allow_public or _is_loopback(host)):
        _stop(
            f"{host} can be reached by others, and there are no keys: "
            "set FOREWORD_SERVER__ALLOW_PUBLIC=true if something in front of it keeps them out"
        )
    configure_logging(settings.log.level, json=settings.log.json_lines)
    # The application is made by uvicorn and reads its settings itself.
    os.environ[f"{PREFIX}DATA_DIR"] = str(settings.data_dir)
    config = uvicorn.Config(
        "app.main:create_app",
        factory=True,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.server.drain_s),
    )
    listening = config.bind_socket()
    typer.echo(f"Data: {settings.data_dir.absolute()}")
    typer.echo(f"Docs: http://{host}:{listening.getsockname()[1]}/docs")
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, _end)
    server = uvicorn.Server(config)
    server.run(sockets=[listening])
    if not server.started:
        sys.exit(3)


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database to this release's schema (serve does so too)."""
    settings = _settings(data_dir)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(_migrate(settings))
    except ForewordError as error:
        _stop(str(error))


async def _migrate(settings: Settings) -> None:
    database = open_database(settings.database_url)
    try:
        await upgrade(database.writer)
    finally:
        await database.dispose()


@app.command("compile")
def compile_command() -> None:
    """Compile the embedding model into the user's cache, once; later calls only check it."""
    settings = _settings(None)
    spec = ModelSpec(source=settings.embedder.model, precision=settings.embedder.precision)
    try:
        compiled = compile_model(spec, settings.model_cache)
    except ForewordError as error:
        _stop(str(error))
    typer.echo(f"Model: {compiled.folder}")


def _settings(data_dir: Path | None) -> Settings:
    try:
        return load_settings(**({} if data_dir is None else {"data_dir": data_dir}))
    except SettingsError as error:
        _stop(str(error))


def _end(_: int, __: FrameType | None) -> NoReturn:
    """To be told to end is no failure; uvicorn raises the signal once more when all is done."""
    sys.exit(0)


def _stop(line: str) -> NoReturn:
    """End with one clear line."""
    typer.echo(f"foreword: {line}", err=True)
    raise typer.Exit(2)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
