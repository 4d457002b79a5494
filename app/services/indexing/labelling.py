"""Indexing the labels of what was stored before there was such an index, or in other terms."""

from dataclasses import dataclass, field
from logging import getLogger

from app.domain.errors import ForewordError
from app.ports.store import Store
from app.text.labels import VERSION

_log = getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class LabelIndexer:
    """Works through the labels a batch at a time; goes on where another one stopped."""

    store: Store
    batch: int = 500
    version: str = VERSION
    complete: bool = field(default=False, init=False)
    """Whether all labels are indexed in the terms of this version."""

    async def tick(self) -> None:
        """Index one batch. What fails is tried again."""
        try:
            async with self.store.project() as projections:
                more = await projections.index_labels(self.version, limit=self.batch)
        except ForewordError as error:
            _log.warning("indexing labels is put off", extra={"reason": str(error)})
        else:
            self.complete = not more
