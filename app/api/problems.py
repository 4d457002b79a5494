"""Errors as RFC 9457 problem documents."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from logging import getLogger
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from app.api.details import told_by_facts, told_by_status, told_of_json, told_of_places
from app.api.paths import with_slashes
from app.api.reading import is_json
from app.api.shape import wrong_places
from app.domain import errors as e

_log = getLogger(__name__)

STATUS: Mapping[type[e.ForewordError], HTTPStatus] = {
    e.ConversationNotFound: HTTPStatus.NOT_FOUND,
    e.MessageNotFound: HTTPStatus.NOT_FOUND,
    e.MemoryNotFound: HTTPStatus.NOT_FOUND,
    e.EntityNotFound: HTTPStatus.NOT_FOUND,
    e.DocumentReadOnly: HTTPStatus.CONFLICT,
    e.NeverValid: HTTPStatus.UNPROCESSABLE_ENTITY,
    e.StillSuperseded: HTTPStatus.CONFLICT,
    e.BundleNotFound: HTTPStatus.NOT_FOUND,
    e.ProfileNotFound: HTTPStatus.NOT_FOUND,
    e.ConsentMissing: HTTPStatus.FORBIDDEN,
    e.ProfileTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    e.MetadataTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    e.KeyNotFound: HTTPStatus.NOT_FOUND,
    e.NotAuthenticated: HTTPStatus.UNAUTHORIZED,
    e.NotPermitted: HTTPStatus.FORBIDDEN,
    e.OperatorNeeded: HTTPStatus.FORBIDDEN,
    e.TooManyConnections: HTTPStatus.SERVICE_UNAVAILABLE,
    e.TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    e.TooManyGuesses: HTTPStatus.TOO_MANY_REQUESTS,
    e.ImportUnreadable: HTTPStatus.UNPROCESSABLE_ENTITY,
    e.InvalidCursor: HTTPStatus.UNPROCESSABLE_ENTITY,
    e.IdempotencyConflict: HTTPStatus.CONFLICT,
    e.KeyShownBefore: HTTPStatus.CONFLICT,
    e.ConversationConflict: HTTPStatus.CONFLICT,
    e.JobNotFound: HTTPStatus.NOT_FOUND,
    e.JobRunning: HTTPStatus.CONFLICT,
    e.NothingToSummarise: HTTPStatus.CONFLICT,
    e.SummariesOff: HTTPStatus.CONFLICT,
    e.Overtaken: HTTPStatus.CONFLICT,
    e.IndexingTimedOut: HTTPStatus.SERVICE_UNAVAILABLE,
    e.IndexingGivenUp: HTTPStatus.SERVICE_UNAVAILABLE,
    e.DataDirectoryInUse: HTTPStatus.CONFLICT,
    e.DirectoryUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.BackupUnusable: HTTPStatus.UNPROCESSABLE_ENTITY,
    e.RestoreRefused: HTTPStatus.CONFLICT,
    e.StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.StorageFull: HTTPStatus.INSUFFICIENT_STORAGE,
    e.StoreDamaged: HTTPStatus.SERVICE_UNAVAILABLE,
    e.StoreAstray: HTTPStatus.SERVICE_UNAVAILABLE,
    e.StoreLogAstray: HTTPStatus.SERVICE_UNAVAILABLE,
    e.EmbedderUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.RecogniserUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.RerankerUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.RerankerBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    e.LanguageModelUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.VectorIndexUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.DataDirectoryHeld: HTTPStatus.SERVICE_UNAVAILABLE,
    e.IndexHeldElsewhere: HTTPStatus.SERVICE_UNAVAILABLE,
    e.TokenCounterUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    e.UnreadableWeights: HTTPStatus.SERVICE_UNAVAILABLE,
    e.ProxyNotConfigured: HTTPStatus.NOT_FOUND,
    e.NotPassedOn: HTTPStatus.FORBIDDEN,
    e.UpstreamUnavailable: HTTPStatus.BAD_GATEWAY,
    e.UpstreamTimedOut: HTTPStatus.GATEWAY_TIMEOUT,
    e.NotAnObject: HTTPStatus.BAD_REQUEST,
    e.TooManyValues: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    e.UnusableHeader: HTTPStatus.UNPROCESSABLE_ENTITY,
    e.UnusableField: HTTPStatus.UNPROCESSABLE_ENTITY,
}
MEDIA_TYPE = "application/problem+json"
DESCRIBED: Mapping[int | str, dict[str, Any]] = {
    several: {
        "description": "What went wrong, as RFC 9457 has it.",
        "content": {
            MEDIA_TYPE: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "type": {"type": "string"},
                        "title": {"type": "string"},
                        "status": {"type": "integer"},
                        "detail": {"type": "string"},
                        "instance": {"type": "string"},
                        "request_id": {"type": "string"},
                    },
                    "required": ["type", "title", "status", "detail", "instance", "request_id"],
                    "additionalProperties": True,
                }
            }
        },
    }
    for several in ("4XX", "5XX")
}
"""Problems in the description of the API."""
_OF_THE_PROXY = "/v1/"
RETRY_AFTER = "2"
"""Seconds after which a 503 is worth another try."""


def install_problem_handlers(app: FastAPI) -> None:
    app.add_exception_handler(e.ForewordError, _on_foreword_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_exception)


async def _on_foreword_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, e.ForewordError)  # noqa: S101  (Starlette types handlers loosely)
    return answer_to(request, error)


def answer_to(request: Request, error: e.ForewordError) -> JSONResponse:
    """The problem document of an error of ours."""
    told = detail_of(error) or told_by_facts(error)
    detail = {} if told is None else {"detail": told}
    answer = problem(
        request,
        STATUS[type(error)],
        slug=_slug(type(error)),
        title=error.title,
        **detail,
        **error.facts,
    )
    if isinstance(error, e.NotAuthenticated):
        answer.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, e.TooManyRequests | e.TooManyGuesses):
        answer.headers["Retry-After"] = str(error.facts["retry_after_s"])
    return answer


def detail_of(error: e.ForewordError) -> str | None:
    """
    What a caller is told of an error beside its title.

    Of what fails on our side nothing: drivers name hosts, users and paths. That is for the log.
    """
    if STATUS[type(error)] < HTTPStatus.INTERNAL_SERVER_ERROR:
        return error.detail
    if error.detail is not None:
        _log.warning("a part failed", extra={"error": _slug(type(error)), "reason": error.detail})
    return None


async def _on_invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101  (Starlette types handlers loosely)
    found = error.errors()
    if any(each["type"] == "json_invalid" for each in found):
        return _not_json(request, told_of_json(error.__cause__))
    of_body = any(each["loc"][0] == "body" for each in found)
    # Bytes: it tells no media type.
    if of_body and (isinstance(error.body, bytes) or _wrong_media_type(request)):
        return problem(
            request,
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            slug="unsupported-media-type",
            title="The body must be application/json.",
            detail="Send it with `Content-Type: application/json`, which it came without.",
        )
    return _misshapen(request, wrong_places(found, request.scope.get("route")))


def _misshapen(request: Request, errors: list[dict[str, str]]) -> JSONResponse:
    return problem(
        request,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        slug="invalid-request",
        title="The request does not have the documented shape.",
        detail=told_of_places(errors),
        errors=errors,
    )


def _wrong_media_type(request: Request) -> bool:
    sent = request.headers.get("content-type", "application/json")
    return request.method in {"POST", "PUT", "PATCH"} and not is_json(sent)


async def _on_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101  (Starlette types handlers loosely)
    if isinstance(error.__cause__, UnicodeDecodeError):
        return _not_json(request, "The body is not in UTF-8.")
    status = HTTPStatus(error.status_code)
    slug, title = status.phrase.lower().replace(" ", "-"), f"{status.phrase}."
    headers = dict(error.headers or {})
    if status is HTTPStatus.METHOD_NOT_ALLOWED and (allowed := _methods_at(request)):
        headers["Allow"] = ", ".join(allowed)
    detail = _unread(error.__cause__) or told_by_status(status, headers) or title
    answer = problem(request, status, slug=slug, title=title, detail=detail)
    answer.headers.update(headers)
    return answer


def _methods_at(request: Request) -> list[str]:
    """What the path takes: each route knows its own methods only, and the first one refuses."""
    there = (each for each in request.app.routes if each.matches(request.scope)[0] != Match.NONE)
    return sorted({method for each in there for method in getattr(each, "methods", None) or ()})


def _unread(cause: BaseException | None) -> str | None:
    """Why JSON could not be read, where it may well be JSON."""
    match cause:
        case RecursionError():
            return "The JSON of the body is nested too deep."
        case ValueError():  # the only one that Python's parser raises for what is JSON
            return "A number in the JSON of the body has too many digits."
        case _:
            return None


def _not_json(request: Request, detail: str) -> JSONResponse:
    status, title = HTTPStatus.BAD_REQUEST, "The body is not JSON."
    return problem(request, status, slug="not-json", title=title, detail=detail)


def not_utf_8(request: Request, pointer: str) -> JSONResponse:
    wrong = {"pointer": pointer, "detail": "must be in UTF-8, percent-encoded"}
    return _misshapen(request, [wrong])


def accident(request: Request, error: Exception) -> JSONResponse:
    """A mistake of ours: told as such, with the trace in the log only."""
    _log.error("unexpected error", exc_info=error, extra={"path": request.url.path})
    return problem(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        slug="internal-error",
        title="Something went wrong on our side.",
    )


def problem(
    request: Request, status: HTTPStatus, *, slug: str, title: str, **facts: object
) -> JSONResponse:
    members = {
        "type": f"/problems/{slug}",
        "title": title,
        "status": status.value,
        "instance": quote(with_slashes(request.url.path)),
        "request_id": request.scope.get("state", {}).get("request_id"),
    }
    document = {**members, "detail": title, **facts, **members}  # a fact never stands for a member
    if request.url.path.startswith(_OF_THE_PROXY):
        document |= _as_openai_tells(slug, title, document["detail"])
    retry = {"Retry-After": RETRY_AFTER} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    return JSONResponse(
        jsonable_encoder(document), status_code=status, media_type=MEDIA_TYPE, headers=retry
    )


def _as_openai_tells(slug: str, title: str, detail: object) -> Mapping[str, object]:
    """A member that clients of OpenAI's API look for: they show its message, and nothing else."""
    message = title if detail == title else f"{title} {detail}"
    return {"error": {"message": message, "type": slug, "param": None, "code": slug}}


def _slug(error: type[e.ForewordError]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", error.__name__).lower()
