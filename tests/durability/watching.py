"""What a running server says of its parts, in words that the tests of this folder share."""

import re
from typing import Any

import httpx

from tests.api.serving import eventually

HUGIN = "The server of the api team is called Hugin."
SAID = "What is the server called?"


def parts(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/readyz").json()["parts"]
    return found


def status(client: httpx.Client, part: str) -> str:
    return str(parts(client)[part]["status"])


def until(client: httpx.Client, part: str, wanted: str) -> None:
    eventually(lambda: status(client, part) == wanted)


def metric(client: httpx.Client, name: str) -> float:
    """The one sample of `name`, with its labels as they are written."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


def stats(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/memory/debug/stats").json()
    return found


def degraded(bundle: dict[str, Any]) -> list[str]:
    return [each["source"] for each in bundle["metadata"]["degraded"]]


def reasons(bundle: dict[str, Any]) -> list[str]:
    return [each["reason"] for each in bundle["metadata"]["degraded"]]


def contents(bundle: dict[str, Any]) -> list[str]:
    return [each["content"] for each in bundle["retrieved_memories"]]
