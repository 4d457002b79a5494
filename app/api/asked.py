"""What a model is asked through the proxy: read from a request, and written with memory in it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import Headers

from app.api.passing import CONVERSATION, name_in, name_problem, user_in, user_problem
from app.api.reading import parsed
from app.domain.chat import Form, Party
from app.domain.errors import NotAnObject, UnusableField
from app.text import anthropic, responses
from app.text.chat import Chat, listed_in, name_of, question_in, shown_in, with_memory

_Body = Mapping[str, Any]

_CHAT_IN: Mapping[Form, Callable[[_Body], Chat]] = {
    Form.CHAT: listed_in,
    Form.RESPONSES: responses.chat_in,
    Form.MESSAGES: anthropic.chat_in,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """
    A request for a completion.

    `chat` is empty where its messages are of no shape we know; the rest is what is read from it:
    the last question, all texts, a name for a conversation that has none, and where the upstream
    keeps what is said: in which conversation, and behind which response.
    """

    form: Form
    body: _Body
    chat: Chat
    query: str
    shown: tuple[str, ...]
    named: str | None
    kept: object = None
    follows: str | None = None

    @property
    def bound(self) -> bool:
        """Whether it has the instructions of a request before, and the upstream takes no others."""
        return self.form is Form.MESSAGES and self.follows is not None


def read(form: Form, body: bytes) -> Asked:
    """
    What is asked in a body of this form.

    Raises:
        NotAnObject: It is no JSON object.
    """
    try:
        found = parsed(body)
    except (ValueError, RecursionError) as error:
        raise NotAnObject from error
    if not isinstance(found, dict):
        raise NotAnObject
    chat = _CHAT_IN[form](found)
    asked = Asked(form, found, chat, question_in(chat), shown_in(chat), name_of(chat))
    if form is Form.RESPONSES:
        kept, follows = responses.kept_in(found), responses.followed_in(found)
        return replace(asked, kept=kept, follows=follows)
    if form is Form.MESSAGES:
        return replace(asked, follows=anthropic.followed_in(found))
    return asked


def written(asked: Asked, memory: str, *, joined: bool) -> bytes:
    """The body with `memory` among its instructions; `joined` is of chats, see `with_memory`."""
    match asked.form:
        case Form.CHAT:
            chat = with_memory(asked.chat, memory, joined=joined)
            body: _Body = {**asked.body, "messages": chat}
        case Form.RESPONSES:
            body = responses.instructed(asked.body, memory)
        case Form.MESSAGES:
            body = anthropic.instructed(asked.body, memory)
    return json.dumps(body, separators=(",", ":")).encode()


def party_of(headers: Headers, asked: Asked) -> Party:
    """
    Whose request it is, and of which conversation: by header, else by what the body says.

    Raises:
        UnusableHeader: What it says cannot be a name.
        UnusableField: The same of the body.
    """
    metadata = asked.body.get("metadata")
    told = metadata if isinstance(metadata, dict) else {}
    user = user_in(headers) or _first(
        user_problem,
        ("user", asked.body.get("user")),
        ("metadata.user_id", told.get("user_id")),
        ("metadata.user", told.get("user")),
        ("safety_identifier", asked.body.get("safety_identifier")),
    )
    conversation = name_in(headers, CONVERSATION) or _first(
        name_problem,
        ("metadata.conversation_id", told.get("conversation_id")),
        ("metadata.conversation", told.get("conversation")),
        ("conversation", asked.kept if isinstance(asked.kept, str) and asked.kept else None),
    )
    if conversation is None and asked.follows is None:
        conversation = asked.named
    return Party(user_id=user, conversation=conversation)


def _first(problem_of: Callable[[str], str | None], *told: tuple[str, object]) -> str | None:
    """
    The first that is there, if it can be what it is meant for; a whole number by its digits.

    What can be no name is not passed over: its user would be nobody, who shares one memory.
    """
    for where, name in told:
        match name:
            case None:
                continue
            case str() | int() if not isinstance(name, bool):
                problem = problem_of(str(name))
            case _:
                problem = "must be a text or a whole number"
        if problem is not None:
            raise UnusableField(f"{where} {problem}", where=where)
        return str(name)
    return None
