"""Fitting what was found into the tokens there are."""

from collections.abc import Hashable, Mapping, Sequence


def pack(
    costs: Sequence[int],
    *,
    room: int,
    most: int,
    shared: Sequence[tuple[Hashable, int]] | None = None,
    inside: Mapping[int, int] | None = None,
) -> list[int]:
    """
    Take items in order, skipping each that no longer fits.

    Args:
        costs: Tokens of each item (zero or more), best first.
        room: Tokens left; at most zero takes nothing that costs anything.
        most: Items that may be taken.
        shared: The group of each item, and what the first item taken of a group costs on top.
        inside: Which item another one is a part of: one that comes before it, of which only one
            or the other is taken.

    Returns:
        The indexes taken, ascending; their costs sum to at most `room`.
    """
    taken: list[int] = []
    paid: set[Hashable] = set()
    there: set[int] = set()
    for index, cost in enumerate(costs):
        if inside and inside.get(index) in there:
            continue
        group, extra = shared[index] if shared else (None, 0)
        whole = cost if group in paid else cost + extra
        if len(taken) < most and whole <= room:
            taken.append(index)
            there.add(index)
            paid.add(group)
            room -= whole
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
