"""Conditions in the words of a Qdrant server."""

from collections.abc import Sequence
from typing import assert_never

from qdrant_client import models

from app.adapters.vectors.payload import AnyOf, Between, Condition, NoneOf, Outlasting, Values


def server_filter(conditions: Sequence[Condition]) -> models.Filter:
    """All of `conditions` at once."""
    must: list[models.Condition] = []
    must_not: list[models.Condition] = []
    for condition in conditions:
        match condition:
            case AnyOf(field=field, values=values):
                must.append(models.FieldCondition(key=field, match=_match(values)))
            case NoneOf(field=field, values=values):
                must_not.append(models.FieldCondition(key=field, match=_match(values)))
            case Between(field=field, gte=gte, lt=lt, lte=lte):
                bounds = models.DatetimeRange(gte=gte, lt=lt, lte=lte)
                must.append(models.FieldCondition(key=field, range=bounds))
            case Outlasting(field=field, moment=last):
                ended = models.DatetimeRange(lte=last)
                must_not.append(models.FieldCondition(key=field, range=ended))
            case _:
                assert_never(condition)
    return models.Filter(must=must, must_not=must_not)


def _match(values: Values) -> models.MatchValue | models.MatchAny:
    if len(values) == 1:
        return models.MatchValue(value=values[0])
    return models.MatchAny(any=[*values])
