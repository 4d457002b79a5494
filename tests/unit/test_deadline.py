"""All that is asked for one request is asked at once, within its one deadline."""

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from app.adapters.sql.store import SqlStore
from app.domain.context import ContextRequest, Degraded, HistoryOptions, Source
from app.domain.conversation import NewConversation, NewMessage, Role
from app.services.context.found import Found
from app.services.context.recall import Recaller
from tests.factories import ACME, NOON
from tests.fakes import Memory

DEADLINE = 1.0


class Timed(Recaller):
    """Tells how long each round of asking may take, in seconds."""

    given: list[float | None]

    async def recall(self, request: ContextRequest, *rest: Any, **more: Any) -> Found:
        self.given.append(request.deadline)
        return await super().recall(request, *rest, **more)


async def test_a_running_conversation_takes_no_round_of_its_own(store: SqlStore) -> None:
    memory = Memory(store)
    memory.clock.now = NOON + timedelta(days=1)
    said = NewMessage(role=Role.USER, content="Tea.", created_at=NOON)
    talk = NewConversation(user_id="alice", external_id="talk", messages=[said])
    await memory.ingestor.ingest(ACME, talk)
    await memory.index()
    memory.embedder.gate.close()
    timed = Timed(**{each.name: getattr(memory.recaller, each.name) for each in fields(Recaller)})
    object.__setattr__(timed, "given", [])
    forge = replace(memory.forge, recaller=timed)

    request = ContextRequest(
        query="green tea",
        user_id="alice",
        conversation_external_id="talk",
        deadline=DEADLINE,
        history=HistoryOptions(max_messages=0),
    )
    situation = await memory.surveyor.survey(ACME, request)
    bundle = await forge.build(request, situation)

    assert timed.given == [DEADLINE]
    assert bundle.degraded == [Degraded(source=Source.SEMANTIC, reason="deadline")]
    memory.embedder.gate.opened.set()
