"""What a bundle shows word for word is not told again beside it: lines of summaries, gists."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from app.domain.context import Candidate, MemoryItem, Source, with_lines
from app.domain.conversation import Message, Role
from app.domain.ids import ItemKey
from app.domain.memory import ItemType
from app.ports import TokenCounter
from app.ranking.ranked import Ranked
from app.ranking.summaries import lines_left
from app.text.terms import terms_of

_Said = Mapping[str, Sequence[tuple[str, str]]]
"""By the id of a message, who said it and what of it is shown, each piece."""

_WORD_FOR_WORD = {ItemType.MESSAGE, ItemType.CHUNK}


def without_repetition(
    chosen: Sequence[Candidate],
    history: Sequence[Message],
    tokens: TokenCounter,
    *,
    ranked: Ranked,
) -> Sequence[Candidate]:
    """
    What was chosen, its summaries without what messages beside them say; none of which nothing is
    left that was looked for, and no gist of the answer of a tool that is there as a whole.

    What is pinned or leading stays as it is: that stands at the beginning of a prompt, which is to
    be the same whatever is found for a question.
    """
    loose = [each.item for each in chosen if not _stands(each, ranked.leading)]
    summaries = [each for each in loose if each.type is ItemType.SUMMARY]
    gists = [each for each in loose if each.type is ItemType.TOOL]
    if not summaries and not gists:
        return chosen
    said = _said(chosen, history)
    left = {each.key: _left(each, said, tokens, ranked) for each in summaries}
    answers = _answers(chosen, history)
    again = {each.key for each in gists if not answers.isdisjoint(each.cited)}
    told = [replace(each, item=left.get(each.item.key, each.item)) for each in chosen]
    return [
        each
        for each in told
        if (each.item.content or each.item.lines is None) and each.item.key not in again
    ]


def _stands(each: Candidate, leading: AbstractSet[ItemKey]) -> bool:
    return each.item.key in leading or Source.PINNED in each.sources


def _answers(chosen: Sequence[Candidate], history: Sequence[Message]) -> AbstractSet[str]:
    """The ids of the answers of tools that are there as a whole."""
    whole = [each.item for each in chosen if each.item.type is ItemType.MESSAGE]
    found = [each for each in whole if each.role is Role.TOOL and each.span is None]
    in_history = {str(each.id) for each in history if each.role is Role.TOOL}
    return in_history.union(*(each.cited for each in found))


def _said(chosen: Sequence[Candidate], history: Sequence[Message]) -> _Said:
    said: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for message in history:
        said[str(message.id)].append((_speaker(message), message.content or ""))
    for item in (each.item for each in chosen):
        if item.type in _WORD_FOR_WORD:
            for cited in item.cited:
                said[cited].append((_speaker(item), item.content))
    return said


def _speaker(said: Message | MemoryItem) -> str:
    """As the lines of summaries call who spoke."""
    role = said.role or Role.USER
    return " ".join((said.name or role.value.capitalize()).split())


def _left(summary: MemoryItem, said: _Said, tokens: TokenCounter, ranked: Ranked) -> MemoryItem:
    shown = [piece for cited in sorted(summary.cited) for piece in said.get(cited, ())]
    lines = lines_left(summary.content, shown)
    if len(lines) == summary.content.count("\n") + 1:
        return summary
    told = with_lines(summary, lines)
    if summary.key not in ranked.asked and _is_beside_the_point(told, summary, ranked.worth):
        return with_lines(summary, [])
    return replace(told, tokens=tokens.count(told.content))


def _is_beside_the_point(left: MemoryItem, whole: MemoryItem, worth: Mapping[str, float]) -> bool:
    """Whether the lines that are gone are those that the words of the query are in."""
    held = worth.keys() & terms_of(whole.content)
    return bool(held) and held.isdisjoint(terms_of(left.content))
