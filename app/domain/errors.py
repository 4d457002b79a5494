"""What can go wrong, in words a caller understands. No HTTP here.

The first line of each docstring is the error's title; keyword facts become members of the
problem document, of which `detail` says what this one time went wrong.
"""


class ForewordError(Exception):
    """The request could not be carried out."""

    def __init__(self, detail: str | None = None, **facts: object) -> None:
        self.detail = detail
        self.facts = facts
        super().__init__(detail or self.title)

    @property
    def title(self) -> str:
        return (type(self).__doc__ or "").strip().splitlines()[0]


class ConversationNotFound(ForewordError):
    """There is no such conversation."""


class MessageNotFound(ForewordError):
    """There is no such message."""


class BundleNotFound(ForewordError):
    """There is no such context bundle."""


class InvalidCursor(ForewordError):
    """The cursor does not come from this list."""


class IdempotencyConflict(ForewordError):
    """The idempotency key was used with another body."""


class ConversationConflict(ForewordError):
    """The request contradicts what is stored."""


class IndexingTimedOut(ForewordError):
    """The messages are stored, but were not indexed within the time given."""


class StoreUnavailable(ForewordError):
    """The database does not answer."""


class EmbedderUnavailable(ForewordError):
    """The embedding model does not answer."""


class VectorIndexUnavailable(ForewordError):
    """The vector index does not answer."""


class TokenCounterUnavailable(ForewordError):
    """The tokenizer does not know this encoding."""
