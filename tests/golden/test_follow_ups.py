"""Questions in a running conversation that are understood only by what was said before them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml
from httpx import AsyncClient

from app.settings import Settings
from app.text.leaning import leans
from tests.api.speaking import context, said, settings_for, store, talking_to
from tests.databases import run_apart
from tests.fakes_embedder import a_compiled_model
from tests.golden.asking import Asked, asked_of, store_all
from tests.golden.golden_set import golden_set

FOUND, RANK = 0.87, 0.38
"""The least recall and mean reciprocal rank; without what was said before, 0.46 and 0.30."""

FOUND_ALONE, RANK_ALONE = 0.99, 0.75
"""Of those that lean on nothing."""

TURNS: Sequence[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "following" / "turns.yaml").read_text("utf-8")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A question with what it found, whether it leans, and what it was told to lean on."""

    asked: Asked
    leans: bool
    told: str | None
    before: str


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> list[Followed]:
    a_compiled_model()
    answers: list[Followed] = []
    run_apart(_ask_all(settings_for(tmp_path_factory.mktemp("following")), answers))
    return answers


async def _ask_all(settings: Settings, answers: list[Followed]) -> None:
    async with talking_to(settings) as client:
        await store_all(client, golden_set())
        for at, turn in enumerate(TURNS):
            answers.append(await _ask(client, turn, f"running-{at}"))


async def _ask(client: AsyncClient, turn: dict[str, Any], name: str) -> Followed:
    """Each in a conversation of its own, which no later one finds."""
    before = [said(turn["before"]), said(turn["reply"], role="assistant")]
    running = await store(client, *before, external_id=name, user_id=turn["user"])
    bundle = await context(client, turn["ask"], user_id=turn["user"], conversation_external_id=name)
    (await client.delete(f"/conversations/{running['id']}")).raise_for_status()
    asked = asked_of(bundle, user=turn["user"], category="following", evidence=turn["evidence"])
    return Followed(
        asked=replace(asked, found=[each for each in asked.found if each]),
        leans=turn.get("leans", True),
        told=bundle["metadata"]["leans_on"],
        before=running["message_ids"][0],
    )


def test_what_leans_finds_what_it_found(followed: Sequence[Followed]) -> None:
    _assert_found([each.asked for each in followed if each.leans], FOUND, RANK)


def test_what_leans_on_nothing_is_found_as_ever(followed: Sequence[Followed]) -> None:
    _assert_found([each.asked for each in followed if not each.leans], FOUND_ALONE, RANK_ALONE)


def _assert_found(asked: Sequence[Asked], found: float, rank: float) -> None:
    assert fmean(bool(each.reciprocal_rank) for each in asked) >= found
    assert fmean(each.reciprocal_rank for each in asked) >= rank


def test_each_tells_what_it_leans_on(followed: Sequence[Followed]) -> None:
    told = {each.asked.question: each.told for each in followed}
    assert told == {each.asked.question: each.before if each.leans else None for each in followed}


def test_what_leans_is_told_from_what_does_not() -> None:
    assert [leans(each["ask"]) for each in TURNS] == [each.get("leans", True) for each in TURNS]
