"""Fitting what was found into the tokens there are."""

from collections.abc import Sequence


def pack(costs: Sequence[int], *, room: int, most: int) -> list[int]:
    """
    Take items in order, skipping each that no longer fits.

    Args:
        costs: Tokens of each item (zero or more), best first.
        room: Tokens left; at most zero takes nothing that costs anything.
        most: Items that may be taken.

    Returns:
        The indexes taken, ascending; their costs sum to at most `room`.
    """
    taken: list[int] = []
    for index, cost in enumerate(costs):
        if len(taken) < most and cost <= room:
            taken.append(index)
            room -= cost
    return taken


def newest_that_fit(costs: Sequence[int], *, room: int, most: int) -> int:
    """How many items at the end of `costs` fit together into `room`, at most `most`."""
    count = 0
    for cost in reversed(costs[-most:] if most else []):
        if cost > room:
            break
        room -= cost
        count += 1
    return count
