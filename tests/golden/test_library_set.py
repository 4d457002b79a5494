import subprocess
import sys
from typing import Any

import pytest

from tests.golden.library_set import QUESTIONS, files, snippets

Json = dict[str, Any]


@pytest.fixture(scope="module", params=[snippets, files])
def library(request: pytest.FixtureRequest) -> Json:
    made: Json = request.param()
    return made


@pytest.fixture(scope="module")
def code(library: Json) -> dict[str, str]:
    """By the name of the function."""
    return {
        message["id"]: message["text"]
        for memory in library["conversations"]
        for session in memory["sessions"]
        for message in session["messages"]
    }


def test_every_question_is_answered_in_its_memory(library: Json, code: dict[str, str]) -> None:
    assert len(library["questions"]) > 100
    for each in library["questions"]:
        (function,) = each["evidence_message_ids"]
        assert function in code, each


def test_nearly_every_line_names_a_function_of_this_python() -> None:
    asked = {name for each in snippets()["questions"] for name in each["evidence_message_ids"]}
    named = {line.partition(": ")[0] for line in QUESTIONS.read_text("utf-8").splitlines()}
    assert len(named & asked) > 0.9 * len(named), sorted(named - asked)


def test_what_is_asked_in_the_words_of_a_docstring_does_not_hold_it(
    library: Json, code: dict[str, str]
) -> None:
    written = {line.partition(": ")[2] for line in QUESTIONS.read_text("utf-8").splitlines()}
    described = [each for each in library["questions"] if each["question"] not in written]
    assert described
    for each in described:
        (function,) = each["evidence_message_ids"]
        assert each["question"] not in code[function], each


def test_a_snippet_stands_alone_and_a_file_holds_many() -> None:
    (alone,), (together,) = snippets()["conversations"], files()["conversations"]
    assert {len(session["messages"]) for session in alone["sessions"]} == {1}
    assert len(together["sessions"]) * 10 < sum(
        len(each["messages"]) for each in together["sessions"]
    )


@pytest.mark.parametrize("arguments", [(), ("books",)])
def test_without_a_set_of_ours_it_is_told_which_there_are(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "tests.golden.library_set", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "{snippets,files}" in ended.stderr
    assert "Traceback" not in ended.stderr
