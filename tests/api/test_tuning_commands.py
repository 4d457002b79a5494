"""`foreword eval` and `foreword tune`, as an operator calls them."""

import json
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.adapters.sql import tables as t
from app.adapters.sql.database import open_database
from app.adapters.weights import read_weights
from app.ranking.features import NAMES
from tests.api.serving import run
from tests.databases import BOTH, empty_postgres_database, run_apart
from tests.factories import NOON
from tests.tiny_set import tiny_set

NONE_FOUND = "beside the questions that are held out there is none whose answer was found in memory"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(tiny_set()))
    return path


def test_weights_are_learned_and_measured(tiny: Path, tmp_path: Path) -> None:
    asked = ("tune", str(tiny), "--out", "weights.json", "--licence", "tiny=CC0", "--json")
    learned = run(tmp_path, *asked)
    assert learned.returncode == 0, learned.stderr
    assert set(json.loads(learned.stdout)) == {"tables", "declined", "worth"}
    (told,) = read_weights(tmp_path / "weights.json").learned["sets"]
    assert told == {"name": "tiny", "licence": "CC0", "questions": 8}

    measured = run(tmp_path, "eval", str(tiny), "--weights", "weights.json", "--json")
    assert measured.returncode == 0, measured.stderr
    report = json.loads(measured.stdout)
    assert report["tables"]["model"]["tiny"]["recall@10"][0] == 1
    assert set(report["worth"]["tiny"]) == set(NAMES)


def test_a_report_can_be_read(tiny: Path, tmp_path: Path) -> None:
    measured = run(tmp_path, "eval", str(tiny))
    assert measured.returncode == 0, measured.stderr
    for told in ("tiny", "BM25", "others_matched", "Nothing sufficient for"):
        assert told in measured.stdout


@pytest.mark.postgres
def test_other_engines_find_the_same(tiny: Path, tmp_path: Path, session_postgres_url: str) -> None:
    run_apart(empty_postgres_database(session_postgres_url))
    on_them = ("--database-url", session_postgres_url, "--qdrant-url", ":memory:")
    here = run(tmp_path, "eval", str(tiny), "--json")
    there = run(tmp_path, "eval", str(tiny), "--json", *on_them)
    assert there.returncode == 0, there.stderr
    model = [json.loads(each.stdout)["tables"]["model"]["tiny"] for each in (here, there)]
    assert model[0]["recall@10"] == model[1]["recall@10"] == [1, 1, 1]
    assert model[0]["mrr@10"] == pytest.approx(model[1]["mrr@10"])


@pytest.mark.postgres
def test_nothing_is_distilled_from_what_is_measured(
    tiny: Path, tmp_path: Path, session_postgres_url: str
) -> None:
    run_apart(empty_postgres_database(session_postgres_url))
    measured = run(tmp_path, "eval", str(tiny), "--database-url", session_postgres_url)
    assert measured.returncode == 0, measured.stderr
    flags: dict[str, bool] = {}
    run_apart(_read_flags(session_postgres_url, flags))
    assert flags == {"facts": False, "summaries": False, "graph": False}


async def _read_flags(url: str, flags: dict[str, bool]) -> None:
    database = open_database(url)
    async with database.read() as connection:
        rows = await connection.execute(select(t.flag.c.name, t.flag.c.value))
        flags.update({each.name: each.value for each in rows})
    await database.dispose()


@pytest.mark.parametrize("engine", BOTH)
def test_a_database_that_is_not_empty_is_left_as_it_is(
    engine: str, tiny: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'sets.db'}"
    if engine == "postgres":
        url = request.getfixturevalue("session_postgres_url")
        run_apart(empty_postgres_database(url))
    command = ("eval", str(tiny), "--json", "--database-url", url)
    first = run(tmp_path, *command)
    assert first.returncode == 0, first.stderr
    again = run(tmp_path, *command)
    assert (again.returncode, again.stdout) == (0, first.stdout)  # of sets only
    run_apart(_begin(url, "local"))
    refused = run(tmp_path, *command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "foreword: the database is not empty: sets are stored in one of their own only\n"
    )
    counts: dict[str, int] = {}
    run_apart(_count(url, counts))
    assert counts == {"tenant": 2, "message": 12}


async def _begin(url: str, tenant: str) -> None:
    database = open_database(url)
    async with database.write() as connection:
        await connection.execute(t.tenant.insert().values(id=tenant, created_at=NOON))
    await database.dispose()


async def _count(url: str, counts: dict[str, int]) -> None:
    database = open_database(url)
    async with database.read() as connection:
        for each in (t.tenant, t.message):
            found = await connection.execute(select(func.count()).select_from(each))
            counts[each.name] = found.scalar_one()
    await database.dispose()


@pytest.mark.parametrize(
    ("option", "setting", "told"),
    [
        (("--qdrant-url", "http://127.0.0.1:9"), {}, "The vector index does not answer: Qdrant at"),
        ((), {"EMBEDDER__MODEL": "/nowhere"}, "The embedding model does not answer: /nowhere is"),
    ],
)
def test_without_a_part_that_indexes_nothing_is_stored_and_waited_for(
    option: tuple[str, ...], setting: dict[str, str], told: str, tiny: Path, tmp_path: Path
) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'sets.db'}"
    ended = run(tmp_path, "eval", str(tiny), "--database-url", url, *option, **setting)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[-1].startswith(f"foreword: {told} ")
    counts: dict[str, int] = {}
    run_apart(_count(url, counts))
    assert counts == {"tenant": 0, "message": 0}


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "nowhere.json"),
        ("eval", "tiny.json", "--weights", "tiny.json"),
        ("eval", "tiny.json", "--database-url", "mysql://here"),
        ("tune", "nowhere.json", "--out", "weights.json"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    tiny: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    assert tiny.is_file()
    ended = run(tmp_path, *arguments)
    assert ended.returncode == 2
    assert ended.stderr.startswith("foreword: ")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("asked", "command", "told"),
    [
        (0, ("eval",), "tiny: no question names a message that answers it"),
        (0, ("tune", "--out", "w.json"), "tiny: no question names a message that answers it"),
        (
            1,
            ("tune", "--out", "w.json"),
            f"too little to learn from: {NONE_FOUND}",
        ),
    ],
)
def test_where_too_little_is_asked_that_is_told(
    tmp_path: Path, asked: int, command: tuple[str, ...], told: str
) -> None:
    made = tiny_set()
    made["questions"] = made["questions"][:asked]
    (tmp_path / "few.json").write_text(json.dumps(made))
    ended = run(tmp_path, *command, "few.json", "--json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"foreword: {told}\n"


def test_where_nothing_is_found_for_any_question_that_is_told(tmp_path: Path) -> None:
    made = tiny_set()
    made["questions"] = [{**each, "as_of": "1999-01-01"} for each in made["questions"]]
    (tmp_path / "early.json").write_text(json.dumps(made))
    ended = run(tmp_path, "eval", "early.json")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "foreword: tiny: nothing at all was found for any of its questions\n"
