"""A small client of the service: `Client`, and `AsyncClient` with the same methods."""

from app.client.answers import (
    Bundle,
    Consent,
    Conversation,
    Entity,
    Imported,
    Item,
    Job,
    Memory,
    Message,
    Page,
    Profile,
    Receipt,
    Stored,
    User,
)
from app.client.awaiting import AsyncClient
from app.client.blocking import Client
from app.client.wire import ClientError, NoAddress

__all__ = [
    "AsyncClient",
    "Bundle",
    "Client",
    "ClientError",
    "Consent",
    "Conversation",
    "Entity",
    "Imported",
    "Item",
    "Job",
    "Memory",
    "Message",
    "NoAddress",
    "Page",
    "Profile",
    "Receipt",
    "Stored",
    "User",
]
