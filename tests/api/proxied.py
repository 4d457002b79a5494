"""The service as a proxy in front of a stand-in for a model, spoken to as applications do."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from anthropic import AsyncAnthropic
from httpx import AsyncClient
from openai import AsyncOpenAI

from app.settings import ProxySettings, Settings
from tests.api.listening import Listening, listening_to
from tests.api.speaking import Json, store
from tests.stand_in_model import StandInModel

T = TypeVar("T")

PATIENCE = 60.0
HUGIN = "The deployment server of the api team is called Hugin."
QUESTION = "What is the deployment server called?"


def passing_on(settings: Settings, model: StandInModel, **proxy: Any) -> Settings:
    given = {"upstream_url": model.url, "deadline_s": 30.0, **proxy}
    return settings.model_copy(update={"proxy": ProxySettings.model_validate(given)})


@dataclass(frozen=True, slots=True)
class Service:
    """`plain` speaks HTTP, the others as an application whose base URL was changed."""

    listening: Listening
    plain: AsyncClient
    openai: AsyncOpenAI
    anthropic: AsyncAnthropic
    model: StandInModel

    async def chat(self, *messages: Json | str, **more: Any) -> Any:
        """Complete a chat, a text being a user's, and wait until it is kept."""
        return await self.openai.chat.completions.create(
            model="gpt-x", messages=[_message(each) for each in messages], **more
        )

    async def conversations(self, user_id: str | None = None) -> list[Json]:
        answer = await self.plain.get("/conversations", params={"user_id": user_id or ""})
        found: list[Json] = answer.raise_for_status().json()["items"]
        return found

    async def kept(self, user_id: str, number: int) -> list[Json]:
        """The messages of a user's only conversation, once there are so many."""

        async def enough() -> list[Json]:
            found = await self.conversations(user_id)
            assert len(found) <= 1, found
            if not found or found[0]["message_count"] < number:
                return []
            answer = await self.plain.get(f"/conversations/{found[0]['id']}/messages")
            messages: list[Json] = answer.json()["items"]
            return messages

        messages = await eventually(enough)
        assert len(messages) == number, messages
        return messages

    async def remembers(self, *contents: str, **fields: Any) -> Json:
        return await store(self.plain, *contents, **fields)


@asynccontextmanager
async def in_front_of(
    model: StandInModel, settings: Settings, key: str = "sk-provider", **proxy: Any
) -> AsyncIterator[Service]:
    async with (
        listening_to(passing_on(settings, model, **proxy)) as listening,
        AsyncClient(base_url=listening.url, timeout=PATIENCE, trust_env=False) as plain,
        AsyncOpenAI(base_url=f"{listening.url}/v1", api_key=key, max_retries=0) as openai,
        AsyncAnthropic(base_url=listening.url, api_key=key, max_retries=0) as anthropic,
    ):
        yield Service(listening, plain, openai, anthropic, model)


async def eventually(what: Callable[[], Awaitable[T]]) -> T:
    """Ask until the answer is true."""
    ends = time.monotonic() + PATIENCE
    while not (answer := await what()):
        assert time.monotonic() < ends, what
        await asyncio.sleep(0.01)
    return answer


def _message(said: Json | str) -> Any:
    return {"role": "user", "content": said} if isinstance(said, str) else said
