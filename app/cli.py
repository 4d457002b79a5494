"""The `foreword` command: every one of its commands, and nothing that only some of them need."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app import __version__
from app.commands import keys
from app.commands.demo import demo
from app.commands.flags import flags
from app.commands.memory import ask, conversations, forget, history
from app.commands.moving import export_command, import_command
from app.commands.operations import backup, doctor, reindex, restore
from app.commands.serving import compile_command, mcp, migrate, serve
from app.commands.tuning import eval_command, tune_command
from app.domain.errors import ForewordError
from app.terminal import begin, stop


class _Commands(TyperGroup):
    """Commands that end with one clear line where they cannot do what they are told."""

    def main(self, *arguments: Any, **about: Any) -> Any:  # noqa: ANN401  (as typer has it)
        begin()
        return super().main(*arguments, **about)

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer has its own
        try:
            return super().invoke(ctx)
        except ForewordError as error:
            stop(str(error))


app = typer.Typer(
    cls=_Commands,
    help="Memory for LLM agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

for command in (serve, demo):
    app.command()(command)
app.command("import")(import_command)
app.command("export")(export_command)
for command in (ask, conversations, history, forget, flags, mcp):
    app.command()(command)
for command in (backup, restore, reindex, doctor, migrate):
    app.command()(command)
app.command("compile")(compile_command)
app.command("eval")(eval_command)
app.command("tune")(tune_command)
app.add_typer(keys.commands, name="keys")


def _version(wanted: bool) -> None:  # noqa: FBT001  (a switch)
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[  # noqa: FBT002  (a switch, done with before any command)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    """Memory for LLM agents."""
