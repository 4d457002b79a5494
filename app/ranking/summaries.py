"""Which of the summaries that tell of the same go into an answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime

from app.domain.ids import MessageKey
from app.domain.memory import ItemType
from app.domain.periods import Period
from app.ranking.budget import Share
from app.ranking.pool import Gist, Recalled

_NEVER = datetime.max.replace(tzinfo=UTC)
_OF_NOTHING = Gist(cited=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gist:
    """A summary: what it costs, what it cites, how fine it is, and when what it sums up ended."""

    tokens: int
    cited: frozenset[MessageKey]
    level: Period
    until: datetime

    @classmethod
    def of(cls, recalled: Recalled, at: int) -> "_Gist":
        """What sums up a conversation counts as a day, one that goes on."""
        gist = recalled.gists[at] or _OF_NOTHING
        return cls(
            tokens=recalled.tokens[at],
            cited=gist.cited,
            level=gist.span.period if gist.span else Period.DAY,
            until=gist.span.until if gist.span else _NEVER,
        )


def told_once(
    recalled: Recalled, found: Sequence[int], *, there: Sequence[int] = (), room: Share
) -> Sequence[int]:
    """
    Those of the summaries `found`, best first, by which no message is told twice.

    Of those that cite the same message the finest is taken, of equally fine ones the better. While
    that is more than the `room`, a coarser one takes the place of two or more that cost more, the
    oldest first: what is long ago is told by week, then by month, then by year.

    Args:
        recalled: Of which these are indexes.
        found: Summaries, in order.
        there: Summaries that are taken anyway.
        room: Tokens and places.
    """
    known = cited_by(recalled, there)
    gists = {at: _Gist.of(recalled, at) for at in found}
    gists = {at: gist for at, gist in gists.items() if gist.cited.isdisjoint(known)}
    same = _same(gists)
    taken = set[int]()
    for at in sorted(gists, key=lambda at: gists[at].level):
        if same[at].isdisjoint(taken):
            taken.add(at)
    while len(taken) > room.places or sum(gists[at].tokens for at in taken) > room.tokens:
        coarser = _coarser(gists, same, taken)
        if coarser is None:
            break
        taken = taken - same[coarser] | {coarser}
    return [at for at in found if at in taken]


def cited_by(recalled: Recalled, several: Iterable[int]) -> frozenset[MessageKey]:
    """The messages that summaries were made from."""
    gists = (recalled.gists[at] or _OF_NOTHING for at in several)
    return frozenset[MessageKey]().union(*(each.cited for each in gists))


def told_by_messages(
    recalled: Recalled, order: Sequence[int], shown: frozenset[MessageKey]
) -> Mapping[int, frozenset[int]]:
    """
    Of the places of summaries of periods in `order`, those of the messages that say all of them.

    What cites a message that is neither there nor `shown` tells more than they.
    """
    gists = {at: recalled.gists[at] or _OF_NOTHING for at in order}
    cited = {at: gist.cited - shown for at, gist in gists.items() if gist.span and gist.cited}
    if not cited:
        return {}
    whole = {
        recalled.messages[at]: place
        for place, at in reversed(list(enumerate(order)))
        if recalled.types[at] is ItemType.MESSAGE
    }
    return {
        place: frozenset(whole[each] for each in cited[at])
        for place, at in enumerate(order)
        if at in cited and cited[at] <= whole.keys()
    }


def lines_left(summary: str, shown: Sequence[tuple[str, str]]) -> Sequence[int]:
    """
    The lines of a summary, counted from 0, that nothing which is shown says word for word.

    Args:
        summary: Lines such as "- Ann: We use Redis." (`app/distil/gist/summary.py`).
        shown: Of what it cites and is shown anyway, who said it, and what is shown.
    """
    return [
        at
        for at, line in enumerate(summary.split("\n"))
        if not any(_is_said(line, speaker, content) for speaker, content in shown)
    ]


def _is_said(line: str, speaker: str, content: str) -> bool:
    begins = f"- {speaker}: "
    said = line.removeprefix(begins)
    return bool(said) and said != line and said in content


def _same(gists: Mapping[int, _Gist]) -> Mapping[int, AbstractSet[int]]:
    """Of each those, itself among them, that cite a message that it cites."""
    citing = defaultdict[MessageKey, set[int]](set)
    for at, gist in gists.items():
        for message in gist.cited:
            citing[message].add(at)
    return {
        at: frozenset({at}).union(*(citing[each] for each in gist.cited))
        for at, gist in gists.items()
    }


def _coarser(
    gists: Mapping[int, _Gist], same: Mapping[int, AbstractSet[int]], taken: AbstractSet[int]
) -> int | None:
    """What saves room in the place of several: of the oldest, the least coarse."""
    saving = []
    for at, gist in gists.items():
        gone = same[at] & taken
        finer = all(gists[each].level < gist.level for each in gone)
        if len(gone) > 1 and finer and gist.tokens < sum(gists[each].tokens for each in gone):
            saving.append(at)
    return min(saving, key=lambda at: (gists[at].until, gists[at].level), default=None)
