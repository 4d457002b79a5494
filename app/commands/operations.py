"""The commands `foreword backup`, `restore`, `reindex` and `doctor`."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.reaching import Key, Service, Url, reaching
from app.domain.projections import INDEXES, Projection
from app.progress import watched
from app.terminal import AsJson, DataDir, alone, check_there, counted, run, settings_of, stop

if TYPE_CHECKING:
    from app.adapters.sql.copies.backup import Manifest
    from app.api.deps import Services
    from app.services.common.jobs import Progress, Work

Force = Annotated[bool, typer.Option("--force", help="What is there already may be lost.")]

BringBackErased = Annotated[
    bool,
    typer.Option(
        "--bring-back-erased", help="Do not erase again what was erased since the backup."
    ),
]


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="The backup to write; without it a new one in `backups` of the data directory.",
            dir_okay=False,
        ),
    ] = None,
    url: Url = None,
    key: Key = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
    force: Force = False,  # noqa: FBT002  (a switch)
) -> None:
    """
    Write all that cannot be made again into one file; a server may go on serving.

    The service at --url writes it into its own data directory.
    """
    if file is None:
        _backup_of_its_own(Service(url, key, data_dir, as_json))
        return
    if url is not None:
        stop("a service writes its backup into its own data directory: --url takes no FILE")
    from app.backups import back_up  # noqa: PLC0415  (slow)

    settings = settings_of(data_dir)
    check_there(settings)
    if file.exists() and not force:
        stop(f"{file} is there already; --force replaces it")
    with watched(quiet=as_json) as watch:
        manifest = run(back_up(settings, file, watch))
    _tell(_facts(manifest), f"Backup: {file}, {_summary(manifest)}", as_json=as_json)


def _backup_of_its_own(service: Service) -> None:
    """Have the service write one into its data directory, wherever that is."""
    from app.operations import Errand  # noqa: PLC0415  (slow)

    errand = Errand(job="backup", work=lambda services: services.back_up, working=False)
    facts = service.done(errand)
    url, _ = service.address(settings_of(service.data_dir))
    there = "" if url is None else f", on the machine of {url}"
    line = f"Backup: {facts['file']}, {_counts(facts['rows'])}{there}"
    _tell(facts, line, as_json=service.as_json)


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.", exists=True, dir_okay=False)],
    data_dir: DataDir = None,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
    force: Force = False,  # noqa: FBT002  (a switch)
    bring_back_erased: BringBackErased = False,  # noqa: FBT002  (a switch)
) -> None:
    """
    Bring a backup back, of either database to either; no server may be running on it.

    With --force what is there is replaced; what was erased of it since the backup was taken is
    erased of the backup too, and its audit log and its API keys are kept.

    Full text and vectors are made from it at the next start, without embedding anything again.
    """
    from app.backups import restore as brought_back  # noqa: PLC0415  (slow)

    settings = settings_of(data_dir)
    with alone(settings), watched(quiet=as_json) as watch:
        manifest, since = run(
            brought_back(
                settings,
                file,
                watch,
                force=force,
                bring_back_erased=bring_back_erased,
                warn=lambda line: typer.echo(f"foreword: {line}", err=True),
            )
        )
    facts = {**_facts(manifest), **since.counts()}
    line = f"Restored: {_summary(manifest)}"
    if since.keys_kept:
        line += f"\nKept: {counted(since.keys_kept, 'API key')}, in the place of the backup's"
    _tell(facts, line, as_json=as_json)


@reaching
def reindex(
    service: Service,
    projection: Annotated[
        Projection | None,
        typer.Argument(help="What is made anew; without it fts, vectors and graph."),
    ] = None,
) -> None:
    """Make an index anew from what was said; a server does it while serving."""
    from app.operations import Errand  # noqa: PLC0415  (slow)

    def work(services: "Services") -> "Work":
        return partial(services.reindexer.reindex, projection)

    about = {"projection": projection.value} if projection else {}
    facts = service.done(Errand(job="reindex", about=about, work=work))
    what = projection.value if projection else ", ".join(INDEXES)
    _tell(facts, f"{what}: {counted(facts['items'], 'item')}", as_json=service.as_json)


@reaching
def doctor(
    service: Service,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what can be.")] = False,  # noqa: FBT002  (a switch)
) -> None:
    """
    Compare what was said with all that is derived from it, and tell what differs.

    Ends with 0 if they agree, in the end, and with 1 if not.
    """
    from app.operations import Errand  # noqa: PLC0415  (slow)

    def work(services: "Services") -> "Work":
        return partial(_treated, services) if fix else services.doctor.examined

    told = service.done(Errand(job="doctor", about={"fix": fix}, work=work, working=False))
    _tell(told, _prescription(told), as_json=service.as_json)
    if not told["sound"]:
        raise typer.Exit(1)


async def _treated(services: "Services", progress: "Progress") -> Mapping[str, Any]:
    """Looks before anything begins to heal by itself, so that all that was found is told."""
    before = await services.doctor.examine(progress)
    async with services.at_work():
        return await services.doctor.treated(progress, before)


def _tell(facts: Mapping[str, Any], line: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(facts) if as_json else line)


def _facts(manifest: "Manifest") -> Mapping[str, Any]:
    return asdict(manifest)


def _summary(manifest: "Manifest") -> str:
    return f"{_counts(manifest.rows)}, of {manifest.created_at}"


def _counts(rows: Mapping[str, int]) -> str:
    return (
        f"{counted(rows['conversation'], 'conversation')}, {counted(rows['message'], 'message')}, "
        f"{counted(rows['embedding'], 'embedding')}"
    )


def _prescription(told: Mapping[str, Any]) -> str:
    """What differs, and what was put right, a line for each."""
    lines = [f"fixed: {_line(each)}" for each in told["fixed"]]
    lines += [
        f"{'' if each['fixable'] else '(by hand) '}{_line(each)}" for each in told["findings"]
    ]
    return "\n".join([*lines, _verdict(told)])


def _line(finding: Mapping[str, Any]) -> str:
    examples = f" ({', '.join(finding['examples'])}, …)" if finding["examples"] else ""
    return f"{finding['check']}: {finding['count']:,} {finding['problem']}{examples}"


def _verdict(told: Mapping[str, Any]) -> str:
    looked_at = ", ".join(told["checks"])
    if told["sound"]:
        return f"All agrees: {looked_at}"
    can = any(each["fixable"] for each in told["findings"])
    return "What differs can be put right: --fix" if can else "This needs a person"
