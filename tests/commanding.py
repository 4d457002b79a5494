"""Commands, as they are typed."""

from typer.testing import CliRunner, Result

from app.cli import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})


def refused(*arguments: str) -> str:
    """The one line that a command ends with."""
    ended = run(*arguments)
    assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
    (line,) = ended.stderr.splitlines()
    return line
