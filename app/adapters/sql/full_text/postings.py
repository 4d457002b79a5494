"""What full text holds of each term, added up here: the database would sort it all first."""

from collections.abc import Sequence

import numpy as np

from app.adapters.sql.fetch import Rows
from app.domain.ids import ItemKey


def most_telling(rows: Rows) -> Sequence[ItemKey]:
    """
    Every key once, by the sum of the weights of the terms that hold it; of equals the newest first.

    Args:
        rows: Of each term its weight and, joined by commas, the keys that hold it, or None.
    """
    held = [np.fromstring(keys or "", dtype=np.int64, sep=",") for _, keys in rows]
    if not held:
        return []
    weights = np.array([weight for weight, _ in rows], dtype=np.float64)
    keys, at = np.unique(np.concatenate(held), return_inverse=True)
    worth = np.bincount(at, weights=np.repeat(weights, [len(each) for each in held]))
    ordered: list[ItemKey] = keys[np.lexsort((-keys, -worth))].tolist()
    return ordered
