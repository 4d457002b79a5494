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


class MemoryNotFound(ForewordError):
    """There is no such memory item."""


class EntityNotFound(ForewordError):
    """There is no such entity."""


class DocumentReadOnly(ForewordError):
    """A document is not changed: the same source, stored again, is its next version."""


class NeverValid(ForewordError):
    """The item would end before it begins to hold."""


class StillSuperseded(ForewordError):
    """The item ends where what superseded it begins."""


class BundleNotFound(ForewordError):
    """There is no such context bundle."""


class ProfileNotFound(ForewordError):
    """There is no profile of this user."""


class ConsentMissing(ForewordError):
    """The user did not agree to this, or no longer does."""


class ProfileTooLarge(ForewordError):
    """The profile would be too large."""


class MetadataTooLarge(ForewordError):
    """The metadata of what is known already would be too large."""


class KeyNotFound(ForewordError):
    """There is no such API key."""


class NotAuthenticated(ForewordError):
    """A valid API key is needed."""


class NotPermitted(ForewordError):
    """The API key lacks the scope for this."""


class OperatorNeeded(ForewordError):
    """It concerns every tenant, and is for whoever operates the service."""


class TooManyRequests(ForewordError):
    """There are too many requests under this API key."""


class TooManyConnections(ForewordError):
    """There are too many connections, of all callers together."""


class TooManyGuesses(ForewordError):
    """Too many keys from this address were none."""


class ImportUnreadable(ForewordError):
    """The file cannot be imported."""


class InvalidCursor(ForewordError):
    """The cursor does not come from this list."""


class IdempotencyConflict(ForewordError):
    """The idempotency key was used with another body."""


class KeyShownBefore(ForewordError):
    """The same request made an API key before, which was shown then and never again."""


class ConversationConflict(ForewordError):
    """The request contradicts what is stored."""


class JobNotFound(ForewordError):
    """There is no such job."""


class JobRunning(ForewordError):
    """A job of this kind runs already."""


class NothingToSummarise(ForewordError):
    """The conversation has nothing to be summed up."""


class SummariesOff(ForewordError):
    """Summaries are switched off."""


class Overtaken(ForewordError):
    """The conversation changed while it was being distilled."""


class IndexingTimedOut(ForewordError):
    """The messages are stored, but were not indexed within the time given."""


class IndexingGivenUp(ForewordError):
    """The messages are stored, but indexing gave some of them up until it is told to try again."""


class DataDirectoryInUse(ForewordError):
    """Another process has this data directory open."""


class DirectoryUnusable(ForewordError):
    """Nothing can be kept in this directory."""


class BackupUnusable(ForewordError):
    """The backup cannot be used."""


class RestoreRefused(ForewordError):
    """What is there already would be lost."""


class StoreUnavailable(ForewordError):
    """The database does not answer."""


class StorageFull(ForewordError):
    """There is no room to store anything."""


class StoreDamaged(ForewordError):
    """The database is damaged: nothing is written until a backup is restored."""


class StoreAstray(StoreDamaged):
    """The file of the database is gone: nothing is written until it, or a backup, is there."""


class StoreLogAstray(StoreDamaged):
    """The database's log is gone: nothing is written until it is back, or a restart by SIGTERM."""


class EmbedderUnavailable(ForewordError):
    """The embedding model does not answer."""


class RecogniserUnavailable(ForewordError):
    """The model that recognises names does not answer."""


class RerankerUnavailable(ForewordError):
    """The reranking model does not answer."""


class RerankerBusy(ForewordError):
    """The reranking model has enough to read already."""


class LanguageModelUnavailable(ForewordError):
    """The language model does not answer."""


class VectorIndexUnavailable(ForewordError):
    """The vector index does not answer."""


class DataDirectoryHeld(VectorIndexUnavailable):
    """Another process has the vector index of this data directory open."""


class IndexHeldElsewhere(DataDirectoryHeld):
    """Another process serves this database with vectors of its own: set FOREWORD_QDRANT__URL."""


class TokenCounterUnavailable(ForewordError):
    """The tokenizer does not know this encoding."""


class UnreadableWeights(ForewordError):
    """The file of weights cannot be used."""


class ProxyNotConfigured(ForewordError):
    """No upstream is set that chat completions could be passed on to."""


class NotPassedOn(ForewordError):
    """What the provider keeps is passed on only with a key of your own for it."""


class UpstreamUnavailable(ForewordError):
    """The upstream of the proxy does not answer."""


class UpstreamTimedOut(ForewordError):
    """The upstream of the proxy took too long to answer."""


class NotAnObject(ForewordError):
    """The body is no JSON object."""


class TooManyValues(ForewordError):
    """The JSON of the body holds too many values."""


class UnusableHeader(ForewordError):
    """A header does not have the documented shape."""


class UnusableField(ForewordError):
    """A field of the body does not have the documented shape."""
