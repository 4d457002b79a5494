"""
Two sets of code questions that we wrote: as people type them, about functions of Python's library.

`library.txt` holds a line `MODULE.FUNCTION: QUESTION` for each. The code is not ours and not kept
here: it is read from the Python that runs this, and what that one lacks is left out. One set is a
collection of snippets, where every function is a conversation of its own; in the other, of half of
the modules, a conversation is a file, in the order of its source. Half of the functions lose their
docstring; what some of these began with is asked as well.

`python -m tests.golden.library_set snippets` or `… files` prints one in the neutral format of
evaluation.
"""

import argparse
import ast
import json
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

Json = dict[str, Any]

QUESTIONS = Path(__file__).parent / "library.txt"

_FEWEST_LINES, _MOST_LINES = 4, 60
_KEPT_OF_OTHERS = 2
"""One of so many functions that nobody asks for is kept."""


_DESCRIBED = 12
"""One of so many functions is asked for by the first line of the docstring that it lost."""


_FEWEST_WORDS = 5
"""Of a docstring's line that is asked as a question: what is shorter says too little."""


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    code: str
    lost: str
    """The first line of a docstring that was taken away, where that makes a question."""

    @property
    def number(self) -> int:
        """The same on every run, and unlike those of its neighbours."""
        return crc32(self.name.encode())


def snippets() -> Json:
    """Each function by itself, in the neutral format; see `golden_set.golden_set`."""
    asked = dict(_questions())
    functions = [each for module in _modules(asked) for each in _kept(module, asked)]
    return _set("library-snippets", {each.name: [each] for each in functions}, asked)


def files() -> Json:
    """Every other module, with its functions in order."""
    asked = dict(_questions())
    return _set(
        "library-files", {each: [*_kept(each, asked)] for each in _modules(asked)[::2]}, asked
    )


def _set(name: str, sessions: Mapping[str, Sequence[Function]], asked: Mapping[str, str]) -> Json:
    told = [_session(each, functions) for each, functions in sessions.items() if functions]
    return {
        "name": name,
        "licence": "questions Apache-2.0, ours (tests/golden); code PSF",
        "shared": True,
        "conversations": [{"id": name, "sessions": told}],
        "questions": [
            _question(name, each.name, question)
            for functions in sessions.values()
            for each in functions
            if (question := asked.get(each.name) or each.lost)
        ],
    }


def _questions() -> Iterator[tuple[str, str]]:
    for line in QUESTIONS.read_text("utf-8").splitlines():
        name, _, question = line.partition(": ")
        yield name, question


def _modules(names: Iterable[str]) -> list[str]:
    """The longest beginning of each name that is a module, in order."""
    return sorted({module for name in names if (module := _module_of(name.split(".")))})


def _module_of(parts: list[str]) -> str | None:
    beginnings = (".".join(parts[:size]) for size in range(len(parts) - 1, 0, -1))
    return next((each for each in beginnings if _path(each)), None)


def _path(module: str) -> Path | None:
    path = Path(sysconfig.get_paths()["stdlib"], *module.split("."))
    either = path.with_suffix(".py"), path / "__init__.py"
    return next((each for each in either if each.exists()), None)


def _kept(module: str, asked: Mapping[str, str]) -> Iterator[Function]:
    path = _path(module)
    text = path.read_text("utf-8") if path else ""
    for name, node in _functions(ast.parse(text).body, module):
        number = crc32(name.encode())  # the same on every run, unlike that of a neighbour
        code, lost = _code(node, text, bare=number % 2 == 0)
        short = _FEWEST_LINES <= code.count("\n") + 1 <= _MOST_LINES
        if name in asked or (short and number // 2 % _KEPT_OF_OTHERS == 0):
            asks = number // 4 % _DESCRIBED == 0 and len(lost.split()) >= _FEWEST_WORDS
            yield Function(name, code, lost if asks else "")


def _functions(
    body: Iterable[ast.AST], within: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """All but those inside other functions; of several with one name the last."""
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found[f"{within}.{node.name}"] = node
            case ast.ClassDef():
                found.update(_functions(node.body, f"{within}.{node.name}"))
            case ast.If() | ast.Try():
                found.update(_functions([*node.body, *node.orelse], within))
    yield from found.items()


def _code(
    node: ast.FunctionDef | ast.AsyncFunctionDef, text: str, *, bare: bool
) -> tuple[str, str]:
    """The source of a function, and the first line of a docstring that was taken out of it."""
    lines, first, said = text.splitlines(), node.body[0], ast.get_docstring(node)
    if not bare or not said or len(node.body) == 1:
        return "\n".join(lines[node.lineno - 1 : node.end_lineno]), ""
    kept = [*lines[node.lineno - 1 : first.lineno - 1], *lines[first.end_lineno : node.end_lineno]]
    return "\n".join(kept), said.splitlines()[0]


def _session(name: str, functions: Sequence[Function]) -> Json:
    return {"id": name, "date": None, "messages": [_message(each) for each in functions]}


def _message(function: Function) -> Json:
    text = f"```python\n{function.code}\n```"
    return {"id": function.name, "role": "assistant", "speaker": "assistant", "text": text}


def _question(memory: str, name: str, question: str) -> Json:
    return {
        "conv_id": memory,
        "question": question,
        "evidence_message_ids": [name],
        "category": "code",
    }


if __name__ == "__main__":
    made = {"snippets": snippets, "files": files}
    reader = argparse.ArgumentParser("python -m tests.golden.library_set")
    reader.add_argument("set", choices=made)
    chosen = made[reader.parse_args().set]
    json.dump(chosen(), sys.stdout, ensure_ascii=False, indent=1)
