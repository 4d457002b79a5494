"""Nearest neighbours by cosine: in this process, or on a Qdrant server."""

from collections.abc import Collection
from contextlib import AbstractAsyncContextManager

from app.adapters.vectors.edge import EdgeVectorIndex, open_edge_index
from app.ports import Removable, VectorIndex

__all__ = [
    "EdgeVectorIndex",
    "forget_server_indexes",
    "load_server_client",
    "open_edge_index",
    "open_other_server_indexes",
    "open_server_index",
]


def load_server_client() -> None:
    """Import what asks a server: 0.7 s and 60 MB that nobody needs who runs embedded."""
    import app.adapters.vectors.server  # noqa: F401, PLC0415


def open_server_index(
    url: str,
    *,
    collection: str,
    dimension: int,
    api_key: str | None = None,
    timeout: float = 5.0,
    on_disk: bool = True,
) -> AbstractAsyncContextManager[VectorIndex]:
    """
    The index in `collection` of the Qdrant server or cluster at `url`, created where missing.

    `timeout` is for each attempt, in seconds; `on_disk` decides where a new collection keeps its
    vectors. Raises VectorIndexUnavailable when the server does not answer, or when the collection
    has another dimension: it may belong to someone else, so it stays as it is.
    """
    from app.adapters.vectors.server import open_collection  # noqa: PLC0415  (as above)

    return open_collection(
        url,
        collection=collection,
        dimension=dimension,
        api_key=api_key,
        attempt_seconds=timeout,
        on_disk=on_disk,
    )


def open_other_server_indexes(
    url: str, *, prefix: str, own: str, api_key: str | None = None, timeout: float = 5.0
) -> AbstractAsyncContextManager[Removable]:
    """
    What other models have in collections of ours, which begin with `prefix`; `own` is not one.

    Other processes may still serve from them, so they are not deleted, but erased from.
    """
    from app.adapters.vectors.server import open_other_collections  # noqa: PLC0415  (as above)

    return open_other_collections(
        url, prefix=f"{prefix}-", own=own, api_key=api_key, attempt_seconds=timeout
    )


async def forget_server_indexes(
    url: str,
    *,
    prefix: str,
    but: Collection[str] = (),
    api_key: str | None = None,
    attempt_seconds: float = 5.0,
) -> None:
    """
    Delete every collection of ours, which are those that begin with `prefix`, except `but`.

    Raises VectorIndexUnavailable when the server does not answer.
    """
    from app.adapters.vectors.server import forget_collections  # noqa: PLC0415  (as above)

    await forget_collections(
        url, prefix=f"{prefix}-", but=but, api_key=api_key, attempt_seconds=attempt_seconds
    )
