"""A language model behind HTTP: anything that answers chat completions as OpenAI does."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Protocol

import httpx
import stamina

from app.adapters.request_form import RequestForm
from app.domain.errors import LanguageModelUnavailable

_RESTS = 60.0
"""Seconds in which a model that failed is not asked: nothing waits for its time-outs meanwhile."""

_LOCKED_OUT = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class OnAnswer(Protocol):
    def __call__(self, *, outcome: str, read: int, written: int, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmLimits:
    """Seconds of an attempt, attempts, requests at once, seconds between two attempts."""

    timeout: float = 30.0
    attempts: int = 3
    concurrency: int = 4
    first_wait: float = 0.5


@dataclass(slots=True, kw_only=True)
class ChatModel:
    """
    `POST {url}/chat/completions`, for example with `https://api.openai.com/v1` as URL.

    What the endpoint refuses of a request is left out at once, and from then on.
    """

    client: httpx.AsyncClient
    url: str
    model: str
    limits: LlmLimits
    on_answer: OnAnswer
    timer: Callable[[], float] = time.monotonic
    _form: RequestForm = field(default_factory=RequestForm)
    _resting_until: float = 0.0
    _turns: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(self.limits.concurrency)

    async def answer(
        self, *, instructions: str, material: str, schema: Mapping[str, Any], most: int
    ) -> Any:  # noqa: ANN401  (any JSON)
        if self.timer() < self._resting_until:
            raise LanguageModelUnavailable("it failed a moment ago")
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": material.encode("utf-8", "replace").decode()},
        ]
        began = self.timer()
        told: object = None
        try:
            async with self._turns:
                told = await self._post_adapted(messages, schema, most)
            answer = _parsed(told)
        except (httpx.HTTPError, TimeoutError) as error:
            if _is_of_the_server(error):
                self._resting_until = self.timer() + _RESTS
            self._tell("unavailable", told, began)
            raise LanguageModelUnavailable(_reason(error)) from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            self._tell("unusable", told, began)
            raise LanguageModelUnavailable("it answers with something else") from error
        self._tell("answered", told, began)
        return answer

    async def _post_adapted(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], most: int
    ) -> Any:  # noqa: ANN401  (any JSON)
        """Others may ask meanwhile: a form counts for all as soon as it was answered."""
        form = self._form
        while True:
            body = {**form.parameters(schema, most=most), "model": self.model, "messages": messages}
            try:
                told = await self._post_patiently(body)
            except httpx.HTTPStatusError as error:
                other = form.after(error.response)
                if other is None:
                    raise
                form = other
            else:
                self._form = form
                return told

    async def _post_patiently(self, body: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any JSON)
        patience = stamina.retry_context(
            on=_worth_another_try,
            attempts=self.limits.attempts,
            timeout=None,
            wait_initial=self.limits.first_wait,
        )
        async for attempt in patience:
            with attempt:
                async with asyncio.timeout(self.limits.timeout):
                    answer = await self.client.post(f"{self.url}/chat/completions", json=body)
                told = answer.raise_for_status().json()
        return told

    def _tell(self, outcome: str, told: object, began: float) -> None:
        """Tokens are spent on an answer of which nothing can be used, too."""
        usage = told.get("usage") if isinstance(told, Mapping) else None
        counts = usage if isinstance(usage, Mapping) else {}
        self.on_answer(
            outcome=outcome,
            read=_count(counts.get("prompt_tokens")),
            written=_count(counts.get("completion_tokens")),
            seconds=self.timer() - began,
        )


def read_prompts() -> Mapping[str, str]:
    """The prompts by name, as they are kept in prompts.txt."""
    text = files("app.adapters").joinpath("prompts.txt").read_text("utf-8")
    sections = text.removeprefix("## ").split("\n## ")
    return {name: body.strip() for name, _, body in (each.partition("\n") for each in sections)}


def _parsed(told: Any) -> Any:  # noqa: ANN401  (any JSON)
    """What stands in the answer; models that are told no response format fence it as code."""
    content = str(told["choices"][0]["message"]["content"]).strip()
    return json.loads(content.removeprefix("```json").removeprefix("```").removesuffix("```"))


def _count(told: object) -> int:
    return told if isinstance(told, int) and told > 0 else 0


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"it answers with status {error.response.status_code}"
    return f"it cannot be reached ({type(error).__name__})"


def _is_of_the_server(error: Exception) -> bool:
    """Whether the next request would fare no better: it is not about this one."""
    if isinstance(error, httpx.HTTPStatusError) and error.response.status_code in _LOCKED_OUT:
        return True
    return _worth_another_try(error)


def _worth_another_try(error: Exception) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, httpx.TransportError | TimeoutError)
