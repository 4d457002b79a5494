"""A stand-in for an OpenAI-compatible API: real HTTP on a loopback port, with scripted answers."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

MODEL = "stand-in-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A request as it arrived."""

    method: str
    path: str
    written: str
    """The path as it was sent."""
    query: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body["messages"]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What to answer: after `held_after` chunks it waits to be told to go on."""

    chunks: Sequence[bytes]
    status: int = 200
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    held_after: int | None = None
    breaks: bool = False
    """The connection is cut instead of ending the answer."""

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)


def said_back(content: str | None, **message: Any) -> Script:
    """A whole completion."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
    }
    told = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    # Not as our own JSON would be: what comes through must be these very bytes.
    return Script(chunks=[json.dumps(told, indent=1, ensure_ascii=False).encode()])


def messaged(*content: Mapping[str, Any] | str, **told: Any) -> Script:
    """A whole message of Anthropic's, a text being what the assistant says."""
    return Script(chunks=[json.dumps(_message(*content, **told), indent=1).encode()])


def message_streamed(
    *blocks: tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]], ends: bool = True, **script: Any
) -> Script:
    """The same in events: of each block how it begins, and its deltas."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _message(stop=None)}]
    for at, (block, deltas) in enumerate(blocks):
        events += [
            {"type": "content_block_start", "index": at, "content_block": block},
            *({"type": "content_block_delta", "index": at, "delta": each} for each in deltas),
            {"type": "content_block_stop", "index": at},
        ]
    ending = {"stop_reason": "end_turn", "stop_sequence": None}
    if ends:
        events += [
            {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        ]
    chunks = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events]
    return Script(chunks=chunks, media_type="text/event-stream", **script)


def _message(
    *content: Mapping[str, Any] | str, message: str = "msg_1", stop: str | None = "end_turn"
) -> dict[str, Any]:
    return {
        "id": message,
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [
            {"type": "text", "text": each} if isinstance(each, str) else each for each in content
        ],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def responded(*output: Mapping[str, Any] | str, response: str = "resp_1", **told: Any) -> Script:
    """A whole response, a text being what the assistant says."""
    return Script(chunks=[json.dumps(_response(*output, response=response, **told)).encode()])


def response_streamed(*words: str, response: str = "resp_1", **script: Any) -> Script:
    """A response in events, a delta for each of the words."""
    begun = _response(response=response, status="in_progress")
    ended = _response("".join(words), response=response)
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        *(
            {
                "type": "response.output_text.delta",
                "item_id": "msg_0",
                "output_index": 0,
                "content_index": 0,
                "delta": each,
                "logprobs": [],
            }
            for each in words
        ),
        {"type": "response.completed", "response": ended},
    ]
    chunks = [
        f"event: {each['type']}\ndata: {json.dumps({**each, 'sequence_number': at})}\n\n".encode()
        for at, each in enumerate(events)
    ]
    return Script(chunks=chunks, media_type="text/event-stream", **script)


def _response(*output: Mapping[str, Any] | str, response: str, **told: Any) -> dict[str, Any]:
    return {
        "id": response,
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "model": MODEL,
        "output": [
            _spoken(each, at) if isinstance(each, str) else each for at, each in enumerate(output)
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **told,
    }


def _spoken(words: str, at: int) -> Mapping[str, Any]:
    part = {"type": "output_text", "text": words, "annotations": []}
    return {
        "id": f"msg_{at}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def streamed(*deltas: Mapping[str, Any], finish: str = "stop", **script: Any) -> Script:
    """A completion in chunks, one for each delta, in the ways in which lines may end."""
    events: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    events.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [_event([each]) for each in events]
    chunks.append(_event([], usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}))
    return Script(chunks=[*chunks, b"data: [DONE]\n\n"], media_type="text/event-stream", **script)


def _event(choices: list[Any], **more: Any) -> bytes:
    told = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000}
    body = json.dumps({**told, "model": MODEL, "choices": choices, **more}, ensure_ascii=False)
    return f": keep-alive\r\ndata: {body}\r\n\r\n".encode()


@dataclass(slots=True)
class StandInModel:
    """What it was asked, and what it will answer: the last script again and again."""

    url: str
    scripts: list[Script] = field(default_factory=lambda: [said_back("Understood.")])
    heard: list[Heard] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)
    holding: threading.Event = field(default_factory=threading.Event)
    """Set when it waits to be told to go on."""
    left_alone: threading.Event = field(default_factory=threading.Event)
    """Set when a caller went away before the end."""

    def answers(self, *scripts: Script) -> None:
        self.scripts = list(scripts)

    @property
    def last(self) -> Heard:
        return self.heard[-1]

    async def answer(self, request: Request) -> Response:
        self.heard.append(
            Heard(
                method=request.method,
                path=request.url.path,
                written=request.scope["raw_path"].decode(),
                query=request.url.query,
                headers=dict(request.headers),
                raw=await request.body(),
            )
        )
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        length = {} if len(script.chunks) > 1 else {"content-length": str(len(script.body))}
        if script.held_after == -1:
            await self._held(request)
        return StreamingResponse(
            self._chunks(request, script),
            status_code=script.status,
            media_type=script.media_type,
            headers={**length, **script.headers},
        )

    async def _chunks(self, request: Request, script: Script) -> AsyncIterator[bytes]:
        for at, chunk in enumerate(script.chunks):
            if at == script.held_after:
                await self._held(request)
            yield chunk
        if script.breaks:
            raise ConnectionAbortedError

    async def _held(self, request: Request) -> None:
        self.holding.set()
        try:
            while not self.go_on.is_set():
                if await request.is_disconnected():
                    self.left_alone.set()
                    return
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:  # inside of an answer it is Starlette that notices
            self.left_alone.set()
            raise


@contextmanager
def stand_in_model() -> Iterator[StandInModel]:
    """The stand-in, running in a thread on a free port."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        stand_in = StandInModel(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        routes = [
            Route("/v1/chat/completions", stand_in.answer, methods=["POST"]),
            Route("/v1/responses", stand_in.answer, methods=["POST"]),
            Route("/v1/messages", stand_in.answer, methods=["POST"]),
            Route("/v1/messages/count_tokens", stand_in.answer, methods=["POST"]),
            Route("/v1/embeddings", stand_in.answer, methods=["POST"]),
            Route("/v1/models", stand_in.answer, methods=["GET"]),
            Route("/v1/{rest:path}", stand_in.answer, methods=["GET", "POST", "DELETE"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield stand_in
        finally:
            stand_in.go_on.set()
            server.should_exit = True
            thread.join()
