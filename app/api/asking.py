"""
What an address asks: where something is stored or changed, a parameter that we do not know is an
error, as a field of a body is. Lists refuse it themselves.
"""

from collections.abc import Callable, Collection, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel

_LOOKING = frozenset({"GET", "HEAD"})


class KnownQuery(APIRoute):
    """A route that refuses, unless it only looks, parameters that it does not know."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = frozenset(names_asked(self.dependant))

        async def check_and_handle(request: Request) -> Response:
            if request.scope["query_string"] and request.method not in _LOOKING:
                _check(request.query_params, known)
            return await handle(request)

        return check_and_handle


def names_asked(dependant: Dependant) -> Iterator[str]:
    """What a route and all that it depends on take from the address."""
    for field in dependant.query_params:
        told = field.field_info.annotation
        if isinstance(told, type) and issubclass(told, BaseModel):
            yield from told.model_fields
        else:
            yield field.alias
    for each in dependant.dependencies:
        yield from names_asked(each)


def _check(asked: Collection[str], known: Collection[str]) -> None:
    """
    Refuse what is asked and not known, all of it at once.

    Raises:
        RequestValidationError: There is such a parameter.
    """
    if strange := sorted(set(asked).difference(known)):
        told = {"type": "extra_forbidden", "msg": "Extra inputs are not permitted"}
        raise RequestValidationError([{**told, "loc": ("query", name)} for name in strange])
