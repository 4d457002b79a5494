"""What leads into a conversation that goes on, among what was found, though nobody sought it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from app.domain.context import Source
from app.ranking import Floats
from app.ranking.candidates import Taste, scored
from app.ranking.pool import Recalled
from app.ranking.ranked import Ranked


def led(ranked: Ranked, leading: Recalled, taste: Taste) -> Ranked:
    """
    The same with `leading`, of which nothing is there yet, among the items.

    Nothing is known of its relevance, which counts as none; its score is that of its age and
    importance, and so is its place in the order.
    """
    if not len(leading):
        return ranked
    nothing = np.zeros(len(leading), dtype=np.float32)
    score, told = scored(leading, nothing, taste)
    own, scores = len(ranked.recalled), np.concatenate([ranked.score, score])
    order = [*ranked.order, *range(own, own + len(leading))]
    found = dict.fromkeys(leading.keys, frozenset({Source.EPISODIC}))
    return replace(
        ranked,
        recalled=ranked.recalled.and_also(leading),
        sources={**ranked.sources, **found},
        score=scores,
        relevance=np.concatenate([ranked.relevance, nothing]),
        signals=_longer(ranked.signals, told, own=own),
        order=sorted(order, key=lambda at: -scores[at]),
        leading=frozenset(leading.keys),
    )


def _longer(
    signals: Mapping[str, Floats], told: Mapping[str, Floats], *, own: int
) -> Mapping[str, Floats]:
    """Each signal with what is told of the leading, else with no signal for them."""
    more = len(told["relevance"])
    before, behind = np.full(own, np.nan, np.float32), np.full(more, np.nan, np.float32)
    return {
        name: np.concatenate([signals.get(name, before), told.get(name, behind)])
        for name in {**signals, **told}
    }
