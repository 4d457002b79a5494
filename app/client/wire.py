"""What both clients do with what comes back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from app.client.answers import Json

NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
_JSON = "application/json"
_OF_EVERY_ANSWER = "x-request-id"

Event = tuple[str, Json]
"""The name of what happened, and its facts."""


class ClientError(Exception):
    """The service refused a request, or could not be reached (then `status` is 0)."""

    def __init__(self, message: str, *, status: int = 0, problem: Json | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem or {}


class NoAddress(ClientError, ValueError):
    """There is no address of what has this id, so nothing was sent."""


def headers(key: str | None) -> Mapping[str, str]:
    """
    Those that show `key`.

    Raises:
        ClientError: No key can be written so.
    """
    if key is not None and not (key.isascii() and key.isprintable()):
        raise ClientError("the key has characters that no key has")
    return {} if key is None else {"X-Foreword-Key": key}


def checked(answer: httpx.Response) -> httpx.Response:
    """
    The answer.

    Raises:
        ClientError: The service refused, with its reason, or what answered is another one.
    """
    if not answer.is_error:
        if _OF_EVERY_ANSWER not in answer.headers:
            raise _of_somebody_else(str(answer.url))
        return answer
    raise refusal_in(answer.content, answer.status_code)


def refusal_in(body: bytes, status: int) -> ClientError:
    """Why the service refused, by the problem in its answer, if there is one."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {}
    return refused(problem if isinstance(problem, dict) else {}, status)


def answered(answer: httpx.Response) -> Json:
    """
    The facts of an answer.

    Raises:
        ClientError: The service refused, or what answered is another one.
    """
    return facts_in(checked(answer).text, str(answer.url))


def told_in_parts(answer: httpx.Response, accepted: str) -> httpx.Response:
    """
    The answer, if it comes in parts of the type that was asked for, or as the last of them alone.

    Raises:
        ClientError: The service refused, or what answered is another one.
    """
    kind = checked(answer).headers.get("content-type", "").partition(";")[0]
    if kind not in {accepted, _JSON}:
        raise _of_somebody_else(str(answer.url))
    return answer


def facts_in(text: str, url: str) -> Json:
    """
    An object, as the service tells everything.

    Raises:
        ClientError: It is none.
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise _of_somebody_else(url)
    return found


def _of_somebody_else(url: str) -> ClientError:
    return ClientError(f"what answers at {url} is not Foreword")


def refused(problem: Json, status: int) -> ClientError:
    wrong: list[object] = [*_places(problem)] or [problem.get("detail")]
    told = [problem.get("title"), *wrong]
    said = [each for each in told if isinstance(each, str) and each]
    message = " ".join(dict.fromkeys(said)) or f"HTTP {status}"
    return ClientError(message, status=status, problem=problem)


def _places(problem: Json) -> list[str]:
    """Each place of a request that has not the documented shape, with what is wrong there."""
    told = problem.get("errors")
    return [
        f"{each['pointer']}: {each['detail']}."
        for each in (told if isinstance(told, list) else ())
        if isinstance(each, dict) and {"pointer", "detail"} <= each.keys()
    ]


def told_of_erasing(line: Json) -> Json:
    """
    How far an erasure is, or its receipt.

    Raises:
        ClientError: It is what went wrong after the answer had begun.
    """
    if "done" in line or "erasure_id" in line:
        return line
    raise refused(line, int(line.get("status", 0)))


def unreachable(error: httpx.HTTPError) -> ClientError:
    return ClientError(f"no answer: {error}")


@dataclass(slots=True)
class Events:
    """Reads a stream of events, line by line."""

    _name: str = ""
    _facts: list[str] = field(default_factory=list)

    def read(self, line: str) -> Event | None:
        """
        The event that ends with `line`.

        Raises:
            ClientError: It is what went wrong after the answer had begun.
        """
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._facts.append(value)
        if line or not self._facts:
            return None
        event = self._name, json.loads("\n".join(self._facts))
        self._name, self._facts = "", []
        if event[0] == "error":
            raise refused(event[1], int(event[1].get("status", 0)))
        return event
