"""Servers with an index of their own each: one of them alone serves a PostgreSQL database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.serving import run, serving
from tests.databases import drop_postgres_database, new_postgres_database, run_apart

pytestmark = pytest.mark.postgres


@pytest.fixture
def own() -> Iterator[dict[str, str]]:
    url = new_postgres_database()
    yield {"DATABASE__URL": url}
    run_apart(drop_postgres_database(url))


def test_a_second_one_is_told_to_share_an_index(own: dict[str, str], tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for each in (one, other):
        each.mkdir()
    with serving(one, **own) as server:
        second = run(other, "serve", "--port", "0", **own)
        doctor = run(other, "doctor", **own)
        asked = run(other, "keys", "list", **own)
        beside = run(one, "doctor", **own)
        assert server.end() == 0
    assert second.returncode == 3
    (line,) = (each for each in second.stderr.splitlines() if "FOREWORD_QDRANT__URL" in each)
    assert "Another process serves this database" in line
    assert "Traceback" not in second.stderr
    assert doctor.returncode == 2
    assert doctor.stderr.splitlines()[-1].endswith("set FOREWORD_QDRANT__URL.")
    assert (asked.returncode, beside.returncode) == (0, 0)
    assert run(other, "doctor", **own).returncode == 0
