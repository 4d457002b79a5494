"""Which of new messages are stored already."""

from collections import defaultdict, deque
from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import takewhile

from app.domain.conversation import NewMessage
from app.domain.ids import MessageId
from app.ports.stored import PreparedMessage, StoredMessage


def already_there(
    new: Sequence[NewMessage],
    prepared: Sequence[PreparedMessage],
    known: Sequence[StoredMessage],
) -> list[MessageId | None]:
    """
    For each new message the id under which it is stored already, else None.

    A message that is stored under an id that it brings is that one. One with an external id is
    known by it, also when the request itself repeats it; one that brings its own time by content
    and time; one that brings an id and neither of these is new. The others are matched as a
    sequence: the longest run at their beginning that is the end of what is stored is a retry,
    unless something new came before it. Two equal messages in one request are two messages.
    """
    there: list[MessageId | None] = [None] * len(new)
    by_name = {each.external_id: each.id for each in known if each.external_id}
    own = {
        ready.message.id for each, ready in zip(new, prepared, strict=True) if each.id is not None
    } & {each.id for each in known}
    by_time = _by_time(each for each in known if each.id not in own)
    tail = _tail(known, {each.external_id for each in new})
    untimed: list[int] = []
    something_new = False
    for at, (message, ready) in enumerate(zip(new, prepared, strict=True)):
        if message.id is not None and ready.message.id in own:
            there[at] = ready.message.id
        elif message.external_id is not None:
            there[at] = by_name.get(message.external_id)
            by_name.setdefault(message.external_id, ready.message.id)
        elif message.created_at is not None:
            same = by_time[_said(ready), message.created_at]
            there[at] = same.popleft() if same else None
        elif message.id is None and not something_new:
            untimed.append(at)
            continue
        something_new = something_new or there[at] is None
    left = [each for each in tail if each.id not in there]
    for at, old in zip(untimed, _retried([prepared[at] for at in untimed], left), strict=False):
        there[at] = old.id
    return there


def differing(
    prepared: Sequence[PreparedMessage],
    there: Sequence[MessageId | None],
    known: Sequence[StoredMessage],
) -> list[MessageId]:
    """Those that are `there` with another content than the message that is known by their id."""
    said = {each.message.id: each.content_hash for each in prepared}
    said |= {each.id: each.content_hash for each in known}
    pairs = zip(prepared, there, strict=True)
    others = [old for new, old in pairs if old is not None and said[old] != new.content_hash]
    return list(dict.fromkeys(others))


def _by_time(known: Iterable[StoredMessage]) -> defaultdict[Hashable, deque[MessageId]]:
    """What has no external id, by what was said and when."""
    by_time: defaultdict[Hashable, deque[MessageId]] = defaultdict(deque)
    for each in known:
        if each.external_id is None:
            by_time[_said(each), each.created_at].append(each.id)
    return by_time


def _tail(known: Sequence[StoredMessage], names: Collection[str | None]) -> list[StoredMessage]:
    """The unnamed messages at the end, between which none stands that is not in the request."""
    ending = takewhile(lambda each: each.external_id in {None, *names}, reversed(known))
    return [each for each in ending if each.external_id is None][::-1]


def _retried(
    new: Sequence[PreparedMessage], tail: Sequence[StoredMessage]
) -> Sequence[StoredMessage]:
    """The end of `tail` that the beginning of `new` says again, as much of it as there is."""
    overlap = _overlap([_said(each) for each in new], [_said(each) for each in tail])
    return tail[len(tail) - overlap :]


def _said(message: PreparedMessage | StoredMessage) -> Hashable:
    """Who said what: equal for equal messages, apart from their times."""
    who = message.message if isinstance(message, PreparedMessage) else message
    return (str(who.role), who.name, message.content_hash)


def _overlap(new: Sequence[Hashable], tail: Sequence[Hashable]) -> int:
    """
    The length of the longest beginning of `new` that is the end of `tail`.

    The failure function of Knuth, Morris and Pratt over both: linear, also for much of the same.
    """
    if not new or not tail:
        return 0
    text = [*new, None, *tail[-len(new) :]]
    border = [0] * len(text)
    for at in range(1, len(text)):
        length = border[at - 1]
        while length and text[at] != text[length]:
            length = border[length - 1]
        border[at] = length + (text[at] == text[length])
    return border[-1]
