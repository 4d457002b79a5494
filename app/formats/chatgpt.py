"""
ChatGPT's export: a list of conversations, each a tree of messages, of which one path is current.

Edited questions and answers that were asked for again are branches beside it, which are left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.domain.conversation import NewConversation, NewMessage, Role
from app.formats.citing import unmarked
from app.formats.fields import (
    Malformed,
    a_list,
    a_record,
    digest,
    first_of,
    gathered,
    identity,
    label,
    metadata,
    moment,
    moment_or_told,
    role_of,
    short_name,
    text,
    timed,
)
from app.formats.found import BROKEN, Bounds, Rejected, Said, way_of

_UNSAID = {"thoughts", "reasoning_recap", "model_editable_context"}
"""Kinds of content that nobody said to anybody."""

_SPOKEN = "audio_transcription"
_SOUNDS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer")
"""Kinds of parts that are what was spoken, of which the transcription tells the words."""


def said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    """
    The current path of a conversation.

    Raises:
        Malformed: It is no conversation.
    """
    nodes = record["mapping"]
    if not isinstance(nodes, dict):
        raise Malformed("mapping is no JSON object")
    begins, untimed = moment_or_told(record.get("create_time"), "create_time", at)
    path = _path(nodes, record.get("current_node"))
    places = {node: f"{at}.mapping.{node[:80]!a}" for node in path}
    found = gathered(
        ((place, node) for node, place in places.items()),
        lambda node: _messages(node, nodes[node], bounds),
    )
    broken = [Rejected(places[node], BROKEN) for node in path[:1] if not _begins(nodes[node])]
    conversation = NewConversation(
        external_id=identity(first_of(record, "conversation_id", "id"))
        or digest(record.get("title"), record.get("create_time"), sorted(nodes)),
        label=label(record.get("title")),
        metadata=_facts(record, {"default_model_slug": "model", "gizmo_id": "gizmo_id"}, bounds),
        created_at=begins,
        messages=timed(found.messages, begins),
    )
    way = None if broken else way_of(_names(nodes, path), _names(nodes, nodes.keys() - {*path}))
    return Said(at, conversation, [*untimed, *broken, *found.rejected], way=way)


def _path(nodes: Mapping[str, Any], current: object) -> Sequence[str]:
    """
    The nodes from the root to the current one; without that to the one last said.

    Where the way back to the root breaks off, they begin at the break.
    """
    here = current if isinstance(current, str) and current in nodes else _last_leaf(nodes)
    path: dict[str, None] = {}
    while here in nodes and here not in path:
        path[here] = None
        here = _parent(nodes[here])
    return list(path)[::-1]


def _names(nodes: Mapping[str, Any], wanted: Iterable[str]) -> Iterator[str]:
    """What the messages of these nodes are known by."""
    for node in wanted:
        told = nodes[node].get("message") if isinstance(nodes[node], dict) else None
        if name := _name(node, told if isinstance(told, dict) else {}):
            yield name


def _name(node: str, message: Mapping[str, Any]) -> str | None:
    return identity(message.get("id")) or identity(node)


def _last_leaf(nodes: Mapping[str, Any]) -> str:
    parents = {_parent(each) for each in nodes.values()}
    leaves = [name for name in nodes if name not in parents]
    return max(leaves, key=lambda name: (_said_at(nodes[name]), name), default="")


def _parent(node: object) -> str:
    parent = node.get("parent") if isinstance(node, dict) else None
    return parent if isinstance(parent, str) else ""


def _begins(node: object) -> bool:
    """Whether nothing was said before a node."""
    return isinstance(node, dict) and node.get("parent") in (None, "")


def _said_at(node: object) -> float:
    message = node.get("message") if isinstance(node, dict) else None
    said_at = message.get("create_time") if isinstance(message, dict) else None
    return float(said_at) if isinstance(said_at, int | float) else float("-inf")


def _messages(name: str, node: object, bounds: Bounds) -> Iterator[NewMessage]:
    """The message of a node, unless it has none, says nothing or is hidden."""
    message = a_record(node).get("message")
    if message is None:
        return
    author, about = a_record(a_record(message).get("author")), message.get("metadata") or {}
    role = role_of(author.get("role"))
    content = unmarked(_content(message.get("content")), a_record(about))
    if not content.strip() or about.get("is_visually_hidden_from_conversation") is True:
        return
    yield NewMessage(
        role=role,
        content=text(content, "content", most=bounds.message_chars),
        external_id=_name(name, message),
        name=short_name(author.get("name"), "name") if role is Role.TOOL else None,
        created_at=moment(message.get("create_time"), "create_time"),
        metadata=_facts(about, {"model_slug": "model"}, bounds),
    )


def _content(content: object) -> str:
    """What was said, in one text; of what is no text a word that tells its kind."""
    if content is None:
        return ""
    if not isinstance(content, dict):
        raise Malformed("content is no JSON object")
    kind = content.get("content_type")
    if kind in _UNSAID:
        return ""
    if kind == "code":
        code = _joined(content, "text")
        return code.strip() and f"```{_language(content.get('language'))}\n{code}\n```"
    if kind == "user_editable_context":
        return _joined(content, "user_profile", "user_instructions")
    if (parts := content.get("parts")) is not None:
        return "\n".join(filter(None, map(_part, _worded(a_list(parts, "parts")))))
    return _joined(content, "title", "url", "text", "result")


def _joined(content: Mapping[str, Any], *names: str) -> str:
    told = (content.get(name) for name in names)
    return "\n".join(each for each in told if isinstance(each, str) and each)


def _language(value: object) -> str:
    return value if isinstance(value, str) and value.isalnum() and value != "unknown" else ""


def _worded(parts: Sequence[object]) -> Iterator[object]:
    """The parts without sounds, where their words are among them."""
    kinds = [each.get("content_type") if isinstance(each, dict) else None for each in parts]
    without = _SOUNDS if _SPOKEN in kinds else ()
    return (part for part, kind in zip(parts, kinds, strict=True) if kind not in without)


def _part(part: object) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        raise Malformed("a part is neither text nor a JSON object")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = str(part.get("content_type") or "attachment").removesuffix("_asset_pointer")
    return f"[{kind[:40]}]"


def _facts(
    record: Mapping[str, Any], names: Mapping[str, str], bounds: Bounds
) -> Mapping[str, Any]:
    told = {ours: record[theirs] for theirs, ours in names.items() if record.get(theirs)}
    return metadata(told, bounds)
