"""The commands `foreword keys create`, `list` and `revoke`: they need the database, no server."""

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer
from rich.table import Column, Table
from rich.text import Text

from app.adapters.presence import find_server, held
from app.domain.errors import DataDirectoryInUse, KeyNotFound
from app.domain.ids import KeyId, TenantId
from app.domain.keys import (
    USUAL,
    ApiKey,
    expiry_named,
    in_order,
    permissions_named,
    tenant_named,
)
from app.terminal import AsJson, DataDir, a_console, is_there, run, settings_of, stop

if TYPE_CHECKING:
    from app.services.access.keys import KeyRing
    from app.settings import Settings

T = TypeVar("T")
MOST_NAME = 255
_USUAL = [each.value for each in in_order(USUAL)]

Tenant = Annotated[str, typer.Option(help="Whose memory the key opens.")]

commands = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@commands.command()
def create(
    tenant: Tenant,
    name: Annotated[str, typer.Option(help="What it is for.")],
    scopes: Annotated[
        list[str], typer.Option(help="Of read, write, admin; joined by commas, or once for each.")
    ] = _USUAL,
    expires: Annotated[
        str | None, typer.Option(help="90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z.")
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Make a key; it is shown now and never again. A running server knows it within seconds."""
    owner, what_for = _read(tenant_named, tenant), _read(_name, name)
    permissions = _read(permissions_named, ",".join(scopes))
    ends = None if expires is None else _read(partial(expiry_named, now=_now()), expires)
    key, spelled = _with_ring(
        settings_of(data_dir),
        lambda ring: ring.create(
            tenant=owner, name=what_for, permissions=permissions, expires_at=ends
        ),
    )
    if as_json:
        typer.echo(json.dumps({"key": spelled, **_described(key)}))
        return
    typer.echo(spelled)
    typer.echo(f"Key {key.id} of tenant {tenant}: keep it, it is not shown again.", err=True)


@commands.command("list")
def list_keys(
    tenant: Annotated[str | None, typer.Option(help="Of this tenant only.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Every key, revoked and expired ones too; never what opens."""
    wanted = None if tenant is None else _read(tenant_named, tenant)
    settings = settings_of(data_dir)
    keys: Sequence[ApiKey] = ()
    if is_there(settings):
        keys = _with_ring(settings, lambda ring: _all_keys(ring, wanted))
    if as_json:
        typer.echo(json.dumps([_described(each) for each in keys], indent=2))
        return
    a_console().print(_table(keys))


@commands.command()
def revoke(
    key_id: Annotated[UUID, typer.Argument(help="The id that `list` shows.")],
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Close a key for good. A running server refuses it within seconds."""
    settings = settings_of(data_dir)
    if not is_there(settings):
        stop(KeyNotFound(key_id=str(key_id)).title)
    revoked = _with_ring(settings, lambda ring: _revoke(ring, KeyId(key_id)))
    if as_json:
        typer.echo(json.dumps(_described(revoked)))
        return
    typer.echo(f"Key {revoked.id} ({revoked.name}) of tenant {revoked.tenant} is revoked.")


async def _all_keys(ring: "KeyRing", tenant: TenantId | None) -> Sequence[ApiKey]:
    async with ring.store.admit() as admission:
        return await admission.keys(tenant)


async def _revoke(ring: "KeyRing", key_id: KeyId) -> ApiKey:
    for each in await _all_keys(ring, None):
        if each.id == key_id:
            return await ring.revoke(each.tenant, key_id)
    raise KeyNotFound(key_id=str(key_id))


def _with_ring(settings: "Settings", work: Callable[["KeyRing"], Awaitable[T]]) -> T:
    """Do `work` on the database of the settings, which is made if there is none."""
    from app.wiring.keys import a_key_ring  # noqa: PLC0415  (slow)

    _check_not_lost(settings)

    async def worked() -> T:
        async with a_key_ring(settings) as ring:
            return await work(ring)

    try:
        return run(worked())
    except OSError as error:
        stop(str(error))


def _check_not_lost(settings: "Settings") -> None:
    """End the command where a server's database is gone: a new one would stand in its place."""
    file, server = settings.database_file, find_server(settings.data_dir)
    if file is None or file.exists() or server is None:
        return
    try:
        with held(settings.data_dir):
            return  # that server was killed
    except DataDirectoryInUse:
        stop(f"the server at {server.url} has {file} open, but it is gone: /readyz says what to do")


def _read(meaning: Callable[[str], T], text: str) -> T:
    try:
        return meaning(text)
    except ValueError as error:
        stop(str(error))


def _name(name: str) -> str:
    if not (1 <= len(name) <= MOST_NAME and name.isprintable()):
        raise ValueError(f"a name has 1 to {MOST_NAME} characters, all of which can be seen")
    return name


def _described(key: ApiKey) -> dict[str, object]:
    moments = ("created_at", "expires_at", "last_used_at", "revoked_at")
    return {
        "id": str(key.id),
        "tenant": key.tenant,
        "name": key.name,
        "scopes": in_order(key.permissions),
        **{name: at and at.isoformat() for name in moments for at in [getattr(key, name)]},
    }


def _table(keys: Sequence[ApiKey]) -> Table:
    names = ("tenant", "name", "scopes", "expires", "last used")
    table = Table(Column("id", no_wrap=True), *names, Column("state", no_wrap=True), box=None)
    for key in keys:
        state = "revoked" if key.revoked_at else "open" if key.opens(_now()) else "expired"
        scopes = ",".join(in_order(key.permissions))
        ends, used = _day(key.expires_at), _day(key.last_used_at)
        table.add_row(str(key.id), key.tenant, Text(key.name), scopes, ends, used, state)
    return table


def _day(moment: datetime | None) -> str:
    return moment.isoformat(" ", "minutes") if moment else "-"


def _now() -> datetime:
    return datetime.now(UTC)
