"""What every Embedder must do, asked of each one we have."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from app.adapters.embedder import OllamaEmbedder, OnnxEmbedder, OpenAIEmbedder
from app.ports.embedding import Embedder
from tests.fakes_embedder import FakeEmbedder, a_compiled_model, stub_server

TEXTS = [
    "Caroline: I went to a support group yesterday and it was so powerful.",
    "ok",
    "def parse(line: str) -> Token: ...",
    "Die Straße führt über den Berg. 山道を登りながら。",
    "A long story. " * 200,
    "What did Caroline do yesterday?",
]
SHORT = [text for text in TEXTS if len(text) < 1_000]
"""Of longer ones a model may read only the beginning where they are queries."""


@pytest.fixture(params=["fake", "onnx", "openai", "ollama"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    if request.param == "fake":
        yield FakeEmbedder(dimension=48)
    elif request.param == "onnx":
        onnx = await OnnxEmbedder.open(a_compiled_model(), batch_size=4)
        yield onnx
        await onnx.aclose()
    else:
        kind = OpenAIEmbedder if request.param == "openai" else OllamaEmbedder
        with stub_server() as stub:
            http = await kind.open(base_url=stub.url, model="stub", batch_size=4)
            yield http
            await http.aclose()


async def test_each_text_becomes_a_row_of_length_one(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_english_is_read(embedder: Embedder) -> None:
    assert all(embedder.reads(text) for text in TEXTS if text.isascii())


async def test_no_texts_become_no_rows(embedder: Embedder) -> None:
    vectors = await embedder.embed([])

    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


async def test_a_vector_does_not_depend_on_what_it_was_embedded_with(embedder: Embedder) -> None:
    together = await embedder.embed(TEXTS)
    alone = np.concatenate([await embedder.embed([text]) for text in TEXTS])

    assert together == pytest.approx(alone, abs=1e-3)


async def test_a_query_has_the_vector_of_the_same_document(embedder: Embedder) -> None:
    queries = np.stack([(await embedder.read_query(text)).vector for text in SHORT])

    assert queries.dtype == np.float32
    assert queries == pytest.approx(await embedder.embed(SHORT), abs=1e-3)


async def test_a_query_asked_twice_has_one_vector(embedder: Embedder) -> None:
    first, second = [(await embedder.read_query("Who is it?")).vector for _ in range(2)]

    assert (first == second).all()


@pytest.mark.parametrize("text", ["", " \n", "\x00", "half a pair: \ud83d", "🙂", "x" * 300_000])
async def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm((await embedder.read_query(text)).vector) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(await embedder.embed([text])) == pytest.approx(1, abs=1e-5)


async def test_texts_that_share_words_are_nearer_than_texts_that_do_not(embedder: Embedder) -> None:
    near, far = await embedder.embed(["The cat sat on the mat.", "Quarterly tax returns"])
    query = (await embedder.read_query("the cat on a mat")).vector

    assert query @ near > query @ far


async def test_many_may_ask_at_once(embedder: Embedder) -> None:
    expected = await embedder.embed(TEXTS)

    lists = await asyncio.gather(*(embedder.embed(TEXTS) for _ in range(4)))
    read = await asyncio.gather(*(embedder.read_query(text) for text in SHORT * 3))
    queries = [each.vector for each in read]

    assert np.stack(lists) == pytest.approx(np.stack([expected] * 4), abs=1e-3)
    short = await embedder.embed(SHORT)
    assert np.stack(queries) == pytest.approx(np.tile(short, (3, 1)), abs=1e-3)


async def test_the_model_has_a_name(embedder: Embedder) -> None:
    assert embedder.model
