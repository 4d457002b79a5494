"""
The requests of the client as values, and in their types what is answered.

That is JSON as the service tells it; the types name the fields most used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar
from urllib.parse import quote

import httpx

T = TypeVar("T")
Json = dict[str, Any]

NDJSON = "application/x-ndjson"


class ClientError(Exception):
    """The service refused a request, or could not be reached (then `status` is 0)."""

    def __init__(self, message: str, *, status: int = 0, problem: Json | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem or {}


class Message(TypedDict):
    role: str
    content: str | None
    name: NotRequired[str | None]
    external_id: NotRequired[str | None]
    created_at: NotRequired[str | None]


class Stored(TypedDict):
    id: str
    external_id: str | None
    message_ids: list[str]
    message_count: int
    token_count: int
    indexed: bool
    duplicates: int


class Conversation(TypedDict):
    id: str
    external_id: str | None
    user_id: str | None
    label: str | None
    folder: str | None
    message_count: int
    created_at: str


class Memory(TypedDict):
    id: str
    type: str
    content: str
    score: float
    sources: list[str]
    signals: dict[str, float]
    created_at: str


class Bundle(TypedDict):
    bundle_id: str
    recent_history: list[Json]
    retrieved_memories: list[Memory]
    text: str | None
    messages: list[Json] | None
    metadata: Json


class Receipt(TypedDict):
    erasure_id: str
    erased: dict[str, int]
    remaining: int


class Imported(TypedDict):
    conversations: int
    messages: int
    duplicates: int
    rejected: list[dict[str, str]]


class Page(TypedDict, Generic[T]):
    items: list[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request, and in its type what is answered."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None


def remember(
    messages: Sequence[Message], *, wait: bool = False, **conversation: object
) -> Call[Stored]:
    """Store messages: of `external_id`, `user_id`, `label` and so on; `wait` until indexed."""
    params = {"wait": "indexed"} if wait else {}
    return Call("POST", "/conversations", params, {"messages": messages, **conversation})


def context(query: str, **wanted: object) -> Call[Bundle]:
    """The most relevant memory: for `user_id`, in `budget_tokens`, as `format` and so on."""
    return Call("POST", "/context", json={"query": query, **wanted})


def search(query: str, **wanted: object) -> Call[Json]:
    return Call("POST", "/search", json={"query": query, **wanted})


def conversations(**wanted: object) -> Call[Page[Conversation]]:
    return Call("GET", "/conversations", _told(wanted))


def conversation(conversation_id: str) -> Call[Conversation]:
    return Call("GET", f"/conversations/{_segment(conversation_id)}")


def history(conversation_id: str, **wanted: object) -> Call[Page[Json]]:
    path = f"/conversations/{_segment(conversation_id)}/messages"
    return Call("GET", path, _told(wanted))


def forget(kind: str, identity: str) -> Call[Receipt]:
    """Erase a thing of a `kind`: conversations, messages, memories, users."""
    return Call("DELETE", f"/{kind}/{_segment(identity)}")


def flags() -> Call[Json]:
    return Call("GET", "/flags")


def change_flags(**changes: object) -> Call[Json]:
    return Call("PUT", "/flags", json=changes)


def import_file(user_id: str | None) -> Call[Imported]:
    return Call("POST", "/import", _told({"user_id": user_id}))


def export(user_id: str | None, *, embeddings: bool) -> Call[None]:
    return Call("GET", "/export", _told({"user_id": user_id, "embeddings": embeddings}))


def _told(wanted: Mapping[str, object]) -> Mapping[str, Any]:
    return {name: each for name, each in wanted.items() if each is not None}


def _segment(identity: str) -> str:
    return quote(identity, safe="")


def headers(key: str | None) -> Mapping[str, str]:
    return {} if key is None else {"X-Foreword-Key": key}


def checked(answer: httpx.Response) -> httpx.Response:
    """The answer; what the service refused is raised with its reason."""
    if not answer.is_error:
        return answer
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    told = [problem.get("title"), problem.get("detail")]
    message = " ".join(dict.fromkeys(each for each in told if each)) or f"HTTP {answer.status_code}"
    raise ClientError(message, status=answer.status_code, problem=problem)


def unreachable(error: httpx.HTTPError) -> ClientError:
    return ClientError(f"no answer: {error}")
