"""No example and no link of README and docs can rot; what is not tried is told here, and why."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from app.cli import app
from tests.readme import DOCS, PAGES, README, ROOT, TOLD, blocks, sections

TESTS = Path(__file__).parents[1] / "api"

OTHERS = ["CHANGELOG.md", "tests/distil/README.md"]
UNLINKED = ["CHANGELOG.md", "docs/decisions.md"]
BESIDE = ["Makefile", "Dockerfile", "docker-compose.yml", "pyproject.toml"]

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


def test_no_example_stands_outside_of_a_section() -> None:
    fences = [re.findall(r"^```", page, re.MULTILINE) for page in PAGES.values()]
    assert sum(map(len, fences)) == 2 * len(blocks())


def test_no_two_sections_are_called_alike() -> None:
    told = [heading for page in PAGES for heading in sections(page)]
    assert sorted(told) == sorted(set(told))


def test_the_readme_is_a_front_page() -> None:
    assert len(README.splitlines()) <= 500


@pytest.mark.parametrize("page", DOCS)
def test_a_page_begins_with_what_it_is_for(page: str) -> None:
    assert re.match(r"# \S.*\n\n[A-Z]", DOCS[page])


@pytest.mark.parametrize("page", [*PAGES, *OTHERS])
def test_every_link_leads_to_a_file_and_a_heading_of_it(page: str) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)]*)\)", (ROOT / page).read_text("utf-8"))
    assert targets or page in UNLINKED
    for target in targets:
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.is_file(), target
        assert not anchor or anchor in _anchors(file), target


@pytest.mark.parametrize("page", PAGES)
def test_no_two_headings_of_a_page_have_one_address(page: str) -> None:
    anchors = _anchors(ROOT / page)
    assert sorted(anchors) == sorted(set(anchors))


def test_every_page_that_is_named_is_there() -> None:
    naming = [ROOT / each for each in (*PAGES, *OTHERS, *BESIDE)]
    naming += [each for room in ("app", "loadtests") for each in (ROOT / room).rglob("*.py")]
    named = {
        name
        for file in naming
        for name in re.findall(r"\bdocs/[\w-]+\.md\b", file.read_text("utf-8"))
    }
    assert named
    assert named <= DOCS.keys()


def test_the_contents_tell_of_every_page_and_section() -> None:
    contents, *_ = README.partition("\n## ")
    told = re.findall(r"\[([^]]+)\]\(([^)]+)\)", contents)
    there = [
        (heading, f"{'' if page == 'README.md' else page}#{_anchor(heading)}")
        for page in PAGES
        for heading in sections(page)
        if heading != "Licence"
    ]
    assert sorted(each for each in told if "#" in each[1]) == sorted(there)
    assert sorted(target for _, target in told if "#" not in target) == sorted(DOCS)


def test_every_command_is_told_with_its_options() -> None:
    options = {*re.findall(r"--[a-z-]+", TOLD), "--help"}
    for path, command in _commands("foreword", get_command(app)):
        assert re.search(rf"\b{path}\b", TOLD), path
        assert _options(command) <= options, path


def _anchors(page: Path) -> list[str]:
    """Of its title and of all headings below; lines of code are none."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [_anchor(each) for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]


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
