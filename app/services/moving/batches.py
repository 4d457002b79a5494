"""What is found in an export, in batches that go into one transaction each."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.domain.user_ids import user_id_problem
from app.formats.found import Agreed, Ended, Found, Rejected, Said, Told

BATCH = 200
"""Messages or items in one transaction: others write in between."""

_BATCH_CHARACTERS = 1_000_000


def owned(reading: Iterable[Found], user_id: str | None) -> Iterator[Found]:
    """With this owner, if one is given; rejected is what is of somebody whom nobody can ask for."""
    for each in reading:
        owner = _owner(each) if user_id is None else None
        if owner and (problem := user_id_problem(owner)) is not None:
            yield Rejected(each.at, f"user_id {problem}")
        else:
            yield each if user_id is None else _of(each, user_id)


def _owner(found: Found) -> str | None:
    match found:
        case Said():
            return found.conversation.user_id
        case Told():
            return found.memory.user_id
        case Agreed() | Ended():
            return found.user_id
    return None


def _of(found: Found, user_id: str) -> Found:
    match found:
        case Said():
            return replace(found, conversation=replace(found.conversation, user_id=user_id))
        case Told():
            return replace(found, memory=replace(found.memory, user_id=user_id))
        case Agreed() | Ended():
            return replace(found, user_id=user_id)
    return found


def portions(reading: Iterable[Found]) -> Iterator[Found]:
    """The same, of long conversations some messages at a time."""
    for each in reading:
        if not isinstance(each, Said) or len(each.conversation.messages) <= BATCH:
            yield each
            continue
        messages = each.conversation.messages
        for at in range(0, len(messages), BATCH):
            some = replace(each.conversation, messages=messages[at : at + BATCH])
            yield replace(each, conversation=some, rejected=() if at else each.rejected)


def next_batch(found: Iterator[Found]) -> list[Found]:
    """
    As much as goes into one transaction.

    What may go on with what came in before ends one: that may be in the same file.
    """
    batch: list[Found] = []
    weight = 0.0
    for each in found:
        batch.append(each)
        weight += _weight(each)
        if weight >= 1.0 or (isinstance(each, Said) and each.grown is not None):
            break
    return batch


def _weight(found: Found) -> float:
    """Of a batch, the part that it takes."""
    if isinstance(found, Said):
        told = found.conversation.messages
        characters = sum(len(each.content or "") for each in told)
        return max((1 + len(told)) / BATCH, characters / _BATCH_CHARACTERS)
    if isinstance(found, Told):
        return max(1 / BATCH, len(found.memory.content) / _BATCH_CHARACTERS)
    return 1 / BATCH
