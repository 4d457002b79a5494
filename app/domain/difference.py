"""What changed between two bundles."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.ids import BundleId, EntityId, ItemId


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    What came into a bundle and what left it since an earlier one, of items and of the history.

    `changed` is there in both, but another part of it, or it says something else now. A message
    that went from the history to what was retrieved, or back, is no difference.
    Of the entities beside them, those that came and those that went.
    """

    since: BundleId
    added: Sequence[ItemId]
    removed: Sequence[ItemId]
    changed: Sequence[ItemId]
    profile_changed: bool
    entities_added: Sequence[EntityId]
    entities_removed: Sequence[EntityId]
