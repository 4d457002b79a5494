"""A memory to look into: what Alice said, told and agreed to, some of it hostile."""

from typing import Any

import httpx

HOSTILE = """<script>window.broken = "script"</script>
<img src=x onerror="window.broken = 'onerror'">
[a link](javascript:window.broken='link') and [another](  JaVaScRiPt:window.broken='link')
<a href="javascript:window.broken='anchor'" onclick="window.broken='onclick'">anchor</a>
<svg/onload="window.broken='svg'"><style>body{display:none}</style>
![picture](https://example.com/x.png" onerror="window.broken='image')
<iframe srcdoc="<script>parent.broken='frame'</script>"></iframe>
[data](data:text/html,<script>window.broken='data'</script>)

```html" onmouseover="window.broken='lang'
<script>window.broken = "code"</script>
```
"""
CODE = '''We call it once for each batch:

```python
def flush(batch: list[str], *, dry: bool = False) -> int:
    """How many were written."""
    return 0 if dry else len(batch)
```

| store | why |
| --- | --- |
| PostgreSQL | full text, `tsvector` |
| Qdrant | vectors |

- **decided** in March
- see [the manual](https://www.postgresql.org/docs/)
'''

TALKS: list[dict[str, Any]] = [
    {
        "external_id": "chat-42",
        "label": "API design",
        "folder": "/work/backend",
        "tags": ["rest", "storage"],
        "messages": [
            ("user", "Alice", "Which database should the backend use? Full text has to be good."),
            (
                "assistant",
                None,
                "We picked PostgreSQL for the backend: full-text search is good there.",
            ),
            ("user", "Alice", CODE),
            (
                "assistant",
                None,
                "The database migrations run with alembic, from the CI job called migrate.",
            ),
            (
                "user",
                "Alice",
                "The production database lives in Frankfurt, the staging database in Dublin.",
            ),
            (
                "assistant",
                None,
                "Backups of the database are taken every night at 02:00 and kept for 30 days.",
            ),
        ],
    },
    {
        "external_id": "chat-43",
        "label": "Search quality",
        "folder": "/work/backend",
        "tags": ["search"],
        "messages": [
            (
                "user",
                "Alice",
                "Should the database do vector search too, or do we run Qdrant beside it?",
            ),
            (
                "assistant",
                None,
                "Qdrant beside it: the vector index is rebuilt whenever the model changes.",
            ),
            (
                "user",
                "Bob",
                "I measured recall of 0.77 with both, 0.58 with the full text of the database.",
            ),
        ],
    },
    {
        "external_id": "chat-44",
        "label": "Garden",
        "messages": [
            ("user", "Alice", "My cat is called Schnitzel, and she sleeps in the greenhouse."),
            (
                "assistant",
                None,
                "Tomatoes grow well in the greenhouse, as long as Schnitzel leaves them alone.",
            ),
        ],
    },
    {
        "external_id": "chat-45",
        "label": "<b>Hostile</b> label",
        "messages": [("user", '<img src=x onerror="window.broken=1">', HOSTILE)],
    },
]


def fill(client: httpx.Client, user: str = "alice") -> dict[str, Any]:
    """Store it all; the answers, by external id."""
    stored: dict[str, Any] = {}
    for day, talk in enumerate(TALKS, start=1):
        messages = [
            {
                "role": role,
                "name": name,
                "content": content,
                "created_at": f"2026-0{day}-10T10:{at:02}:00Z",
            }
            for at, (role, name, content) in enumerate(talk["messages"])
        ]
        body = {**talk, "user_id": user, "messages": messages}
        answer = client.post(
            "/conversations", json=body, params={"wait": "indexed", "wait_s": "150"}
        )
        assert answer.status_code == 201, answer.text
        stored[talk["external_id"]] = answer.json()
    for memory in MEMORIES:
        answer = client.post(
            "/memories",
            json={"user_id": user, **memory},
            params={"wait": "indexed", "wait_s": "150"},
        )
        assert answer.status_code == 201, answer.text
    return stored


MEMORIES: list[dict[str, Any]] = [
    {
        "type": "fact",
        "content": "Alice lives in Lisbon.",
        "valid_from": "2026-01-05T00:00:00Z",
        "importance": 7,
    },
    {
        "type": "fact",
        "content": "The backend uses PostgreSQL 16.",
        "metadata": {"project": "backend"},
    },
    {"type": "fact", "content": HOSTILE},
    {
        "type": "tool",
        "content": "`pg_dump` of the production database took 4 minutes and wrote 2.1 GB.",
    },
    {
        "type": "procedure",
        "content": "1. Stop the indexer.\n2. Run the migration.\n3. Start it again.",
    },
    {
        "type": "document",
        "content": "# Runbook\n\nThe database is restored from a backup with `pg_restore`.",
        "source": "runbook.md",
    },
]
