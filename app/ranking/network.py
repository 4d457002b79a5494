"""
Small networks over the features of a pool.

    score = x·linear + tanh(x·hidden + bias)·out
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from app.ranking import Floats
from app.ranking.features import NAMES
from app.ranking.pool import EVERYTHING, Among


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Of f features and h hidden units: `linear` (f,), `hidden` (f, h), `bias` and `out` (h,)."""

    linear: Floats
    hidden: Floats
    bias: Floats
    out: Floats

    def scores(self, x: Floats) -> Floats:
        """Of n candidates, shape (n,); only differences inside one pool mean anything."""
        bent = np.tanh(x.dot(self.hidden) + self.bias)
        return np.asarray(x.dot(self.linear) + bent.dot(self.out), dtype=np.float32)

    def contributions(self, x: Floats, among: Among = EVERYTHING) -> Floats:
        """
        What each feature adds to each score, to first order, against the mean of `among`, (n, f).

        Input times gradient: exact where there are no hidden units.
        """
        bent = np.tanh(x.dot(self.hidden) + self.bias)
        slopes = self.linear + ((1 - bent * bent) * self.out).dot(self.hidden.T)
        return np.asarray(slopes * (x - x[among].mean(axis=0)), dtype=np.float32)

    @classmethod
    def averaged(cls, networks: Sequence[Self]) -> Self:
        """One network whose scores are the mean of the scores of `networks`."""
        return cls.mixed(networks, [1 / len(networks)] * len(networks))

    @classmethod
    def mixed(cls, networks: Sequence[Self], shares: Sequence[float]) -> Self:
        """One network whose scores are the sum of so much of the scores of each."""
        parts = [np.float32(share) for share in shares]
        told = list(zip(networks, parts, strict=True))
        return cls(
            linear=np.sum([each.linear * part for each, part in told], axis=0),
            hidden=np.concatenate([each.hidden for each in networks], axis=1),
            bias=np.concatenate([each.bias for each in networks]),
            out=np.concatenate([each.out * part for each, part in told]),
        )

    @classmethod
    def untaught(cls, features: int) -> Self:
        """One that tells nothing apart."""
        return cls(
            linear=np.zeros(features, dtype=np.float32),
            hidden=np.zeros((features, 0), dtype=np.float32),
            bias=np.zeros(0, dtype=np.float32),
            out=np.zeros(0, dtype=np.float32),
        )


BRIEF, LONG = 0.2, 0.5
"""
The `query_length` of a pool, up to which one network judges, and from which on the other: messages
of some 26 terms, and of some 42.
"""

_LENGTH = NAMES.index("query_length")


def share_of_long(x: Floats) -> np.float32:
    """How much the network for long messages has to say of a pool, from 0 to 1."""
    return np.float32(np.clip((x[0, _LENGTH] - BRIEF) / (LONG - BRIEF), 0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Networks:
    """
    One for pools of brief messages, and one for long ones, as assistants write them, and code.

    What tells an answer in a chat does not there: decision 118 of docs/decisions.md has the
    figures. In between both judge, the more the nearer a pool is to what they learned from.
    """

    brief: Network
    long: Network

    @classmethod
    def alike(cls, network: Network) -> Self:
        """The same for both."""
        return cls(brief=network, long=network)

    def scores(self, x: Floats) -> Floats:
        """Of n candidates, shape (n,); only differences inside one pool mean anything."""
        return self._mixed(x, lambda each: each.scores(x))

    def contributions(self, x: Floats, among: Among = EVERYTHING) -> Floats:
        """What each feature adds to each score, to first order, against the mean, (n, f)."""
        return self._mixed(x, lambda each: each.contributions(x, among))

    def _mixed(self, x: Floats, told: Callable[[Network], Floats]) -> Floats:
        share = share_of_long(x)
        if share in (0, 1):
            return told(self.long if share else self.brief)
        return np.asarray((1 - share) * told(self.brief) + share * told(self.long))
