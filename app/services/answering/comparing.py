"""How a bundle differs from an earlier one, of which there is the receipt."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from app.domain.context import ContextBundle
from app.domain.difference import Difference
from app.domain.ids import BundleId, EntityId, ItemId, ItemKey, MessageKey
from app.domain.memory import Table, item_key
from app.ports.stored import Receipt
from app.services.answering.receipt import cut_of, profile_told

_Shown = tuple[ItemKey, tuple[int, ...] | None, tuple[int, ...] | None]
"""
The row that an item was, which is another one once it says something else; its stretch, its lines.
"""


def difference(since: BundleId, receipt: Receipt, bundle: ContextBundle) -> Difference:
    """
    What changed since the bundle `since`, of which this is the `receipt`.

    Ids are in the order of the answer: what was retrieved, then the history; entities apart.
    """
    before, now = _shown_then(receipt.answer), _shown_now(bundle)
    told = profile_told(bundle.profile)
    related = [each.id for each in bundle.related]
    answer: Mapping[str, Any] = receipt.answer
    related_before = [EntityId(UUID(each["id"])) for each in answer["related"]]
    return Difference(
        since=since,
        added=[each for each in now if each not in before],
        removed=[each for each in before if each not in now],
        changed=[each for each, shown in now.items() if before.get(each, shown) != shown],
        profile_changed=_profile(receipt.answer) != _profile({"profile": told}),
        entities_added=[each for each in related if each not in related_before],
        entities_removed=[each for each in related_before if each not in related],
    )


def _shown_now(bundle: ContextBundle) -> Mapping[ItemId, _Shown]:
    items: dict[ItemId, _Shown] = {
        each.item.id: (each.item.key, each.item.span, each.item.lines) for each in bundle.retrieved
    }
    return items | {
        ItemId(each.id): _of_message(each.key, cut_of(each)) for each in bundle.recent_history
    }


def _shown_then(answer: Mapping[str, Any]) -> Mapping[ItemId, _Shown]:
    items: dict[ItemId, _Shown] = {
        ItemId(UUID(each["id"])): (
            ItemKey(each["key"]),
            _places(each.get("span")),
            _places(each.get("lines")),
        )
        for each in answer["items"]
    }
    said = zip(answer["history"], answer.get("said", ()), strict=False)
    cut = answer.get("cut", {})
    return items | {
        ItemId(UUID(said_id)): _of_message(MessageKey(key), cut.get(str(key)))
        for key, said_id in said
    }


def _places(told: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if told is None else tuple(told)


def _of_message(key: MessageKey, cut: int | None) -> _Shown:
    return item_key(Table.MESSAGE, key), None if cut is None else (0, cut), None


def _profile(answer: Mapping[str, Any]) -> tuple[object, ...] | None:
    """Which profile was shown, and how much of it; not how much room there was."""
    told = answer.get("profile")
    return None if told is None else (told["updated_at"], tuple(told["facts"]), told["tokens"])
