"""Writers that know what must be stored, whenever their server is killed."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from tests.api.serving import Server

WORDS = (
    "amber anchor apricot atlas badger basalt beacon birch canyon cedar cinder cobalt comet copper "
    "coral cricket dahlia delta ember falcon fjord flint garnet geyser glacier granite harbour "
    "hazel heron indigo ivory jasmine juniper kestrel lagoon lantern lichen lotus magnet maple "
    "marble meadow nectar nickel oasis obsidian olive onyx orchid osprey pebble pepper pollen "
    "prairie quartz quill raven saffron salmon sequoia silver sparrow summit sycamore tamarind "
    "thistle timber topaz tulip tundra umber velvet walnut willow zephyr zircon"
).split()


@dataclass
class Talk:
    """A conversation as it must be: what was acknowledged, in order."""

    id: str
    external_id: str
    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)


@dataclass
class Attempt:
    """One request, and what it means once it is answered; `adds` are the texts it would store."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    succeed: Callable[[Any], None]
    talk: Talk | None = None
    adds: tuple[str, ...] = ()

    def send(self, client: httpx.Client) -> httpx.Response:
        return client.request(self.method, self.path, json=self.body, headers=self.headers)


class Writer:
    """A user's client. An unanswered request stays `pending`, to be sent again as it was."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.random = Random(seed)
        self.talks: dict[str, Talk] = {}
        self.deleted: list[str] = []
        self.touched: set[str] = set()
        self.pending: Attempt | None = None
        self.acknowledged = 0
        self.replayed = 0
        self.failure: BaseException | None = None
        self._said = 0

    def write_until_killed(self, server: Server) -> threading.Thread:
        thread = threading.Thread(target=self._write, args=(server,))
        thread.start()
        return thread

    def send_again(self, client: httpx.Client) -> None:
        """What was not answered, once more: whatever became of it, it must end as done once."""
        if self.pending is not None:
            attempt, self.pending = self.pending, None
            self._send(client, attempt, again=True)

    def _write(self, server: Server) -> None:
        try:
            with server.client() as client:
                while True:
                    self._send(client, self._next(), again=False)
        except httpx.TransportError:
            pass  # killed
        except BaseException as error:  # noqa: BLE001  (told by the test, in its own thread)
            self.failure = error

    def _send(self, client: httpx.Client, attempt: Attempt, *, again: bool) -> None:
        self.pending = attempt
        answer = attempt.send(client)
        gone = again and attempt.method == "DELETE" and answer.status_code == 404
        assert answer.is_success or gone, answer.text
        attempt.succeed(answer.json())
        self.pending = None
        self.acknowledged += 1
        self.replayed += answer.headers.get("Idempotency-Replayed") == "true"

    def _next(self) -> Attempt:
        if not self.talks or self.random.random() < 0.2:
            return self._begin()
        talk = self.random.choice(list(self.talks.values()))
        what = self.random.random()
        if what < 0.05:
            return self._delete_talk(talk)
        if what < 0.15 and talk.ids:
            return self._delete_message(talk)
        return self._append(talk)

    def _begin(self) -> Attempt:
        texts = self._texts(5)
        talk = Talk(id="", external_id=f"{self.name} talk {self._said}")

        def begun(answer: Any) -> None:
            talk.id = answer["id"]
            self.talks[talk.external_id] = talk
            self._stored(talk, texts, answer)

        body = {"external_id": talk.external_id, "user_id": self.name, **self._messages(texts)}
        return Attempt("POST", "/conversations", self._key(), body, begun, talk, texts)

    def _append(self, talk: Talk) -> Attempt:
        texts = self._texts(4)
        return Attempt(
            "POST",
            f"/conversations/{talk.id}/messages",
            self._key(),
            self._messages(texts),
            lambda answer: self._stored(talk, texts, answer),
            talk,
            texts,
        )

    def _delete_talk(self, talk: Talk) -> Attempt:
        def done(_: Any) -> None:
            del self.talks[talk.external_id]
            self.deleted += talk.texts

        return Attempt("DELETE", f"/conversations/{talk.id}", {}, None, done)

    def _delete_message(self, talk: Talk) -> Attempt:
        at = self.random.randrange(len(talk.ids))

        def done(_: Any) -> None:
            self.touched.add(talk.external_id)
            self.deleted.append(talk.texts.pop(at))
            talk.ids.pop(at)

        return Attempt("DELETE", f"/messages/{talk.ids[at]}", {}, None, done)

    def _stored(self, talk: Talk, texts: tuple[str, ...], answer: Any) -> None:
        assert len(answer["message_ids"]) == len(texts)
        self.touched.add(talk.external_id)
        talk.texts += texts
        talk.ids += answer["message_ids"]

    def _texts(self, most: int) -> tuple[str, ...]:
        return tuple(self._text() for _ in range(self.random.randint(1, most)))

    def _text(self) -> str:
        self._said += 1
        words = " ".join(self.random.sample(WORDS, 5))
        return f"Note {self._said} of {self.name}: {words}."

    def _messages(self, texts: tuple[str, ...]) -> dict[str, Any]:
        """Half of the batches have names for their messages."""
        named = self.random.random() < 0.5
        return {
            "messages": [
                {"role": "user", "content": each} | ({"external_id": each} if named else {})
                for each in texts
            ]
        }

    def _key(self) -> dict[str, str]:
        """Half of the requests have an Idempotency-Key."""
        if self.random.random() < 0.5:
            return {}
        return {"Idempotency-Key": f"{self.name} {self.random.getrandbits(64):x}"}
