"""How a deadline is shared by a search in the running conversation and one of everything."""

import time
from dataclasses import replace

from app.domain.context import ContextRequest

_LEAST_LEFT = 0.001
"""Seconds that a source gets where all that a request had are spent."""


def with_half(request: ContextRequest) -> ContextRequest:
    """With half of its deadline: as much is left where the running conversation is not enough."""
    return request if request.deadline is None else replace(request, deadline=request.deadline / 2)


def in_what_is_left(request: ContextRequest, started: float) -> ContextRequest:
    """With what is left of its deadline since `started`."""
    if request.deadline is None:
        return request
    left = request.deadline - (time.perf_counter() - started)
    return replace(request, deadline=max(left, _LEAST_LEFT))
