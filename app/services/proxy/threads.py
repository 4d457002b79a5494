"""Which conversation a request belongs to that says only which response it goes on from."""

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from app.domain.chat import FOLLOWED, Exchange
from app.domain.conversation import NewConversation
from app.domain.ids import TenantId

_MOST = 10_000
"""Responses that are remembered, those that were followed or noted last."""


@dataclass(slots=True)
class Threads:
    """
    The conversations of the last responses, by name or id; kept as long as the process lives.

    What goes on from one that is not remembered begins a conversation.
    """

    _conversations: OrderedDict[tuple[TenantId, str], str] = field(default_factory=OrderedDict)

    def followed(self, tenant: TenantId, exchange: Exchange) -> Exchange:
        """The exchange, in the conversation of the response that it follows, unless it has one."""
        if exchange.follows is None or exchange.party.conversation is not None:
            return exchange
        known = (tenant, exchange.follows)
        if (conversation := self._conversations.get(known)) is None:
            return exchange
        self._conversations.move_to_end(known)
        return replace(exchange, party=replace(exchange.party, conversation=conversation))

    def note(self, tenant: TenantId, new: NewConversation) -> None:
        """Remember what conversation the responses in it are of."""
        conversation = new.external_id or (str(new.id) if new.id else None)
        if conversation is None:
            return
        for said in new.messages:
            if isinstance(response := said.metadata.get(FOLLOWED), str):
                self._conversations[tenant, response] = conversation
        while len(self._conversations) > _MOST:
            self._conversations.popitem(last=False)
