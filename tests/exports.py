"""What other services export, made by hand; no line of it is anybody's."""

import io
import json
import zipfile
from typing import Any

HUGIN = "The build machine is called Hugin."
ASKED = "How is the build machine called?"
MUNIN = "It is called Munin."


def chatgpt_node(
    name: str, parent: str | None, role: str, *parts: Any, at: float | None = 1_700_000_000.0
) -> dict[str, Any]:
    message = {
        "id": name,
        "author": {"role": role, "name": "browser" if role == "tool" else None},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


def chatgpt_conversation(name: str = "chat-1", **fields: Any) -> dict[str, Any]:
    """A question, an answer that was asked for again, and what a tool said."""
    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        chatgpt_node("empty", "root", "system", "", at=None),
        chatgpt_node("q", "empty", "user", ASKED),
        chatgpt_node("old", "q", "assistant", MUNIN, at=1_700_000_010.0),
        chatgpt_node("looked", "q", "tool", "hosts: hugin", at=1_700_000_015.5),
        chatgpt_node("new", "looked", "assistant", HUGIN, {"content_type": "image_asset_pointer"}),
    ]
    nodes[-1]["message"]["create_time"] = 1_700_000_020.25
    return {
        "conversation_id": name,
        "title": "Machines",
        "create_time": 1_700_000_000.0,
        "current_node": "new",
        "mapping": {each["id"]: each for each in nodes},
        **fields,
    }


def claude_conversation(name: str = "c-1", **fields: Any) -> dict[str, Any]:
    said = [
        {"uuid": "m-1", "sender": "human", "text": ASKED, "created_at": "2024-03-01T10:00:00Z"},
        {
            "uuid": "m-2",
            "sender": "assistant",
            "text": "",
            "content": [
                {"type": "thinking", "thinking": "Where could that be?"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "t-1", "name": "hosts", "input": {"all": True}},
                {
                    "type": "tool_result",
                    "name": "hosts",
                    "content": [{"type": "text", "text": "hugin"}],
                },
                {"type": "text", "text": HUGIN},
            ],
            "created_at": "2024-03-01T10:00:05.123456Z",
        },
    ]
    told = {"uuid": name, "name": "Machines", "created_at": "2024-03-01T09:59:00Z"}
    return {**told, "chat_messages": said, **fields}


def sharegpt_conversation(name: str = "s-1") -> dict[str, Any]:
    said = [{"from": "human", "value": ASKED}, {"from": "gpt", "value": HUGIN}]
    return {"id": name, "conversations": said}


def spelled(value: Any) -> bytes:
    return json.dumps(value).encode()


def lines_of(*values: Any) -> bytes:
    return b"".join(spelled(each) + b"\n" for each in values)


def zipped(**members: bytes) -> bytes:
    """A zip of members, of which `_` stands for the dot before the suffix."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            stem, _, suffix = name.rpartition("_")
            archive.writestr(f"export/{stem}.{suffix}", content)
    return file.getvalue()
