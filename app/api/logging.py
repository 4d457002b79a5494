"""Structured logs: one JSON object a line, with the request id, without anybody's words."""

import logging
import sys
from contextvars import ContextVar

import structlog
from stamina.instrumentation import LoggingOnRetryHook, set_on_retry_hooks
from structlog.typing import EventDict, Processor, WrappedLogger

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

broke_off: ContextVar[bool] = ContextVar("broke_off", default=False)
"""Whether an answer ends without its end, as what it passes on did: of that a line told why."""

_UNFINISHED = "ASGI callable returned without completing response."
"""What uvicorn says then, as of a mistake of ours, before it closes the connection."""


def _is_news(record: logging.LogRecord) -> bool:
    return not (broke_off.get() and record.msg == _UNFINISHED)


def _add_request_id(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    if (current := request_id.get()) is not None:
        event["request_id"] = current
    return event


def _drop_colours(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Uvicorn tells its lines twice, once for a terminal."""
    event.pop("color_message", None)
    return event


def configure_logging(level: str, *, json: bool) -> None:
    """Send all logs to standard error, as JSON or as lines for people."""
    shared: list[Processor] = [
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        _drop_colours,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = structlog.dev.ConsoleRenderer()
    if json:
        renderer = structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    handler.addFilter(_is_news)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # aiosqlite's debug lines hold every parameter of every statement.
    for noisy in ("httpx", "httpcore", "alembic", "aiosqlite", "uvicorn.access", "mcp"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # By itself, stamina tells of retries on the standard output, which belongs to commands and MCP.
    set_on_retry_hooks([LoggingOnRetryHook])
