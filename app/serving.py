"""Serving from this process: until it is told to end, or as long as a command works."""

import errno
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from socket import socket
from threading import Thread
from types import FrameType
from typing import NoReturn

import typer
import uvicorn
from pydantic import SecretStr
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.adapters.presence import Address, held, local_key, see_off, telling
from app.adapters.private import own_directory
from app.adapters.weights import read_weights
from app.api.arriving import bounded_heads
from app.api.logging import configure_logging
from app.domain.errors import DataDirectoryInUse, UnreadableWeights
from app.main import create_app
from app.settings import PREFIX, Settings
from app.terminal import stop

_LOOK_AGAIN = 0.01


def serve_until_told(settings: Settings, host: str, port: int) -> None:
    """Answer requests on an address of this machine until a signal ends the process."""
    _check_weights(settings)
    own_directory(settings.data_dir)
    configure_logging(settings.log.level, json=settings.log.json_lines)
    # The application is made by uvicorn and reads its settings itself.
    os.environ[f"{PREFIX}DATA_DIR"] = str(settings.data_dir)
    config = uvicorn.Config(
        "app.main:create_app",
        factory=True,
        host=host,
        port=port,
        http=_protocol(settings),
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.server.drain_s),
    )
    listening = _bound(config)
    port = listening.getsockname()[1]
    typer.echo(f"Data: {settings.data_dir.absolute()}")
    for name, path in (("Page", "ui"), ("Docs", "docs")):
        typer.echo(f"{name}: http://{host}:{port}/{path}")
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, _end)
    server = uvicorn.Server(config)
    try:
        with _present(settings, host, port):
            server.run(sockets=[listening])
    except DataDirectoryInUse as error:
        typer.echo(f"foreword: {error}", err=True)
        sys.exit(3)
    if not server.started:
        sys.exit(3)


def _bound(config: uvicorn.Config) -> socket:
    """The address to listen on, or the end with one line that says why it is not to be had."""
    try:
        return config.bind_socket()
    except SystemExit as told:
        why = told.__context__
        where = f"{config.host}, port {config.port}"
        if isinstance(why, OSError) and why.errno == errno.EADDRINUSE:
            reason = "another program listens there; --port takes another, 0 a free one"
        else:
            reason = str(why)
        typer.echo(f"foreword: cannot listen on {where}: {reason}", err=True)
        sys.exit(3)


def _check_weights(settings: Settings) -> None:
    """End with one line where the file that is set for them cannot be used."""
    try:
        read_weights(settings.retrieval.weights)
    except UnreadableWeights as error:
        stop(f"{PREFIX}RETRIEVAL__WEIGHTS: {error}")


@contextmanager
def _present(settings: Settings, host: str, port: int) -> Iterator[None]:
    """Have the data directory, and let commands on this machine find the way to us."""
    if not settings.embedded:  # any number of processes share what lies on servers
        yield
        return
    key = local_key()
    os.environ[f"{PREFIX}SERVER__LOCAL_KEY"] = key
    everywhere = host in {"0.0.0.0", "::", ""}  # noqa: S104  (compared, not bound)
    here = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host
    with held(settings.data_dir), telling(settings.data_dir, f"http://{here}:{port}", key):
        yield


def _end(_: int, __: FrameType | None) -> NoReturn:
    """To be told to end is no failure; uvicorn raises the signal once more when all is done."""
    sys.exit(0)


def _protocol(settings: Settings) -> type[HttpToolsProtocol]:
    s = settings.server
    return bounded_heads(seconds=s.head_s, most=s.head_bytes, connections=s.connections)


@contextmanager
def serving(settings: Settings) -> Iterator[Address]:
    """Serve on a free port of this machine, from a thread of its own, until others need it not."""
    _check_weights(settings)
    configure_logging("error", json=False)
    key = local_key()
    own = settings.server.model_copy(update={"local_key": SecretStr(key)})
    config = uvicorn.Config(
        create_app(settings.model_copy(update={"server": own})),
        host="127.0.0.1",
        port=0,
        http=_protocol(settings),
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.server.drain_s),
    )
    listening = config.bind_socket()
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(_LOOK_AGAIN)
        if not server.started:
            stop("the store cannot be opened")
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with telling(settings.data_dir, url, key) if settings.embedded else nullcontext():
            yield Address(url=url, key=key, pid=0)
    finally:
        if settings.embedded:
            see_off(settings.data_dir, seconds=settings.server.drain_s)
        server.should_exit = True
        thread.join()
