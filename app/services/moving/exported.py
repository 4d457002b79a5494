"""The lines of an export (app/formats/foreword.py), of what is stored."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.domain.conversation import Conversation, Message
from app.domain.ids import MessageId
from app.domain.memories import Memory
from app.domain.profile import Consent, Profile
from app.ports.moving import StoredVector

Line = Mapping[str, Any]


def conversation_line(conversation: Conversation, said: Sequence[Message]) -> Line:
    told = {
        "record": "conversation",
        "id": str(conversation.id),
        "external_id": conversation.external_id,
        "user_id": conversation.user_id,
        "label": conversation.label,
        "folder": conversation.folder,
        "importance": conversation.importance,
        "tags": list(conversation.tags),
        "metadata": conversation.metadata,
        "system_prompt": conversation.system_prompt,
        "archived": conversation.archived,
        "created_at": _moment(conversation.created_at),
        "updated_at": _moment(conversation.updated_at),
    }
    return {**_filled(told), "messages": [_message(each) for each in said]}


def _message(message: Message) -> Line:
    told = {
        "id": str(message.id),
        "external_id": message.external_id,
        "role": message.role.value,
        "name": message.name,
        "tool_calls": message.tool_calls,
        "tool_call_id": message.tool_call_id,
        "importance": message.importance,
        "metadata": message.metadata,
        "created_at": _moment(message.created_at),
        "echo": [list(each) for each in message.echo],
        "unwanted": sorted(message.unwanted),
        "aside": message.aside or None,
    }
    return {**_filled(told), "content": message.content}


def memory_line(memory: Memory, edges: Sequence[tuple[MessageId, bool]]) -> Line:
    return _filled(
        {
            "record": "memory",
            "id": str(memory.id),
            "type": memory.type.value,
            "user_id": memory.user_id,
            "conversation_id": memory.conversation_id and str(memory.conversation_id),
            "subject": memory.subject,
            "content": memory.content,
            "source": memory.source,
            "importance": memory.importance,
            "metadata": memory.metadata,
            "created_at": _moment(memory.created_at),
            "valid_from": _moment(memory.valid_from),
            "valid_to": memory.ends_at and _moment(memory.ends_at),
            "expires_at": memory.expires_at and _moment(memory.expires_at),
            "derived_from": [str(each) for each, reworded in edges if not reworded],
            "reworded": [str(each) for each, reworded in edges if reworded],
            "derived": memory.derived or None,
        }
    )


def superseded_line(memory: Memory) -> Line:
    return _filled(
        {
            "record": "superseded",
            "user_id": memory.user_id,
            "id": str(memory.id),
            "by": str(memory.superseded_by),
        }
    )


def user_line(user_id: str, consent: Consent, profile: Profile | None) -> Line:
    grants = {
        purpose.value: _filled(
            {
                "source": grant.source,
                "granted_at": _moment(grant.granted_at),
                "expires_at": grant.expires_at and _moment(grant.expires_at),
            }
        )
        for purpose, grant in sorted(consent.items())
    }
    told = {"record": "user", "user_id": user_id, "consent": grants}
    return told if profile is None else {**told, "profile": _profile(profile)}


def _profile(profile: Profile) -> Line:
    return {
        "preferences": profile.preferences,
        "context": profile.context,
        "notes": profile.notes,
        "updated_at": _moment(profile.updated_at),
    }


def embedding_line(vector: StoredVector) -> Line:
    return _filled(
        {
            "record": "embedding",
            "of": vector.kind,
            "id": str(vector.id),
            "model": vector.model,
            "vector": b64encode(vector.vector).decode(),
            "message_id": vector.message_id and str(vector.message_id),
            "start": vector.start,
            "stop": vector.stop,
        }
    )


def _moment(moment: datetime) -> str:
    return moment.isoformat()


def _filled(told: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {name: each for name, each in told.items() if each or (each == 0 and each is not False)}
