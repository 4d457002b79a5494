"""A stand-in for a Qdrant server, for tests: real HTTP on a loopback port, but not Qdrant.

It speaks the few REST calls that our server index makes, answers them from Qdrant Edge in a
temporary directory, checks the `api-key` header, remembers what it was asked, and can be told to
fail or to stall. What a cluster does (replicas, shards, its optimizer) it does not do.
"""

import asyncio
import json
import shutil
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    MatchAny,
    MatchValue,
    Point,
    Query,
    QueryRequest,
    RangeDateTime,
    ScrollRequest,
    UpdateOperation,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Any


@dataclass(slots=True)
class _Collection:
    shard: EdgeShard
    settings: dict[str, Any]
    indexes: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(slots=True)
class StandInQdrant:
    """The server's state. `requests` grows; `fail` and `stall` act on the requests to come."""

    directory: Path
    api_key: str | None = None
    url: str = ""
    requests: list[Seen] = field(default_factory=list)
    collections: dict[str, _Collection] = field(default_factory=dict)
    closing: bool = False
    _failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    _stalls: int = 0
    _late: float = 0.0

    def fail(self, status: int, *, times: int, headers: Mapping[str, str] | None = None) -> None:
        """Answer the next `times` requests with `status`."""
        self._failures += [(status, dict(headers or {}))] * times

    def stall(self, *, times: int) -> None:
        """Never answer the next `times` requests."""
        self._stalls += times

    def be_late(self, seconds: float) -> None:
        """Answer the next request after so many seconds."""
        self._late = seconds

    async def trouble(self, request: Request) -> Response | None:
        """The answer to a request that is refused, or None when it may be served."""
        late, self._late = self._late, 0.0
        await asyncio.sleep(late)
        if self._stalls:
            self._stalls -= 1
            while not self.closing:  # noqa: ASYNC110 (set in another thread)
                await asyncio.sleep(0.01)
        if self._failures:
            status, headers = self._failures.pop(0)
            return _error(status, "told to fail", headers)
        if self.api_key is not None and request.headers.get("api-key") != self.api_key:
            return PlainTextResponse("Invalid API key or JWT", status_code=401)
        return None

    def forget(self) -> None:
        """Drop every collection and what is remembered of requests."""
        for name, collection in self.collections.items():
            collection.shard.close()
            shutil.rmtree(self.directory / name)
        self.collections.clear()
        self.requests.clear()


