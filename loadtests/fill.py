"""Makes any number of messages of a corpus into requests, and sends them."""

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

from loadtests.sets import Body, Corpus, Session, is_person, renaming

# Of this user a share of all messages is, and this user is asked.
OWNER = "owner"
POST_SIZE = 10
# How long one call waits for the indexes (as long as the server allows), and all of it.
WAIT_S = 600
FILL_TIMEOUT_S = 3_600.0
# How often a post is tried where the server says that it is too busy.
TRIES = 5
BUSY = (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE)
# From here on, copies of the corpus are not stored: names that nobody has heard of.
UNHEARD_OF = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A session as one user brings it: its posts, each of a few messages, go out in order."""

    posts: tuple[Body, ...]

    @property
    def messages(self) -> list[Body]:
        return [message for post in self.posts for message in post["messages"]]


def plan(corpus: Corpus, *, messages: int, owned: int) -> list[Job]:
    """
    `messages` messages in all, `owned` of them of one user, spread evenly among the others'.

    The owner's first copy is the original. Every dialogue in every further copy is of another user.
    """
    copies = -(-owned // corpus.size)
    own = _take(_jobs(corpus, itertools.count(), lambda _copy, _dialogue: OWNER), owned)
    other = _take(_jobs(corpus, itertools.count(copies), _user), messages - owned)
    at = [((i + 0.5) / len(jobs), job) for jobs in (own, other) for i, job in enumerate(jobs)]
    return [job for _, job in sorted(at, key=lambda placed: placed[0])]


def fresh_jobs(corpus: Corpus, *, user_id: str, copy: int, messages: int) -> list[Job]:
    """One more user's; with a `copy` of its own, no text of it was stored before."""
    return _take(_jobs(corpus, itertools.count(copy), lambda _copy, _dialogue: user_id), messages)


def questions(corpus: Corpus, *, owned: int) -> Iterator[Body]:
    """
    Bodies for POST /context, no two alike, without end: the real questions about what the owner
    has, mixed, then the same about the people of the owner's other copies, then about strangers.
    """
    dialogues = {session.dialogue for session in _first(corpus, owned)}
    asked = [question for question in corpus.questions if question.dialogue in dialogues]
    random.Random(7).shuffle(asked)
    whole = max(1, owned // corpus.size)
    for copy in itertools.chain(range(whole), itertools.count(UNHEARD_OF)):
        rename = renaming(corpus, copy)
        for question in asked:
            as_of = {"as_of": question.as_of} if question.as_of else {}
            yield {"query": rename(question.query), "user_id": OWNER, **as_of}


async def store(
    url: str, jobs: list[Job], *, writers: int, wait: bool = True
) -> tuple[float, float]:
    """Send all jobs; return the seconds until all was stored, and until all was indexed too."""
    left = iter(jobs)
    async with (
        asyncio.timeout(FILL_TIMEOUT_S),
        httpx.AsyncClient(base_url=url, timeout=WAIT_S + 30, trust_env=False) as client,
    ):
        started = time.perf_counter()
        await asyncio.gather(*(_write(client, left) for _ in range(writers)))
        stored = time.perf_counter() - started
        # Sent a second time it adds nothing, and it waits for everything before it.
        if wait:
            await post(client, jobs[-1].posts[-1], wait=True)
        return stored, time.perf_counter() - started


async def post(client: httpx.AsyncClient, body: Body, *, wait: bool = False) -> float:
    """Send until it is taken; return the seconds of the last try."""
    params = {"wait": "indexed", "wait_s": str(WAIT_S)} if wait else {}
    for _ in range(TRIES):
        started = time.perf_counter()
        response = await client.post("/conversations", json=body, params=params)
        seconds = time.perf_counter() - started
        if response.status_code not in BUSY:
            break
        await asyncio.sleep(min(float(response.headers.get("Retry-After", 1)), 5))
    if not response.is_success:
        raise RuntimeError(f"POST /conversations: {response.status_code} {response.text[:1000]}")
    return seconds


async def _write(client: httpx.AsyncClient, left: Iterator[Job]) -> None:
    for job in left:
        for body in job.posts:
            await post(client, body)


def _jobs(corpus: Corpus, copies: Iterator[int], user: Callable[[int, str], str]) -> Iterator[Job]:
    for copy in copies:
        rename = renaming(corpus, copy)
        for session in corpus.sessions:
            yield Job(posts=_cut(_conversation(session, copy, user, rename)))


def _conversation(
    session: Session, copy: int, user: Callable[[int, str], str], rename: Callable[[str], str]
) -> Body:
    return {
        "external_id": f"{copy}/{session.set_name}/{session.dialogue}/{session.id}",
        "user_id": user(copy, session.dialogue),
        "label": session.id,
        **({"created_at": session.created_at} if session.created_at else {}),
        "messages": [_renamed(message, rename) for message in session.messages],
    }


def _renamed(message: Body, rename: Callable[[str], str]) -> Body:
    name = message["name"]
    return {
        **message,
        "name": rename(name) if is_person(name) else name,
        "content": rename(message["content"]),
    }


def _cut(body: Body) -> tuple[Body, ...]:
    """The same conversation in posts of at most POST_SIZE messages."""
    messages = body["messages"]
    starts = range(0, len(messages), POST_SIZE)
    return tuple({**body, "messages": messages[at : at + POST_SIZE]} for at in starts)


def _take(jobs: Iterator[Job], messages: int) -> list[Job]:
    """The first ones that hold exactly `messages`; the last may be cut."""
    taken = []
    while messages > 0:
        job = next(jobs)
        kept = job.messages[:messages]
        taken.append(Job(posts=_cut({**job.posts[0], "messages": kept})) if kept else job)
        messages -= len(kept)
    return taken


def _first(corpus: Corpus, messages: int) -> Iterator[Session]:
    for session in corpus.sessions:
        if messages <= 0:
            return
        yield session
        messages -= len(session.messages)


def _user(copy: int, dialogue: str) -> str:
    return f"user-{copy}-{dialogue}"
