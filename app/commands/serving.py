"""The commands `foreword serve`, `mcp`, `migrate` and `compile`."""

import gc
import ipaddress
import json
from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from app.adapters.private import own_directory
from app.domain.errors import ForewordError
from app.progress import watched
from app.terminal import AsJson, DataDir, alone, run, settings_of, stop

if TYPE_CHECKING:
    from app.settings import Settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", min=0, max=65535)] = None,
    data_dir: DataDir = None,
) -> None:
    """Run the service: migrate, then answer requests until told to stop."""
    # Nothing of what is loaded now is garbage, and to look for some takes a sixth of the start.
    gc.disable()
    from app.serving import serve_until_told  # noqa: PLC0415  (slow)

    settings = settings_of(data_dir)
    host = host or settings.server.host
    if not (settings.server.allow_public or _is_loopback(host) or _has_keys(settings)):
        stop(
            f"{host} can be reached by others, and there are no keys: make one with `foreword keys "
            "create`, or set FOREWORD_SERVER__ALLOW_PUBLIC=true if something keeps them out"
        )
    serve_until_told(settings, host, settings.server.port if port is None else port)


def mcp(
    data_dir: DataDir = None,
    url: Annotated[
        str | None, typer.Option(help="A server elsewhere; else FOREWORD_CLIENT__URL.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="An API key for it; else FOREWORD_CLIENT__KEY.")
    ] = None,
    user_id: Annotated[
        str | None,
        typer.Option(help="Whose memory; else FOREWORD_MCP__USER_ID; none: models may name users."),
    ] = None,
) -> None:
    """Serve the Model Context Protocol over standard input and output, for an application."""
    from app.mcp import speak_mcp  # noqa: PLC0415  (slow)
    from app.settings import revealed  # noqa: PLC0415  (slow)

    settings = settings_of(data_dir)
    speak_mcp(
        settings,
        url=url or settings.client.url,
        key=key or revealed(settings.client.key),
        user_id=user_id or settings.mcp.user_id,
    )


def migrate(
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Bring the database to this release's schema (serve does so too)."""
    settings = settings_of(data_dir)
    own_directory(settings.data_dir)
    with nullcontext() if settings.database_file is None else alone(settings):
        facts = run(_migrate(settings))
    before = f"before: {facts['found'] or 'none'}"
    typer.echo(json.dumps(facts) if as_json else f"Schema: {facts['schema']} ({before})")


def compile_command(
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Compile the models into the user's cache, once; later calls only check them."""
    from app.wiring.models import compile_models  # noqa: PLC0415  (slow)

    settings = settings_of()
    try:
        with watched(quiet=as_json) as watch:
            compiled = compile_models(settings, watch)
    except ForewordError as error:
        stop(str(error))
    folders = {purpose: str(folder) for purpose, folder in compiled.items()}
    lines = [f"{purpose.capitalize()}: {folder}" for purpose, folder in folders.items()]
    typer.echo(json.dumps(folders) if as_json else "\n".join(lines))


async def _migrate(settings: "Settings") -> Mapping[str, str | None]:
    """The schema that the database has now, and which one was found; None: it was empty."""
    from app.adapters.sql.database import open_database  # noqa: PLC0415  (slow)
    from app.adapters.sql.migrate import head, upgrade  # noqa: PLC0415  (as above)

    database = open_database(settings.database_url)
    try:
        found = await upgrade(database.writer)
    finally:
        await database.dispose()
    return {"schema": head(), "found": found or None}


def _has_keys(settings: "Settings") -> bool:
    from app.wiring.keys import any_key  # noqa: PLC0415  (slow)

    try:
        return run(any_key(settings))
    except OSError as error:
        stop(str(error))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