@contextmanager
def stand_in_qdrant(*, api_key: str | None = None, port: int = 0) -> Iterator[StandInQdrant]:
    """Run a stand-in in a thread of its own, on a free port of this machine unless told which."""
    directory = Path(tempfile.mkdtemp())
    stand_in = StandInQdrant(directory=directory, api_key=api_key)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        stand_in.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        app = Starlette(routes=_routes(stand_in))
        config = uvicorn.Config(app, loop="asyncio", ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield stand_in
        finally:
            stand_in.closing = server.should_exit = True
            thread.join()
            stand_in.forget()
            shutil.rmtree(directory)


@contextmanager
def refusing_port() -> Iterator[str]:
    """The URL of a port on which nobody listens, held so that nobody else takes it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


Work = Callable[[StandInQdrant, str, Any], Any]
"""From the collection's name and the request's body to the answer's `result`."""


def _routes(stand_in: StandInQdrant) -> list[Route]:
    one = "/collections/{name}"
    table: list[tuple[str, str, Work]] = [
        ("GET", "/collections", _list),
        ("GET", f"{one}/exists", _exists),
        ("GET", one, _describe),
        ("PUT", one, _create),
        ("PUT", f"{one}/index", _index),
        ("PUT", f"{one}/points", _upsert),
        ("POST", f"{one}/points", _retrieve),
        ("POST", f"{one}/points/delete", _delete),
        ("POST", f"{one}/points/query", _query),
        ("POST", f"{one}/points/scroll", _scroll),
        ("POST", f"{one}/points/count", _count),
    ]
    return [
        Route(path, _endpoint(stand_in, work), methods=[method]) for method, path, work in table
    ]


def _endpoint(stand_in: StandInQdrant, work: Work) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        raw = await request.body()
        body = json.loads(raw) if raw else None
        stand_in.requests.append(
            Seen(
                method=request.method,
                path=request.url.path,
                query=request.url.query,
                headers=dict(request.headers),
                body=body,
            )
        )
        if (refused := await stand_in.trouble(request)) is not None:
            return refused
        try:
            result = work(stand_in, request.path_params.get("name", ""), body)
        except KeyError as error:
            return _error(404, f"Not found: {error}")
        except FileExistsError as error:
            return _error(409, f"Wrong input: {error}")
        except Exception as error:  # noqa: BLE001 (as a server would)
            return _error(400, f"Wrong input: {error}")
        return JSONResponse({"result": result, "status": "ok", "time": 0.0})

    return endpoint


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse(
        {"status": {"error": message}, "time": 0.0}, status_code=status, headers=headers
    )


def _list(stand_in: StandInQdrant, _: str, __: Any) -> Any:
    return {"collections": [{"name": name} for name in stand_in.collections]}


def _exists(stand_in: StandInQdrant, name: str, _: Any) -> Any:
    return {"exists": name in stand_in.collections}


def _create(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    if name in stand_in.collections:
        raise FileExistsError(f"Collection `{name}` already exists!")
    directory = stand_in.directory / name
    directory.mkdir()
    vectors = EdgeVectorParams(body["vectors"]["size"], Distance.Cosine)
    shard = EdgeShard.create(str(directory), EdgeConfig(vectors=vectors))
    stand_in.collections[name] = _Collection(shard, body)
    return True


def _describe(stand_in: StandInQdrant, name: str, _: Any) -> Any:
    collection = stand_in.collections[name]
    return {
        "status": "green",
        "optimizer_status": "ok",
        "segments_count": 1,
        "config": {
            "params": {"vectors": collection.settings["vectors"]},
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {"default_segment_number": 0, "flush_interval_sec": 5},
        },
        "payload_schema": {
            name: {"data_type": schema["type"], "points": 0}
            for name, schema in collection.indexes.items()
        },
    }


def _index(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    stand_in.collections[name].indexes[body["field_name"]] = body["field_schema"]
    return _DONE


def _upsert(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    points = [Point(one["id"], one["vector"], one["payload"]) for one in body["points"]]
    stand_in.collections[name].shard.update(UpdateOperation.upsert_points(points))
    return _DONE


def _delete(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    stand_in.collections[name].shard.update(UpdateOperation.delete_points(body["points"]))
    return _DONE


def _retrieve(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    found = stand_in.collections[name].shard.retrieve(
        body["ids"], with_payload=body["with_payload"], with_vector=False
    )
    return [{"id": record.id, "payload": record.payload} for record in found]


def _query(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    found = stand_in.collections[name].shard.query(
        QueryRequest(
            limit=body["limit"],
            query=Query.Nearest(body["query"]["nearest"]),
            filter=_filter(body["filter"]),
        )
    )
    points = [{"id": one.id, "version": one.version, "score": one.score} for one in found]
    return {"points": points}


def _scroll(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    records, following = stand_in.collections[name].shard.scroll(
        ScrollRequest(offset=body["offset"], limit=body["limit"])
    )
    return {"points": [{"id": one.id} for one in records], "next_page_offset": following}


def _count(stand_in: StandInQdrant, name: str, body: Any) -> Any:
    return {
        "count": stand_in.collections[name].shard.count(CountRequest(exact=body["exact"])),
    }


_DONE = {"operation_id": 0, "status": "completed"}


def _filter(body: Any) -> Filter:
    return Filter(
        must=[_condition(one) for one in body.get("must") or []],
        must_not=[_condition(one) for one in body.get("must_not") or []],
    )


def _condition(body: Any) -> FieldCondition:
    match body:
        case {"key": key, "match": {"value": value}}:
            return FieldCondition(key, match=MatchValue(value))
        case {"key": key, "match": {"any": values}}:
            return FieldCondition(key, match=MatchAny(values))
        case {"key": key, "range": bounds}:
            return FieldCondition(key, range=RangeDateTime(**bounds))
        case _:
            raise ValueError(f"this stand-in does not know the condition {body}")
