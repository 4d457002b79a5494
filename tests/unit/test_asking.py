"""Sets go into memory, and questions are asked, on the way of every request."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.adapters.sql.store import SqlStore
from app.evaluation.asking import Asker, Place, Sample
from app.evaluation.sets import EvaluationSet, read_set
from app.ranking.features import NAMES
from app.services.writing.waiting import IndexWaiter
from tests.factories import ACME
from tests.fakes import Memory
from tests.tiny_set import ASKED, tiny_set


@pytest.fixture
def tiny(tmp_path: Path) -> EvaluationSet:
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(tiny_set()))
    return read_set(path)


async def work_on(memory: Memory) -> None:
    while True:
        await memory.indexer.work()


class Missing(Exception):
    """A part is."""


async def missing() -> None:
    raise Missing


def asker_of(memory: Memory) -> Asker:
    return Asker(
        tenant=ACME,
        ingestor=memory.ingestor,
        waiter=IndexWaiter(memory.store, memory.indexer),
        surveyor=memory.surveyor,
        forge=memory.forge,
        look=missing,
        look_after=0.01,
    )


async def asked(store: SqlStore, tiny: EvaluationSet) -> list[Sample]:
    memory = Memory(store)
    asker = replace(asker_of(memory), look_after=600)
    indexing = asyncio.create_task(work_on(memory))
    try:
        return list(await asker.samples([tiny]))
    finally:
        indexing.cancel()
        await asyncio.gather(indexing, return_exceptions=True)


async def test_every_question_is_asked_at_home_and_away(
    store: SqlStore, tiny: EvaluationSet
) -> None:
    samples = await asked(store, tiny)

    at_home = [each for each in samples if each.place.at_home]
    assert [each.place.number for each in at_home] == [0, 1, 2, 3] * len(ASKED)
    assert [bool(each.wanted) for each in samples] == [each.place.at_home for each in samples]
    for sample in at_home:
        assert sample.found.features.shape == (len(sample.messages), len(NAMES))
        assert np.isfinite(sample.found.features).all()
        assert sample.wanted <= set(sample.messages)
        assert sample.answers.max() == len(sample.wanted) - 1
        assert all(each.startswith(sample.place.memory) for each in sample.messages)
    for sample in samples:
        if not sample.place.at_home:
            assert not any(each.startswith(sample.place.memory) for each in sample.messages)
            assert sample.known < 1


async def test_what_is_missing_while_sets_are_stored_is_not_waited_for(
    store: SqlStore, tiny: EvaluationSet
) -> None:
    memory = Memory(store)
    with pytest.raises(Missing):
        await asker_of(memory).samples([tiny])


async def test_what_is_missing_when_it_is_asked_is_not_done_without(
    store: SqlStore, tiny: EvaluationSet
) -> None:
    memory = Memory(store)
    (first, *_), asker = tiny.memories, replace(asker_of(memory), look_after=600)
    indexing = asyncio.create_task(work_on(memory))
    await asker.store(first, user_id="alice", stored=lambda _: None)
    memory.vectors.down = True
    place = Place(set=tiny.name, memory=first.id, number=0, at_home=True)
    with pytest.raises(Missing):
        await asker.ask(first.questions[0], place, user_id="alice")
    indexing.cancel()
    await asyncio.gather(indexing, return_exceptions=True)


async def test_what_others_may_answer_is_asked_at_home_only(
    store: SqlStore, tiny: EvaluationSet
) -> None:
    samples = await asked(store, replace(tiny, shared=True))
    assert [each.place.at_home for each in samples] == [True] * 4 * len(ASKED)


async def test_a_question_without_an_answer_is_asked_at_home_only(
    store: SqlStore, tiny: EvaluationSet
) -> None:
    first, second = tiny.memories
    unanswered = [replace(each, evidence=frozenset()) for each in first.questions[:1]]
    asking = replace(tiny, memories=[replace(first, questions=unanswered), second])

    samples = await asked(store, asking)

    near = [each for each in samples if each.place.memory == first.id]
    assert [(each.place.at_home, each.wanted) for each in near] == [(True, frozenset())]
    assert all(each.startswith(first.id) for each in near[0].messages)
