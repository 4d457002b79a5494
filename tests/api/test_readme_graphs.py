"""The README's examples for LangChain and LangGraph do what it says, on the versions installed."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.serving import Server, serving, store
from tests.api.test_readme import did
from tests.readme import HERE, examples

HUGIN = "The build machine is called Hugin."
MODEL = 'model = FakeListChatModel(responses=["It is called Hugin."])  # or any other chat model\n'
SAYS_WHAT_IT_SAW = """
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
model = RunnableLambda(lambda told: AIMessage(f"I was told {told}"))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("service")) as server:
        with server.client() as client:
            store(client, HUGIN, user_id="alice", external_id="chat-43")
        yield server


def printed(server: Server, directory: Path, code: str) -> str:
    return did(directory, sys.executable, "-c", code.replace(HERE, server.url)).strip()


def a_retriever() -> str:
    code, _ = examples("python", "From LangChain and LangGraph")
    return code


def a_graph() -> str:
    _, code = examples("python", "From LangChain and LangGraph")
    return code


def as_it_is(code: str) -> str:
    return code


def without_a_loop(code: str) -> str:
    """The example as it tells to write it where nothing is asynchronous."""
    other = {"asyncio.run(agent.ainvoke(asked, told))": "agent.invoke(asked, told)"}
    other |= {"import asyncio\n": "", "ainvoke": "invoke", "AsyncClient": "Client"}
    other |= {"async ": "", "await ": ""}
    for told, instead in other.items():
        assert told in code
        code = code.replace(told, instead)
    return code


def thread(client: httpx.Client, name: str) -> list[tuple[str, str]]:
    """Who said what in it."""
    listed = client.get("/conversations", params={"user_id": "alice", "q": name}).json()
    (found,) = listed["items"]
    said = client.get(f"/conversations/{found['id']}/messages").json()["items"]
    return [(each["role"], each["content"]) for each in said]


def test_the_retriever_finds(server: Server, tmp_path: Path) -> None:
    assert printed(server, tmp_path, a_retriever()) == HUGIN


def test_the_retriever_finds_for_asyncio(server: Server, tmp_path: Path) -> None:
    awaiting = 'asyncio.run(retriever.ainvoke("How is the build machine called?"))'
    asked = a_retriever().replace('retriever.invoke("How is the build machine called?")', awaiting)
    assert awaiting in asked
    assert printed(server, tmp_path, f"import asyncio\n{asked}") == HUGIN


@pytest.mark.parametrize("write", [as_it_is, without_a_loop])
def test_the_graph_tells_the_model_what_memory_holds_and_keeps_what_was_said(
    server: Server, tmp_path: Path, write: Callable[[str], str]
) -> None:
    name, code = f"chat-{write.__name__}", write(a_graph()).replace("chat-44", "THREAD")
    assert MODEL in code
    answered = printed(server, tmp_path, code.replace("THREAD", name))
    assert answered == "It is called Hugin."
    asked = ("user", "How is the build machine called?")
    with server.client() as client:
        assert thread(client, name) == [asked, ("assistant", answered)]

    again = code.replace("THREAD", name).replace(MODEL, SAYS_WHAT_IT_SAW)
    again = again.replace("How is the build", "Once more, how is the build")
    seen = printed(server, tmp_path, again)
    assert f"> {HUGIN}" in seen
    assert answered in seen
    with server.client() as client:
        assert len(thread(client, name)) == 4
