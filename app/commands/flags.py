"""The command `foreword flags`."""

import json
from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.commands.reaching import Service, reaching
from app.terminal import stop

_WORDS = {"true": True, "false": False, "null": None}


@reaching
def flags(
    service: Service,
    changes: Annotated[
        list[str] | None, typer.Argument(help="NAME=VALUE; null lets the default hold again.")
    ] = None,
) -> None:
    """Show what is switched on, or switch parts while the service runs."""
    given = _once(map(_change, changes or ()))
    with service.client() as client:
        told = client.change_flags(**given) if given else client.flags()

    def show(console: Console) -> None:
        table = Table("flag", "value", "", box=None)
        for name in told["defaults"]:
            table.add_row(name, json.dumps(told[name]), told["unavailable"].get(name, ""))
        console.print(table)

    service.tell(told, show)


def _once(changes: Iterable[tuple[str, object]]) -> dict[str, object]:
    given: dict[str, object] = {}
    for name, value in changes:
        if given.setdefault(name, value) != value:
            stop(f"{name} is set twice, and not to the same")
    return given


def _change(spelled: str) -> tuple[str, object]:
    name, is_one, value = spelled.partition("=")
    if not is_one:
        stop(f"{spelled} is no NAME=VALUE")
    if value.lower() in _WORDS:
        return name, _WORDS[value.lower()]
    try:
        return name, json.loads(value)
    except ValueError:
        stop(f"{spelled}: what {name} is set to is true, false, null or a number")
