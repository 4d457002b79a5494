"""No example of the README can rot: each is tried by a test, or it is told here why not."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.readme import blocks

TESTS = Path(__file__).parents[1] / "api"

NOT_TRIED = {
    ("sh", "Two commands"): "they install packages; CI begins with what they are made of",
    ("", "How it works"): "a drawing",
    ("", "Measuring and tuning"): "a list of folders",
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
