"""What is named of that which a provider keeps."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.chat import Form
from app.text.kept import named_in, told_in

FIELDS = st.sampled_from(
    """
    input id type role content file_id container audio conversation output item choices message
    delta content_block response previous_response_id
    """.split()
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=20,
)


@given(ANYTHING)
def test_whatever_is_told_is_read(told: Any) -> None:
    body = json.dumps(told).encode()
    assert all(place and name for place, name in named_in(body))
    for form in Form:
        for answer, streamed in ((body, False), (b"data: " + body + b"\n\n", True)):
            assert all(told_in(form, answer, streamed=streamed))


def test_a_name_is_found_however_deep_it_stands() -> None:
    body = b'{"a": ' * 400 + b'{"file_id": "file_1"}' + b"}" * 400
    ((place, name),) = named_in(body)
    assert (place.count("a."), name) == (400, "file_1")


def test_an_item_by_its_id_is_named_and_one_that_is_told_in_full_is_not() -> None:
    def named(item: dict[str, Any]) -> bool:
        return bool(named_in(json.dumps({"input": [{"id": "x", **item}]}).encode()))

    assert named({"type": "item_reference", "role": "user", "content": "Hi"})
    assert named({"type": "item_reference", "encrypted_content": "g"})
    assert named({"type": "message", "role": "user"})
    assert named({"type": "reasoning", "summary": []})
    assert named({"type": []})
    assert not named({"role": "user", "content": "Hi"})
    assert not named({"type": "reasoning", "encrypted_content": "g"})
    assert not named({"type": "function_call", "name": "f"})
    assert not named({"type": "function_call_output", "output": "1"})
    assert not named({"id": None})


def test_a_field_that_is_there_twice_is_told_without_a_name() -> None:
    assert list(named_in(b'{"a": [{"b": 1, "c": 2, "b": 3}]}')) == [("a[0].b", "")]


def test_a_place_can_be_told_whatever_its_fields_are_called() -> None:
    for told in (
        b'{"\\ud800": {"file_id": "f"}}',
        b'{"\\udfff": 7}',
        b'{"\\ud800": 1, "\\ud800": 1}',
    ):
        ((place, _),) = named_in(told)
        assert place.encode()


def test_skills_that_everybody_has_are_nobodys() -> None:
    skills = [{"type": "anthropic", "skill_id": "pptx"}, {"type": "custom", "skill_id": "s_1"}]
    body = json.dumps({"container": {"id": "c_1", "skills": skills}}).encode()
    names = [("container.id", "c_1"), ("container.skills[1].skill_id", "s_1")]
    assert list(named_in(body)) == names


def told(form: Form, *events: dict[str, Any]) -> list[str]:
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events).encode()
    return list(told_in(form, stream, streamed=True))


def test_an_answer_names_itself_and_what_was_made_for_it() -> None:
    ran = {"type": "code_interpreter_call", "id": "ci_1", "container_id": "cntr_1"}
    response = {"id": "resp_1", "output": [ran]}
    whole = json.dumps(response).encode()
    assert list(told_in(Form.RESPONSES, whole, streamed=False)) == ["resp_1", "ci_1", "cntr_1"]
    events = ({"response": {"id": "resp_1"}}, {"item": ran}, {"response": response})
    assert told(Form.RESPONSES, *events) == ["resp_1", "ci_1", "cntr_1"]

    made = {"content": [{"file_id": "file_1"}]}
    result = {"type": "bash_code_execution_tool_result", "content": made}
    assert told(
        Form.MESSAGES,
        {"message": {"id": "msg_1"}},
        {"content_block": result},
        {"delta": {"container": {"id": "container_1"}}},
    ) == ["msg_1", "file_1", "container_1"]
    message = json.dumps({"id": "msg_1", "content": [result]}).encode()
    assert list(told_in(Form.MESSAGES, message, streamed=False)) == ["msg_1", "file_1"]

    choices = [{"message": {"audio": {"id": "audio_1"}}}, {"delta": {"audio": {"id": "audio_2"}}}]
    assert told(Form.CHAT, {"choices": choices}) == ["audio_1", "audio_2"]


def test_what_an_answer_repeats_of_the_request_is_named_by_nobody() -> None:
    called = {"type": "tool_use", "id": "toolu_1", "input": {"file_id": "file_1"}}
    assert told(Form.MESSAGES, {"message": {"content": [called]}}) == []
    repeated = {"metadata": {"id": "resp_2"}, "tools": [{"container": "c"}], "conversation": "v"}
    assert told(Form.RESPONSES, {"response": {"id": "resp_1", **repeated}}) == ["resp_1"]
