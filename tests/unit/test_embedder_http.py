import asyncio
import json
from collections.abc import Iterator

import numpy as np
import pytest

from app.adapters.embedder import OllamaEmbedder, OpenAIEmbedder
from app.adapters.embedder.http import HttpEmbedder, Retries
from app.domain.errors import EmbedderUnavailable
from tests.fakes_embedder import Answer, StubServer, stub_server

SOON = Retries(attempts=3, timeout=10, first_wait=0.001, longest_wait=0.01)
IMPATIENT = Retries(attempts=1, timeout=0.05, first_wait=0.001)


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with stub_server() as server:
        yield server


async def an_embedder(stub: StubServer, *, retries: Retries = SOON) -> OpenAIEmbedder:
    return await OpenAIEmbedder.open(base_url=stub.url + "/", model="stub", retries=retries)


async def failure_of(stub: StubServer, *answers: Answer, retries: Retries = SOON) -> str:
    """What is said when `answers` are what the server answers to one text."""
    embedder = await an_embedder(stub, retries=retries)
    stub.script.extend(answers)
    with pytest.raises(EmbedderUnavailable) as failed:
        await embedder.embed(["hello"])
    await embedder.aclose()
    return str(failed.value)


@pytest.mark.parametrize("kind", [OpenAIEmbedder, OllamaEmbedder])
async def test_the_dimension_is_learnt_from_the_server(
    stub: StubServer, kind: type[HttpEmbedder]
) -> None:
    embedder = await kind.open(base_url=stub.url, model="some/model")

    assert embedder.dimension == 32
    assert embedder.model == f"{kind.dialect.name}/some/model/32"
    await embedder.aclose()


async def test_texts_are_sent_in_batches_and_each_is_reported(stub: StubServer) -> None:
    sizes: list[int] = []
    embedder = await OpenAIEmbedder.open(
        base_url=stub.url, model="stub", batch_size=2, on_batch=lambda size, _: sizes.append(size)
    )

    await embedder.embed(["a", "b", "c", "d", ""])

    assert [body["input"] for body in stub.bodies[1:]] == [["a", "b"], ["c", "d"], [" "]]
    assert {body["model"] for body in stub.bodies} == {"stub"}
    assert sizes == [2, 2, 1]
    await embedder.aclose()


async def test_a_query_is_asked_once(stub: StubServer) -> None:
    embedder = await an_embedder(stub)
    stub.bodies.clear()

    await asyncio.gather(*(embedder.read_query("who?") for _ in range(5)))
    await embedder.read_query("who?")

    assert len(stub.bodies) == 1
    await embedder.aclose()


async def test_the_key_is_sent_and_never_told(stub: StubServer) -> None:
    stub.script.append(Answer(status=401, body="no"))

    with pytest.raises(EmbedderUnavailable) as failed:
        await OpenAIEmbedder.open(base_url=stub.url, model="stub", api_key="sesame")

    assert stub.keys == ["Bearer sesame"]
    assert "status 401" in str(failed.value)
    assert "127.0.0.1" in str(failed.value)
    assert "sesame" not in str(failed.value)


async def test_without_a_key_none_is_sent(stub: StubServer) -> None:
    embedder = await an_embedder(stub)

    assert stub.keys == [None]
    await embedder.aclose()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=429, headers={"Retry-After": "0"}),
        Answer(status=429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Answer(status=500),
        Answer(status=503),
    ],
)
async def test_a_passing_failure_is_survived(stub: StubServer, answer: Answer) -> None:
    embedder = await an_embedder(stub)
    stub.script.extend([answer, answer])

    vectors = await embedder.embed(["hello"])

    assert vectors.shape == (1, 32)
    await embedder.aclose()


async def test_a_lasting_failure_is_given_up(stub: StubServer) -> None:
    said = await failure_of(stub, *[Answer(status=503)] * 3)

    assert said == "The embedding model at 127.0.0.1 answers with status 503."
    assert len(stub.bodies) == 1 + 3


async def test_a_refusal_is_not_asked_again(stub: StubServer) -> None:
    assert "status 404" in await failure_of(stub, Answer(status=404))
    assert len(stub.bodies) == 1 + 1


async def test_a_server_that_says_nothing_is_not_waited_for(stub: StubServer) -> None:
    stub.script.append(Answer(body=None))

    with pytest.raises(EmbedderUnavailable, match=r"did not answer within 0\.05 s"):
        await an_embedder(stub, retries=IMPATIENT)


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    with stub_server() as stub:
        url = stub.url

    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        await OllamaEmbedder.open(base_url=url, model="stub", retries=SOON)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("no", id="no list"),
        pytest.param([{"index": 0}], id="no vector"),
        pytest.param([{"index": 0, "embedding": ["x"] * 32}], id="words"),
        pytest.param([{"index": 0, "embedding": [0.0] * 32}], id="zeros"),
        pytest.param([{"index": 0, "embedding": [float("nan")] * 32}], id="not numbers"),
        pytest.param([{"index": 0, "embedding": [1.0] * 31}], id="another dimension"),
        pytest.param([{"index": i, "embedding": [1.0] * 32} for i in range(2)], id="too many"),
        pytest.param([], id="none"),
    ],
)
async def test_an_answer_without_the_vectors_is_a_failure(stub: StubServer, data: object) -> None:
    said = await failure_of(stub, Answer(body=json.dumps({"data": data})))

    assert said.startswith("The embedding model at 127.0.0.1 answers with")


@pytest.mark.parametrize("body", ["<html>", "null", "[1]", "{}"])
async def test_an_answer_in_another_form_is_a_failure(stub: StubServer, body: str) -> None:
    assert "something else than vectors" in await failure_of(stub, Answer(body=body))


async def test_a_failed_query_is_asked_again(stub: StubServer) -> None:
    embedder = await an_embedder(stub)
    stub.script.append(Answer(status=404))
    with pytest.raises(EmbedderUnavailable):
        await embedder.read_query("who?")

    assert np.linalg.norm((await embedder.read_query("who?")).vector) == pytest.approx(1)
    await embedder.aclose()
