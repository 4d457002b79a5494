"""
What was learned of relevance: networks over the features of a pool, and what their scores mean.

Read from one JSON file: a line per feature, so that what was learned can be read and compared.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from app.domain.errors import UnreadableWeights
from app.ranking import Floats
from app.ranking.features import NAMES, Evidence
from app.ranking.network import Network, Networks
from app.ranking.pool import EVERYTHING, Among

FORMAT = 2
"""Of the file. A file of another format, or over other features, is refused."""


FACTS = ("best_cosine", "cosine", "best_matched", "matched", "lexical", "known", "lead")
"""What tells whether a pool holds an answer; see `facts`."""


def facts(scores: Floats, found: Evidence, *, known: float) -> Floats:
    """
    What is known of a pool of at least one as a whole, shape (len(FACTS),).

    The best cosine and the best share of matched idf of all, then cosine, matched and lexical of
    the one with the highest score, the share of the query's idf that the scope knows, and how far
    the highest score lies above the mean of the next nine.
    """
    scores, cosine, matched, lexical = (
        each[found.among] for each in (scores, found.cosine, found.matched, found.lexical)
    )
    order = np.argsort(-scores, kind="stable")[:10]
    top = order[0]
    lead = float(scores[top] - scores[order[1:]].mean()) if len(order) > 1 else 0.0
    told = [cosine.max(), cosine[top], matched.max(), matched[top]]
    return np.array([*told, lexical[top], known, lead], dtype=np.float32)


BEHIND, STEEPER = np.float32(4.0), np.float32(1.0)
"""
From so far behind the best score on relevance falls more steeply, by so much for each unit. Hardly
anything answers there (2 % of what does among the first ten of our own questions), and the likelier
it is that a pool holds an answer, the more would else be let in that has nothing to do with it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """
    Scores to relevance, so that it means about the same for every query.

    relevance = logistic(slope * (score - best score) + facts·weights + bias), of which the last
    two say how likely the pool holds an answer at all, less what is taken off far behind the best.
    `slope` is at least 0: the order stays.
    """

    slope: float
    weights: Floats
    bias: float

    def relevance(self, scores: Floats, told: Floats, among: Among = EVERYTHING) -> Floats:
        """What scores stand for, by what is told of those `among`: the best of them is the best."""
        level = float(told.dot(self.weights)) + self.bias
        away = scores - scores[among].max(initial=-np.inf)
        raised = self.slope * away + STEEPER * np.minimum(away + BEHIND, np.float32(0)) + level
        return np.asarray(1 / (1 + np.exp(-np.clip(raised, -30, 30))), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceModel:
    """What was learned, and where: `learned` is told to whoever reads the file."""

    networks: Networks
    calibration: Calibration
    learned: Mapping[str, Any]

    @classmethod
    def untaught(cls) -> Self:
        """A model that tells nothing apart."""
        return cls(
            networks=Networks.alike(Network.untaught(len(NAMES))),
            calibration=Calibration(
                slope=0.0, weights=np.zeros(len(FACTS), dtype=np.float32), bias=0.0
            ),
            learned={},
        )

    def to_text(self) -> str:
        """The file: JSON with a line per feature, so that two of them can be compared."""
        told = self.calibration
        parts = {
            "format": json.dumps(FORMAT),
            "learned": json.dumps(self.learned, indent=1, ensure_ascii=False),
            "calibration": _lines(
                {
                    "slope": _short(told.slope),
                    "bias": _short(told.bias),
                    **{name: _short(each) for name, each in zip(FACTS, told.weights, strict=True)},
                }
            ),
            "brief": _written(self.networks.brief),
            "long": _written(self.networks.long),
        }
        return "{" + ",".join(f'\n"{name}": {text}' for name, text in parts.items()) + "\n}\n"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """
        Read what `to_text` wrote.

        Raises:
            UnreadableWeights: It is of another format, or over other features.
        """
        try:
            told = json.loads(text)
        except ValueError as error:
            raise UnreadableWeights(f"is no JSON: {error}") from error
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise UnreadableWeights("is no file of weights, or of another format")
        try:
            return cls._read(told)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            raise UnreadableWeights("its parts do not fit together") from error

    @classmethod
    def _read(cls, told: Mapping[str, Any]) -> Self:
        calibration = told["calibration"]
        return cls(
            networks=Networks(brief=_network(told["brief"]), long=_network(told["long"])),
            calibration=Calibration(
                slope=float(calibration["slope"]),
                weights=np.array([calibration[name] for name in FACTS], dtype=np.float32),
                bias=float(calibration["bias"]),
            ),
            learned=told["learned"],
        )


def _network(told: Mapping[str, Any]) -> Network:
    """
    Read what `_written` wrote.

    Raises:
        UnreadableWeights: Its features are others.
    """
    if list(told["features"]) != list(NAMES):
        raise UnreadableWeights("its features are not those of this release")
    rows = np.array(list(told["features"].values()), dtype=np.float32)
    bias, out = (np.array(told[name], dtype=np.float32) for name in ("bias", "out"))
    if rows.shape != (len(NAMES), 1 + len(bias)) or len(out) != len(bias):
        raise ValueError("rows of other lengths")
    return Network(linear=rows[:, 0], hidden=rows[:, 1:], bias=bias, out=out)


def _written(network: Network) -> str:
    rows = {
        name: [_short(network.linear[at]), *map(_short, network.hidden[at])]
        for at, name in enumerate(NAMES)
    }
    bias, out = (json.dumps([*map(_short, each)]) for each in (network.bias, network.out))
    return f'{{\n"bias": {bias},\n"out": {out},\n"features": {_lines(rows)}}}'


def _short(value: float) -> float:
    return round(float(value), 4)


def _lines(rows: Mapping[str, object]) -> str:
    return "{" + ",".join(f'\n "{name}": {json.dumps(row)}' for name, row in rows.items()) + "\n}"
