"""Whoever speaks in an export may be called otherwise than here; one table tells who that is."""

from collections.abc import Callable

import pytest

from app.domain.conversation import Role, role_called
from tests.exports import chatgpt_conversation, claude_conversation, lines_of, spelled
from tests.readings import reasons_in, said_in

WORDS = {
    Role.USER: ["human", "customer", "client", "visitor", "Guest", "End User", "end-user"],
    Role.ASSISTANT: ["ai", "bot", "model", "gpt", "Claude", "chatbot", "agent", "operator"],
    Role.SYSTEM: ["developer", " SYSTEM "],
    Role.TOOL: ["function", "observation", "tool_response"],
}
SERVING = ["support", "REPRESENTATIVE", "Support Agent", "support-agent", "human agent"]
CALLED = [
    *((word, role) for role, several in WORDS.items() for word in several),
    *((word, Role.ASSISTANT) for word in SERVING),
]


def openai(word: str) -> bytes:
    return spelled([{"messages": [{"role": word, "content": "Hello."}]}])


def lines(word: str) -> bytes:
    return lines_of({"role": word, "content": "Hello."})


def sharegpt(word: str) -> bytes:
    return spelled([{"conversations": [{"from": word, "value": "Hello."}]}])


def table(word: str) -> bytes:
    return f"sender,content\n{word},Hello.\n".encode()


def chatgpt(word: str) -> bytes:
    told = chatgpt_conversation()
    told["mapping"]["q"]["message"]["author"]["role"] = word
    return spelled([told])


def claude(word: str) -> bytes:
    told = claude_conversation()
    told["chat_messages"][0]["sender"] = word
    return spelled([told])


def own(word: str) -> bytes:
    return lines_of({"record": "conversation", "messages": [{"role": word, "content": "Hello."}]})


FORMS = [openai, lines, sharegpt, table, chatgpt, claude, own]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("word", "role"), CALLED)
def test_a_role_is_known_by_the_words_of_others(
    form: Callable[[str], bytes], word: str, role: Role
) -> None:
    raw = form(word)
    assert reasons_in(raw) == []
    said = said_in(raw)[0].conversation.messages[0]
    assert (said.role, said.name) == (role, None)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("word", ["narrator", "Anna", "agent Smith"])
def test_what_is_no_role_is_rejected_by_its_name(form: Callable[[str], bytes], word: str) -> None:
    assert f"the role {word!r} is not known" in reasons_in(form(word))


def test_who_serves_is_the_assistant_person_or_not() -> None:
    raw = b"role,name,content\ncustomer,,Hi\nbot,,Hello.\nagent,Ann,Ann here.\n"
    (found,) = said_in(raw)
    assert [(each.role.value, each.name) for each in found.conversation.messages] == [
        ("user", None),
        ("assistant", None),
        ("assistant", "Ann"),
    ]


@pytest.mark.parametrize("role", Role)
def test_an_export_of_ours_calls_roles_by_their_names(role: Role) -> None:
    (found,) = said_in(own(role.value))
    assert [each.role for each in found.conversation.messages] == [role]


@pytest.mark.parametrize("role", Role)
def test_each_role_is_called_by_its_own_name(role: Role) -> None:
    assert role_called(role.value) is role


@pytest.mark.parametrize("told", [{}, {"role": None}, {"role": ""}])
def test_a_message_without_a_role_is_told_as_that(told: dict[str, str | None]) -> None:
    said = [{"role": "user", "content": "hi"}, {"content": "ho", "role": "narrator"}]
    without = [said[0], {"content": "ho", **told}]
    rejected = reasons_in(lines_of({"messages": without}))
    assert rejected == ["has no role"]
    assert reasons_in(lines_of({"messages": said})) == ["the role 'narrator' is not known"]
