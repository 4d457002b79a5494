"""
The store: SQL, the truth.

A snapshot reads, a transaction writes; both belong to one tenant, so no query can be written
without one. Workers, who serve every tenant, have `Projections`.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from uuid import UUID

from app.domain.ids import TenantId
from app.ports.answering import AnswerKeeper
from app.ports.conversations import (
    ConversationReader,
    ConversationWriter,
    MessageReader,
    MessageWriter,
    ScopeReader,
    ScopeWriter,
)
from app.ports.distilling import DistilReader, DistilWriter
from app.ports.erasing import Eraser
from app.ports.governing import Admission, AuditReader, AuditWriter, KeyReader, KeyWriter
from app.ports.graph import GraphReader, GraphWriter
from app.ports.measuring import MetricsReader
from app.ports.memories import MemoryReader, MemoryWriter
from app.ports.moving import Export, Identities
from app.ports.periods import PeriodReader, PeriodWriter
from app.ports.personal import FlagReader, FlagWriter, PersonalReader, PersonalWriter
from app.ports.projecting import Observations, Projections
from app.ports.recalling import BundleReader, Recall
from app.ports.stored import Counts


class Snapshot(Protocol):
    """Reads of one tenant; each sees the last commit before it."""

    @property
    def scopes(self) -> ScopeReader: ...
    @property
    def conversations(self) -> ConversationReader: ...
    @property
    def messages(self) -> MessageReader: ...
    @property
    def memories(self) -> MemoryReader: ...
    @property
    def recall(self) -> Recall: ...
    @property
    def bundles(self) -> BundleReader: ...
    @property
    def personal(self) -> PersonalReader: ...
    @property
    def flags(self) -> FlagReader: ...
    @property
    def keys(self) -> KeyReader: ...
    @property
    def audit(self) -> AuditReader: ...
    @property
    def metrics(self) -> MetricsReader: ...
    @property
    def distilling(self) -> DistilReader: ...
    @property
    def periods(self) -> PeriodReader: ...
    @property
    def graph(self) -> GraphReader: ...
    @property
    def export(self) -> Export: ...
    async def counts(self) -> Counts: ...
    async def indexed_until(self, outbox_key: int) -> bool:
        """Whether no row of this tenant up to this one waits; what was given up does not."""
        ...

    async def given_up(self, ids: Sequence[UUID]) -> int:
        """How many of these messages and memory items, with their parts, indexing gave up."""
        ...


class Transaction(Protocol):
    """Writes of one tenant that happen all or not at all."""

    @property
    def scopes(self) -> ScopeWriter: ...
    @property
    def conversations(self) -> ConversationWriter: ...
    @property
    def messages(self) -> MessageWriter: ...
    @property
    def memories(self) -> MemoryWriter: ...
    @property
    def distilling(self) -> DistilWriter: ...
    @property
    def periods(self) -> PeriodWriter: ...
    @property
    def graph(self) -> GraphWriter: ...
    @property
    def erase(self) -> Eraser: ...
    @property
    def personal(self) -> PersonalWriter: ...
    @property
    def flags(self) -> FlagWriter: ...
    @property
    def keys(self) -> KeyWriter: ...
    @property
    def audit(self) -> AuditWriter: ...
    @property
    def identities(self) -> Identities: ...
    @property
    def answers(self) -> AnswerKeeper: ...
    async def last_outbox_key(self) -> int: ...


class Store(Protocol):
    """Opens units of work. Each raises StoreUnavailable when the database does not answer."""

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Snapshot]:
        """What was committed; on a replica, which may lag, where one is set."""
        ...

    def read_latest(self, tenant: TenantId) -> AbstractAsyncContextManager[Snapshot]:
        """What was committed, never from a replica: for who must know what is so by now."""
        ...

    def write(self, tenant: TenantId) -> AbstractAsyncContextManager[Transaction]: ...

    def project(self) -> AbstractAsyncContextManager[Projections]: ...

    def observe(self) -> AbstractAsyncContextManager[Observations]: ...

    def admit(self) -> AbstractAsyncContextManager[Admission]: ...

    async def overwrite_some(self) -> bool:
        """Overwrite some of what was erased where no query finds it; whether there may be more."""
        ...
