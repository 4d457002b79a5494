"""
How much of what matters the summaries of the golden conversations keep.

`python -m tests.distil.kept` prints it, beside what as many tokens of the beginnings, of the ends,
and of sentences at even distances would hold.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from app.adapters.embedder.onnx_embedder import OnnxEmbedder
from app.adapters.tokenizer import BpeTokenCounter
from app.distil.gist.summary import MAX_TOKENS, Excerpt, excerpts_of, summarise
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from app.ranking import Floats
from tests.fakes_embedder import a_compiled_model
from tests.golden.golden_set import golden_set

Json = dict[str, Any]

COUNT = BpeTokenCounter().count


@dataclass(frozen=True)
class Kept:
    """Annotated things that are in a summary, of all, and its share of the tokens."""

    decisions: tuple[int, int]
    identifiers: tuple[int, int]
    tokens: int
    of_tokens: int


@cache
def annotated() -> Mapping[str, Json]:
    """By conversation: the words of decisions, and identifiers."""
    listed = yaml.safe_load(Path(__file__).with_name("summaries.yaml").read_text("utf-8"))
    return {each["conversation"]: each for each in listed}


def conversations() -> Mapping[str, Sequence[Utterance]]:
    """The golden conversations that are annotated."""
    wanted = annotated()
    return {
        session["id"]: [_utterance(each) for each in session["messages"]]
        for memory in golden_set()["conversations"]
        for session in memory["sessions"]
        if session["id"] in wanted
    }


def _utterance(message: Json) -> Utterance:
    speaker = message["speaker"]
    return Utterance(
        role=Role(message["role"]),
        content=message["text"],
        said_at=datetime.fromisoformat(message["timestamp"]),
        name=None if speaker == "Assistant" else speaker,
    )


@cache
def material() -> Sequence[tuple[str, int, Sequence[Excerpt], Floats]]:
    """Each conversation's name, tokens, excerpts and their vectors."""
    said = conversations()
    excerpts = {name: excerpts_of(enumerate(each)) for name, each in said.items()}
    vectors = asyncio.run(
        embedded([each.said for several in excerpts.values() for each in several])
    )
    stops = list(accumulate(len(each) for each in excerpts.values()))
    rows = np.split(vectors, stops[:-1])
    return [
        (name, sum(COUNT(one.content) for one in said[name]), excerpts[name], row)
        for name, row in zip(said, rows, strict=True)
    ]


async def embedded(texts: Sequence[str]) -> Floats:
    embedder = await OnnxEmbedder.open(a_compiled_model())
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.aclose()


def measure(share: float, way: str = "summary") -> dict[str, Kept]:
    """What is kept of each conversation at that share of its tokens, at most 400."""
    kept = {}
    for name, of_tokens, excerpts, rows in material():
        text = _text(way, excerpts, rows, min(MAX_TOKENS, int(share * of_tokens)))
        kept[name] = _kept(annotated()[name], text, of_tokens)
    return kept


def _text(way: str, excerpts: Sequence[Excerpt], rows: Floats, most: int) -> str:
    if way == "summary":
        return summarise((excerpts, rows), COUNT, most=most).text
    steps = max(len(excerpts) // max(most // 25, 1), 1)
    ordered = {"beginning": excerpts, "end": excerpts[::-1], "even": excerpts[::steps]}[way]
    taken: list[str] = []
    for each in ordered:
        if COUNT("\n".join([*taken, f"- {each.text}"])) <= most:
            taken.append(f"- {each.text}")
    return "\n".join(taken)


def _kept(wanted: Json, text: str, of_tokens: int) -> Kept:
    said = text.casefold().replace("`", "")
    found = {
        kind: (sum(each.casefold() in said for each in wanted[kind]), len(wanted[kind]))
        for kind in ("decisions", "identifiers")
    }
    return Kept(found["decisions"], found["identifiers"], COUNT(text), of_tokens)


def shares(kept: Mapping[str, Kept]) -> tuple[float, float, float]:
    """Of decisions, of identifiers, of tokens, over all conversations."""
    return (
        sum(each.decisions[0] for each in kept.values())
        / sum(each.decisions[1] for each in kept.values()),
        sum(each.identifiers[0] for each in kept.values())
        / sum(each.identifiers[1] for each in kept.values()),
        sum(each.tokens for each in kept.values()) / sum(each.of_tokens for each in kept.values()),
    )


if __name__ == "__main__":
    for share in (0.1, 0.2):
        for way in ("summary", "beginning", "end", "even"):
            told = ", ".join(f"{each:.3f}" for each in shares(measure(share, way)))
            print(f"{way} at {share}: decisions, identifiers, tokens {told}")  # noqa: T201
