"""No example of the README can rot: each is tried by a test, or it is told here why not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from app.cli import app
from tests.readme import README, ROOT, blocks

TESTS = Path(__file__).parents[1] / "api"

NOT_TRIED = {
    ("sh", "Two commands"): "they install packages; CI begins with what they are made of",
    ("", "How it works"): "a drawing",
    ("", "The code"): "a list of folders",
}


def tried() -> Iterator[tuple[str, str]]:
    """Language and section of the examples that tests take, by the calls in their text."""
    for file in TESTS.glob("test_readme*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="examples"),
                    args=[ast.Constant(value=language), ast.Constant(value=section)],
                ):
                    yield str(language), str(section)


def test_every_example_is_tried_or_excused() -> None:
    known = [*tried(), *NOT_TRIED]
    assert {(each.language, each.section) for each in blocks()} == set(known)


def test_nothing_is_both_tried_and_excused() -> None:
    assert not NOT_TRIED.keys() & set(tried())


def test_every_link_leads_to_a_heading() -> None:
    headings = {_anchor(each) for each in re.findall(r"^##+ (.+)$", README, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= headings


def test_every_file_that_is_linked_is_there() -> None:
    linked = re.findall(r"\]\((?!#|https?:)([^)#]+)", README)
    assert linked
    assert [each for each in linked if not (ROOT / each).is_file()] == []


def test_the_contents_tell_of_every_section() -> None:
    contents, *_ = README.partition("\n## ")
    told = re.findall(r"\[([^]]+)\]\(#", contents)
    assert sorted(told) == sorted(set(re.findall(r"^## (.+)$", README, re.MULTILINE)) - {"Licence"})


def test_every_command_is_told_with_its_options() -> None:
    options = {*re.findall(r"--[a-z-]+", README), "--help"}
    for path, command in _commands("foreword", get_command(app)):
        assert re.search(rf"\b{path}\b", README), path
        assert _options(command) <= options, path


def _anchor(heading: str) -> str:
    """As it is addressed where the README is shown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """What is called by which words behind `foreword`."""
    if isinstance(command, TyperGroup):
        for name, each in command.commands.items():
            yield from _commands(f"{path} {name}", each)
    else:
        yield path, command


def _options(command: Any) -> set[str]:
    spelled = [each for parameter in command.params for each in parameter.opts]
    return {each for each in spelled if each.startswith("--")}
