"""Names for the identities that run through the service."""

from typing import NewType
from uuid import UUID

TenantId = NewType("TenantId", str)
"""The owner of an API key; nothing is shared between tenants."""

LOCAL_TENANT = TenantId("local")
"""The tenant of everything stored while no API key exists."""

ERASED = TenantId("(erased)")
"""The tenant of what is being erased. No key can be of it, so nobody reads or writes there."""

KeyId = NewType("KeyId", UUID)
"""An API key, by what is no secret."""

ScopeKey = NewType("ScopeKey", int)
"""One user of one tenant ("no user" counts as one): the unit that retrieval never crosses."""

ConversationId = NewType("ConversationId", UUID)
MessageId = NewType("MessageId", UUID)
ItemId = NewType("ItemId", UUID)
BundleId = NewType("BundleId", UUID)
EntityId = NewType("EntityId", UUID)

ConversationKey = NewType("ConversationKey", int)
MessageKey = NewType("MessageKey", int)
"""Keys are small, ever-growing integers inside the service; ids are UUIDv7 outside of it."""

EntityKey = NewType("EntityKey", int)

ItemKey = NewType("ItemKey", int)
"""What the indexes know an item by: the key of its row and, in the low two bits, its table."""
