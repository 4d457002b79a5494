"""What a person sees of long work: how far it is, how fast, and how long it still takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from app.domain.watching import BYTES, Step, Watch


@contextmanager
def watched(*, quiet: bool, console: Console | None = None) -> Iterator[Watch]:
    """
    Show a bar for each step until the block ends.

    Nothing where only JSON is wanted (`quiet`), nor where the standard error is no terminal.
    """
    console = console or Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _Rate(),
        TimeRemainingColumn(),
        TextColumn("left"),
        TextColumn("{task.fields[step].said}", markup=False),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        tasks: dict[str, TaskID] = {}

        def show(step: Step) -> None:
            if step.name not in tasks:
                tasks[step.name] = progress.add_task(step.name, step=step)
            total = step.total or None
            progress.update(tasks[step.name], completed=step.done, total=total, step=step)

        yield show


class _Rate(ProgressColumn):
    """How much a second, from the beginning to the end or until now."""

    def render(self, task: Task) -> Text:
        step: Step = task.fields["step"]
        counted = step.done if step.counted is None else step.counted
        return Text(
            _per_second(counted / (task.finished_time or task.elapsed or 1.0), step.unit),
            style="cyan",
        )


def _per_second(rate: float, unit: str) -> str:
    if unit == BYTES:
        return f"{decimal(int(rate))}/s"
    return f"{rate:,.0f} {unit}/s" if rate >= 10 else f"{rate:.1f} {unit}/s"
