"""Long work, as it is told."""

from datetime import datetime
from typing import Any, Self, assert_never
from uuid import UUID

from pydantic import Field

from app.api.schemas.fields import Answer
from app.ports.distilling import GivenUp
from app.ports.periods import GivenUpPeriod
from app.services.common.jobs import Job, JobStatus
from app.services.distilling.consolidating import Letter
from app.services.operating.readiness import Backlog


class ProgressOut(Answer):
    done: int
    total: int = Field(description="What is known of it by now.")


class JobOut(Answer):
    id: UUID
    kind: str
    status: JobStatus
    progress: ProgressOut
    started_at: datetime
    finished_at: datetime | None
    error: str | None
    facts: dict[str, Any] = Field(description="What it is done to, and what came of it.")

    @classmethod
    def of(cls, job: Job) -> Self:
        return cls(
            id=job.id,
            kind=job.kind,
            status=job.status,
            progress=ProgressOut(done=job.progress.done, total=job.progress.total),
            started_at=job.started_at,
            finished_at=job.finished_at,
            error=job.error,
            facts={**job.about, **job.facts},
        )

    @classmethod
    def of_given_up(cls, letter: Letter, *, status: JobStatus = JobStatus.FAILED) -> Self:
        """A conversation or a period that distilling gave up, or tries again."""
        kind, about = _about(letter)
        return cls(
            id=letter.id,
            kind=kind,
            status=status,
            progress=ProgressOut(done=0, total=1),
            started_at=letter.noted_at,
            finished_at=None,
            error=letter.error if status is JobStatus.FAILED else None,
            facts={**about, "attempts": letter.attempts},
        )


def _about(letter: Letter) -> tuple[str, dict[str, Any]]:
    """The kind of its job, and what that is about."""
    match letter:
        case GivenUp():
            left_out = [str(each) for each in letter.messages]
            about = {"conversation_id": str(letter.conversation_id), "message_ids": left_out}
            return "distil", about
        case GivenUpPeriod(span=span):
            return "summarise", {"user_id": letter.user_id, **span.told()}
        case _:
            assert_never(letter)


class WaitingOut(Answer):
    indexing: int = Field(description="Items that are to be indexed.")
    conversations: int = Field(description="Conversations that are to be distilled.")
    periods: int = Field(description="Periods that are over and to be summed up.")

    @classmethod
    def of(cls, backlog: Backlog) -> Self:
        return cls(
            indexing=backlog.items,
            conversations=backlog.conversations,
            periods=backlog.periods,
        )


class JobList(Answer):
    items: list[JobOut]
    next_cursor: str | None
    waiting: WaitingOut = Field(
        description="What the workers have still to do, of the tenant; for an operator, of all."
    )
    dead_letters: int = Field(
        description="Items that indexing has given up, of the tenant; for an operator, of all."
    )
    operator: bool = Field(description="Whether jobs of the whole service may be started.")
