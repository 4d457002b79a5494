"""
What the description of the API says beside its routes: of the problems that all may answer with,
and of keys, which no route knows of: the gate does.
"""

from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from app.api.access import permission_for
from app.api.problems import DESCRIBED

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "beside": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Foreword-Key",
        "description": "An API key, where `Authorization` is somebody else's.",
    },
}


def chapter(name: str, *, prefix: str = "", route_class: type[APIRoute] = APIRoute) -> APIRouter:
    """A router whose routes are told of together."""
    return APIRouter(prefix=prefix, tags=[name], route_class=route_class, responses=dict(DESCRIBED))


def describe_keys(app: FastAPI) -> None:
    """Tell of each operation which key it needs."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _add_keys(described())
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's manual has it


def _add_keys(schema: dict[str, Any]) -> None:
    schema.setdefault("components", {})["securitySchemes"] = _SCHEMES
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            if (needed := permission_for(method.upper(), path)) is not None:
                operation["security"] = [{"bearer": []}, {"beside": []}]
                operation["x-scope"] = needed.value
