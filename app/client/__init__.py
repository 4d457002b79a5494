"""A small client of the service: `Client`, and `AsyncClient` with the same methods."""

from app.client.awaiting import AsyncClient
from app.client.blocking import Client
from app.client.calls import Bundle, ClientError, Imported, Memory, Message, Receipt, Stored

__all__ = [
    "AsyncClient",
    "Bundle",
    "Client",
    "ClientError",
    "Imported",
    "Memory",
    "Message",
    "Receipt",
    "Stored",
]
