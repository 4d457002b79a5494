"""The requests of the client as values, and in their types what is answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from app.client.answers import (
    Bundle,
    Consent,
    Conversation,
    Entity,
    Imported,
    Item,
    Job,
    Json,
    Message,
    Page,
    Profile,
    Receipt,
    Stored,
    User,
)
from app.client.wire import NoAddress
from app.domain.user_ids import STEPS

T = TypeVar("T")

_PLURAL = {
    "user": "users",
    "conversation": "conversations",
    "message": "messages",
    "memory": "memories",
}


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
    return Call(
        "POST", "/conversations", _waiting(wait=wait), {"messages": messages, **conversation}
    )


def context(query: str, **wanted: object) -> Call[Bundle]:
    """The most relevant memory: for `user_id`, in `budget_tokens`, as `format` and so on."""
    return Call("POST", "/context", json={"query": query, **wanted})


def search(query: str, **wanted: object) -> Call[Json]:
    return Call("POST", "/search", json={"query": query, **wanted})


def conversations(**wanted: object) -> Call[Page[Conversation]]:
    return Call("GET", "/conversations", _told(wanted))


def history(conversation_id: str, **wanted: object) -> Call[Page[Json]]:
    path = f"/conversations/{_segment(conversation_id)}/messages"
    return Call("GET", path, _told(wanted))


def conversation(conversation_id: str) -> Call[Conversation]:
    return Call("GET", f"/conversations/{_segment(conversation_id)}")


def forget(kind: str, identity: str) -> Call[Receipt]:
    """
    Erase a thing of a `kind`: a user, conversation, message or memory ("user" or "users" …).

    Raises:
        ValueError: There is no such kind.
    """
    several = _PLURAL.get(kind, kind)
    if several not in _PLURAL.values():
        raise ValueError(f"there is no kind {kind!r}, but {', '.join(_PLURAL)}")
    part = _former_user(identity) if several == "users" else _segment(identity)
    return Call("DELETE", f"/{several}/{part}")


def append(
    conversation_id: str, messages: Sequence[Message], *, wait: bool = False
) -> Call[Stored]:
    """Append messages to a conversation that is there; `wait` until indexed."""
    path = f"/conversations/{_segment(conversation_id)}/messages"
    return Call("POST", path, _waiting(wait=wait), {"messages": messages})


def change_conversation(conversation_id: str, **changes: object) -> Call[Conversation]:
    """Set `label`, `folder`, `importance`, `tags`, `metadata` or `archived`."""
    return Call("PATCH", f"/conversations/{_segment(conversation_id)}", json=changes)


def sum_up(conversation_id: str) -> Call[Item]:
    return Call("POST", f"/conversations/{_segment(conversation_id)}/summaries")


def message(message_id: str) -> Call[Json]:
    return Call("GET", f"/messages/{_segment(message_id)}")


def bundle(bundle_id: str) -> Call[Bundle]:
    """A bundle as it was answered."""
    return Call("GET", f"/bundles/{_segment(bundle_id)}")


def memorise(kind: str, content: str, *, wait: bool = False, **told: object) -> Call[Json]:
    """Store a `fact`, `tool`, `procedure` or `document`: of `user_id`, `source` and so on."""
    return Call(
        "POST", "/memories", _waiting(wait=wait), {"type": kind, "content": content, **told}
    )


def memories(**wanted: object) -> Call[Page[Item]]:
    """What holds of `user_id`, newest first: of a `type`, as of `as_of`, by `cursor`."""
    return Call("GET", "/memories", _told(wanted))


def memory(memory_id: str) -> Call[Item]:
    return Call("GET", f"/memories/{_segment(memory_id)}")


def change_memory(memory_id: str, **changes: object) -> Call[Item]:
    return Call("PATCH", f"/memories/{_segment(memory_id)}", json=changes)


def lineage(memory_id: str, **wanted: object) -> Call[Page[Json]]:
    """What an item was derived from, by `limit` and `cursor`."""
    return Call("GET", f"/memories/{_segment(memory_id)}/lineage", _told(wanted))


def entities(**wanted: object) -> Call[Page[Entity]]:
    """Who and what the messages of `user_id` speak of: by `q`, `type` and `cursor`."""
    return Call("GET", "/entities", _told(wanted))


def entity(entity_id: str, **wanted: object) -> Call[Json]:
    """An entity with the heaviest of its edges, at most `limit`."""
    return Call("GET", f"/entities/{_segment(entity_id)}", _told(wanted))


def users(**wanted: object) -> Call[Page[User]]:
    """Of whom there is anything, in order of their ids: those that `begins`, by `cursor`."""
    return Call("GET", "/users", _told(wanted))


def consent(user_id: str) -> Call[Consent]:
    return Call("GET", _of_user(user_id, "consent"))


def agree(user_id: str, purposes: Mapping[str, bool], **told: object) -> Call[Consent]:
    """What a user agrees to: what is false is revoked, what is not named stays; `expires_at`."""
    return Call("PUT", _of_user(user_id, "consent"), json={"purposes": purposes, **told})


def revoke(user_id: str) -> Call[Receipt]:
    """Take all consent back; what it covered is erased."""
    return Call("DELETE", _of_user(user_id, "consent"))


def profile(user_id: str) -> Call[Profile]:
    return Call("GET", _of_user(user_id, "profile"))


def change_profile(user_id: str, **sections: object) -> Call[Profile]:
    """Merge `preferences`, `context` and `notes` into a profile; a key of None goes."""
    return Call("PUT", _of_user(user_id, "profile"), json=sections)


def forget_profile(user_id: str) -> Call[Receipt]:
    return Call("DELETE", _of_user(user_id, "profile"))


def jobs(**wanted: object) -> Call[Json]:
    """Long work, newest first, by `limit` and `cursor`, and how much waits for the workers."""
    return Call("GET", "/jobs", _told(wanted))


def job(job_id: str) -> Call[Job]:
    return Call("GET", f"/jobs/{_segment(job_id)}")


def start(job: str, **about: object) -> Call[Job]:
    """Start long work: reindex, reembed, retry-dead-letters, doctor, prune, backup."""
    return Call("POST", f"/admin/{_segment(job)}", json=about)


def retry(job_id: str) -> Call[Job]:
    return Call("POST", f"/jobs/{_segment(job_id)}/retry")


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
    """
    An id as a part of a path.

    Raises:
        NoAddress: Without it, or shortened by it, the path would be that of something else.
    """
    if not identity or identity in STEPS:
        raise NoAddress(f"nothing has the id {identity!r}")
    return quote(identity, safe="")


def _former_user(user_id: str) -> str:
    """Also of a user whom nobody may be called any more; where it is cut off, nobody is erased."""
    return user_id.replace(".", "%2E") if user_id in STEPS else _segment(user_id)


def _of_user(user_id: str, what: str) -> str:
    return f"/users/{_segment(user_id)}/{what}"


def _waiting(*, wait: bool) -> Mapping[str, str]:
    return {"wait": "indexed"} if wait else {}
