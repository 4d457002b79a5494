"""What became of the calls of tools: what was called, with what, and the gist of the answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.distil.gist.markup import plain_of
from app.distil.language.sentences import sentences_of

LONGEST_GIST = 320
"""Characters; about 80 tokens."""

_READ = 20_000
"""Characters of an answer that are looked at; JSON that is longer is read as text."""

_LONGEST_ARGUMENTS = 120
_LONGEST_LAST = 120
_BETWEEN = " … "
_LONGEST_NAME = 64
_ENTRIES = 3
_WORD = re.compile(r"[^\W_]")
_URL = re.compile(r"https?://[^\s\"'<>)\]}\\]{1,2000}")
_LISTS = ("results", "items", "data", "hits", "documents", "organic_results", "matches")
_TELLING = (
    *("error", "answer", "summary", "result", "output", "title", "name", "snippet"),
    *("description", "message", "text", "content", "value", "status"),
)
_ADDRESS = frozenset({"url", "link", "href", "source"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool, as an assistant's message holds it."""

    id: str | None
    name: str
    arguments: str
    """On one line, short; empty where there are none."""
    url: str | None

    @property
    def text(self) -> str:
        return f"{self.name}({self.arguments})"


def calls_in(tool_calls: Sequence[Mapping[str, Any]] | None) -> Sequence[Call]:
    """The calls that name what they call; other shapes than the usual ones are left out."""
    found = (_call(each) for each in tool_calls or ())
    return [each for each in found if each is not None]


def told_of(call: Call | None, name: str | None, answer: str) -> str:
    """A call and the gist of its answer, in one line."""
    called = call.text if call else _line(name or "tool")[:_LONGEST_NAME]
    gist = gist_of(answer)
    return f"{called}: {gist}" if gist else called


def source_of(call: Call | None, answer: str) -> str | None:
    """The address that was asked, or else the first that the answer names."""
    if call is not None and call.url is not None:
        return call.url
    return _url(answer[:_READ])


def gist_of(answer: str) -> str:
    """What an answer says first, and of lines last, at most LONGEST_GIST characters, on one."""
    answer = answer.strip()
    if answer[:1] in ("{", "[") and len(answer) <= _READ:
        try:
            parsed = json.loads(answer)
        except (ValueError, RecursionError):
            parsed = None
        if told := "; ".join(_told(parsed)):
            return _short(told, LONGEST_GIST)
    return _of_text(answer)


def _call(given: Mapping[str, Any]) -> Call | None:
    inner = given.get("function")
    function = inner if isinstance(inner, Mapping) else given
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        return None
    arguments = function.get("arguments", function.get("input", function.get("args")))
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    own_id = given.get("id")
    return Call(
        id=own_id if isinstance(own_id, str) else None,
        name=_line(name)[:_LONGEST_NAME],
        arguments=_short(_arguments(raw), _LONGEST_ARGUMENTS),
        url=_url(raw[:_READ]),
    )


def _arguments(raw: str) -> str:
    try:
        parsed = json.loads(raw[:_READ])
    except (ValueError, RecursionError):
        return _line(raw)
    if not isinstance(parsed, dict):
        return _line(raw)
    if len(parsed) == 1:
        return _plain(next(iter(parsed.values())))
    return ", ".join(f"{name}: {_plain(value)}" for name, value in parsed.items())


def _told(parsed: Any) -> Iterator[str]:  # noqa: ANN401  (any JSON)
    """What is telling of an answer in JSON, most telling first."""
    if isinstance(parsed, list):
        for entry in parsed[:_ENTRIES]:
            yield _plain(entry) if not isinstance(entry, dict | list) else ": ".join(_fields(entry))
    elif isinstance(parsed, dict):
        listed = next((parsed[name] for name in _LISTS if isinstance(parsed.get(name), list)), None)
        yield from _fields(parsed)
        if listed:
            yield from _told(listed)


def _fields(entry: Any) -> Iterator[str]:  # noqa: ANN401  (any JSON)
    if not isinstance(entry, dict):
        return
    telling = [name for name in _TELLING if isinstance(entry.get(name), str | int | float | bool)]
    if telling:
        yield from (_short(_plain(entry[name]), LONGEST_GIST // 2) for name in telling[:2])
        return
    for name, value in list(entry.items())[:6]:
        if isinstance(value, str | int | float | bool) and name not in _ADDRESS:
            yield f"{_line(name)} {_plain(value)}"


def _of_text(answer: str) -> str:
    """
    The first sentences that fit, else the beginning of the first; each once.

    Of lines that do not all fit the last comes along: there logs tell how it ended.
    """
    text = plain_of(answer[:_READ])
    said = list(dict.fromkeys(_line(each.text) for each in sentences_of(text)))
    said = [each for each in said if _WORD.search(each)]
    if len(" ".join(said)) <= LONGEST_GIST and len(answer) <= _READ:
        return " ".join(said) or _short(_line(text), LONGEST_GIST)
    last = _last_line(answer) if text == answer[:_READ] else ""
    room = LONGEST_GIST - len(_BETWEEN + last) if last else LONGEST_GIST
    told = _filled(said, room) or _short(_line(text), room)
    return f"{told}{_BETWEEN}{last}" if last and last not in told else told


def _filled(said: Sequence[str], room: int) -> str:
    """As many as there is room for, up to the first for which there is none."""
    told = ""
    for each in said:
        longer = f"{told} {each}".strip()
        if len(longer) > room:
            break
        told = longer
    return told


def _last_line(answer: str) -> str:
    """If it is short and says something; empty where all is one line."""
    before, _, last = answer[-_LONGEST_LAST - 1 :].rpartition("\n")
    return _line(last) if before and _WORD.search(last) else ""


def _plain(value: Any) -> str:  # noqa: ANN401  (any JSON)
    return _line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[most // 2 :] else cut}…"


def _url(text: str) -> str | None:
    found = _URL.search(text)
    return found[0].rstrip(".,;:") if found else None
