"""In which form a caller wants an answer that there is in several."""

from starlette.requests import Request

_JSON = "application/json"


def prefers(request: Request, media: str) -> bool:
    """Whether the caller names `media`, and takes it no less gladly than JSON."""
    told = dict(map(_gladly, request.headers.get("accept", "").lower().split(",")))
    return told.get(media, 0.0) > 0 and told[media] >= told.get(_JSON, 0.0)


def _gladly(told: str) -> tuple[str, float]:
    """A media type and its weight: 1 where none is told, or none that can be read."""
    media, *parameters = (each.strip() for each in told.split(";"))
    weight = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return media, float(weight)
    except ValueError:
        return media, 1.0
