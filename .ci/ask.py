"""Asks the server that wrote its address into the file given for one memory, and checks it."""

import re
import sys
import time
from pathlib import Path

import httpx

OUTPUT = Path(sys.argv[1])
PATIENCE_S = 60


def main() -> None:
    with httpx.Client(base_url=address(), timeout=30) as client:
        wait_until_ready(client)
        said = {"role": "user", "content": "We picked PostgreSQL for the backend."}
        client.post("/conversations?wait=indexed", json={"messages": [said]}).raise_for_status()
        bundle = client.post("/context", json={"query": "Which database did we pick?"}).json()
        found = [memory["content"] for memory in bundle["retrieved_memories"]]
        if found != [said["content"]] or bundle["metadata"]["degraded"]:
            sys.exit(f"unexpected answer: {bundle}")
    print("the server alone starts and answers")


def address() -> str:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        if found := re.search(r"(http://\S+)/docs", OUTPUT.read_text()):
            return found[1]
        time.sleep(0.1)
    sys.exit("the server printed no address")


def wait_until_ready(client: httpx.Client) -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    sys.exit("the server did not get ready")


main()
