"""What leads into a conversation that goes on, among what was found, though nobody sought it."""

from dataclasses import replace

import numpy as np

from app.domain.context import Source
from app.ranking.candidates import Taste, scored
from app.ranking.pool import Recalled
from app.ranking.ranked import Ranked, lengthened


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
        signals=lengthened((ranked.signals, own), (told, len(leading))),
        order=sorted(order, key=lambda at: -scores[at]),
        leading=frozenset(leading.keys),
    )
