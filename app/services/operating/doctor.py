"""Looking whether the truth and its projections agree, and putting right what can be."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from app.domain.audit import Action
from app.domain.errors import ForewordError
from app.domain.ids import ItemKey
from app.ports import Clock, VectorIndex
from app.ports.embedding import Embedder
from app.ports.inspecting import Clinic, Inspection
from app.ports.store import Store
from app.services.common.jobs import Progress
from app.services.erasing.forget import Forgetter
from app.services.operating import examining
from app.services.operating.examining import recallable, without_words
from app.services.operating.findings import Diagnosis, Finding, Findings, counted, some
from app.services.operating.reindex import Reindexer

T = TypeVar("T")

_BATCH = 1_000

_HEALING = frozenset({"vectors"})
"""Looked at first: they heal by themselves while the others are looked at, and none would know."""

_READ_AGAIN = 500
"""Messages without a mention that are read once more, to see whether the graph lacks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """
    Checks every invariant between SQL and what is derived from it, the outbox among that.

    What SQL is asked is asked of one moment. What is on its way (noted in the outbox, being erased,
    being built) is no difference.
    """

    store: Store
    clinic: Clinic
    embedder: Embedder
    vectors: VectorIndex
    reindexer: Reindexer
    forgetter: Forgetter
    clock: Clock

    async def examine(self, progress: Progress) -> Diagnosis:
        """Look at everything; nothing is changed."""
        checks: Mapping[str, Callable[[Inspection], Awaitable[Findings]]] = {
            "integrity": examining.integrity,
            "references": examining.references,
            "counts": examining.counts,
            "scopes": examining.scopes,
            "lineage": examining.lineage,
            "full_text": examining.full_text,
            "labels": examining.labels,
            "graph": self._graph,
            "embeddings": self._embeddings,
            "vectors": self._vectors,
            "erasures": self._erasures,
            "outbox": self._outbox,
        }
        found: dict[str, Findings] = {}
        async with self.clinic.inspect() as inspection:
            for at, name in enumerate(sorted(checks, key=lambda name: name not in _HEALING)):
                progress.tell(at, len(checks))
                found[name] = await checks[name](inspection)
        progress.tell(len(checks), len(checks))
        return Diagnosis(checks=[*checks], findings=[one for name in checks for one in found[name]])

    async def examined(self, progress: Progress) -> Mapping[str, Any]:
        """The diagnosis, as it is told."""
        return (await self.examine(progress)).to_json()

    async def treated(
        self, progress: Progress, before: Diagnosis | None = None
    ) -> Mapping[str, Any]:
        """The diagnosis once what can be put right was, as it is told."""
        async with self.reindexer.logbook.noting(Action.STORE_REPAIRED) as facts:
            diagnosis = await self.treat(progress, before)
            facts.update({"fixed": counted(diagnosis.fixed), "left": counted(diagnosis.findings)})
        return diagnosis.to_json()

    async def treat(self, progress: Progress, before: Diagnosis | None = None) -> Diagnosis:
        """Look, unless that was done `before`, put right what can be, and look again."""
        before = before or await self.examine(progress)
        wrong = {each.check for each in before.findings if each.fixable}
        if "references" in wrong:  # what hangs on what is dropped follows
            wrong |= {"graph", "embeddings", "vectors"}
        if "scopes" in wrong:  # full text and the outbox hold each item under its scope
            wrong |= {"full_text", "outbox"}
        cures: Mapping[str, Callable[[], Awaitable[None]]] = {
            "references": self._drop_orphans,
            "counts": self._recount,
            "scopes": self._bring_home,
            "lineage": self._derive_anew,
            "embeddings": self._drop_embeddings,
            "full_text": lambda: self.reindexer.full_text(Progress()),
            "labels": self.reindexer.label_terms,
            "graph": self._link_anew,
            "erasures": self.forgetter.resume,
            "outbox": self._revive,
            "vectors": self._heal,
        }
        for check, cure in cures.items():
            if check in wrong:
                await cure()
        if "embeddings" in wrong:
            await self._note_unembedded()
        await self.reindexer.drained()
        after = await self.examine(progress)
        left = {(each.check, each.problem) for each in after.findings}
        fixed = [each for each in before.findings if (each.check, each.problem) not in left]
        return Diagnosis(checks=after.checks, findings=after.findings, fixed=fixed)

    async def _graph(self, inspection: Inspection) -> Findings:
        silent = await inspection.unlinked(limit=_READ_AGAIN)
        lacking = await self.reindexer.relinker.lacking(silent)
        missing = some("graph", "messages of which nothing is linked", lacking)
        return [*await examining.graph(inspection), *missing]

    async def _embeddings(self, inspection: Inspection) -> Findings:
        return await examining.embeddings(
            inspection, model=self.embedder.model, word_dimension=self.embedder.word_dimension
        )

    async def _vectors(self, inspection: Inspection) -> Findings:
        try:
            strangers = await self._strangers()
            missing = await self._missing(inspection)
            misplaced = [key async for keys in self._misplaced(inspection) for key in keys]
        except ForewordError as error:
            return [Finding(check="vectors", problem=f"no answer: {error}", count=1, fixable=False)]
        return [
            *some("vectors", "of what does not belong there", strangers),
            *some("vectors", "missing", missing),
            *some("vectors", "beside other facts than their items have", misplaced),
        ]

    async def _strangers(self) -> Sequence[ItemKey]:
        """Asked of now, since vectors are: what was just deleted is noted in the outbox."""
        strangers: list[ItemKey] = []
        async for keys in self.vectors.keys():
            async with self.clinic.inspect() as now:
                belonging = await now.belonging(keys)
                noted = await now.noted([key for key in keys if key not in belonging])
            strangers += [key for key in keys if key not in belonging and key not in noted]
        return strangers

    async def _missing(self, inspection: Inspection) -> Sequence[ItemKey]:
        missing: list[ItemKey] = []
        async for keys in recallable(inspection):
            known = await self.vectors.known(keys)
            lacking = [key for key in keys if key not in known]
            noted = await inspection.noted(lacking)
            unnoted = [key for key in lacking if key not in noted]
            async with self.clinic.inspect() as now:
                missing += sorted(await now.belonging(unnoted))
        return missing

    async def _misplaced(self, inspection: Inspection) -> AsyncIterator[Sequence[ItemKey]]:
        """Whose index entry differs, although nothing changed them since the moment of SQL."""
        async for keys in recallable(inspection):
            before = {each.key: each for each in await inspection.places(keys)}
            wrong = sorted(await self.vectors.misplaced(list(before.values())))
            noted = await inspection.noted(wrong)
            async with self.clinic.inspect() as now:
                noted |= await now.noted(wrong)
                after = await now.places(wrong)
            yield [e.key for e in after if e.key not in noted and e == before[e.key]]

    async def _erasures(self, inspection: Inspection) -> Findings:
        left = await inspection.unfinished(until=self.clock())
        waiting = [each.scope for each in left if not self.forgetter.is_at(each.scope)]
        return some("erasures", "not completed", waiting)

    async def _outbox(self, inspection: Inspection) -> Findings:
        async with self.store.observe() as observations:
            state = await observations.state(now=self.clock())
        given_up = Finding(check="outbox", problem="given up", count=state.dead)
        astray = await inspection.notes_astray()
        return [
            *([given_up] if state.dead else []),
            *some("outbox", "noted under another scope than what they are of", astray),
        ]

    async def _drop_orphans(self) -> None:
        async with self.clinic.repair() as repairs:
            await repairs.drop_orphans()

    async def _recount(self) -> None:
        async with self.clinic.inspect() as inspection:
            wrong = await inspection.miscounted()
        async with self.clinic.repair() as repairs:
            await repairs.recount(wrong)

    async def _bring_home(self) -> None:
        async with self.clinic.inspect() as inspection:
            wrong = await inspection.astray()
        for some_of_them in _portions(wrong):
            async with self.clinic.repair() as repairs:
                await repairs.bring_home(some_of_them)
            async with self.store.project() as projections:
                await projections.enqueue(some_of_them, now=self.clock())

    async def _derive_anew(self) -> None:
        """What then has no lineage is made anew of what is there to be derived from."""
        async with self.clinic.inspect() as inspection:
            misled = await inspection.misled()
        for some_of_them in _portions(misled):
            async with self.clinic.repair() as repairs:
                await repairs.drop_false_lineage(some_of_them)
        async with self.clinic.inspect() as inspection:
            underived = await inspection.underived()
        for some_of_them in _portions(underived):
            async with self.clinic.repair() as repairs:
                await repairs.derive_anew(some_of_them, now=self.clock())
        self.reindexer.consolidator.wake()

    async def _link_anew(self) -> None:
        async with self.clinic.inspect() as inspection:
            mixed = await inspection.mixed_entities()
            silent = await inspection.unlinked(limit=_READ_AGAIN)
        for some_of_them in _portions(mixed):
            async with self.clinic.repair() as repairs:
                await repairs.forget_entities(some_of_them)
        relinker = self.reindexer.relinker
        anew = mixed or await relinker.lacking(silent)
        await (relinker.relink(Progress()) if anew else relinker.settle())

    async def _drop_embeddings(self) -> None:
        async with self.clinic.inspect() as inspection:
            wrong = [
                *await inspection.orphaned_embeddings(),
                *await inspection.misshapen_embeddings(),
                *await inspection.unnormal_embeddings(),
            ]
            async for keys in recallable(inspection):
                model, of_words = self.embedder.model, self.embedder.word_dimension
                wrong += await inspection.out_of_context(keys, model=model)
                wrong += await without_words(inspection, keys, model=model, word_dimension=of_words)
        for some_of_them in _portions(wrong):
            async with self.clinic.repair() as repairs:
                await repairs.drop_embeddings(some_of_them)

    async def _note_unembedded(self) -> None:
        """What has no embedding is embedded by the indexer."""
        last: ItemKey | None = ItemKey(0)
        while last is not None:
            async with self.clinic.inspect() as inspection:
                keys = await inspection.recallable(after=last, limit=_BATCH)
                lacking = await inspection.unembedded(keys, model=self.embedder.model)
            async with self.store.project() as projections:
                await projections.enqueue(lacking, now=self.clock())
            last = keys[-1] if len(keys) == _BATCH else None

    async def _revive(self) -> None:
        async with self.clinic.inspect() as inspection:
            astray = await inspection.notes_astray()
        for some_of_them in _portions(astray):
            async with self.clinic.repair() as repairs:
                await repairs.bring_notes_home(some_of_them)
        await self.reindexer.revive(Progress())

    async def _heal(self) -> None:
        await self.reindexer.healer.heal()
        async with self.clinic.inspect() as inspection:
            async for keys in self._misplaced(inspection):
                async with self.store.project() as projections:
                    await projections.enqueue(keys, now=self.clock())


def _portions(wrong: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(wrong), _BATCH):
        yield wrong[start : start + _BATCH]
