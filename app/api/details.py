"""What `detail` says of errors that tell their facts alone: what this request has to do with it."""

from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from json import JSONDecodeError

from app.domain import errors as e

_NONE = "There is none with this {which}, or it was erased"

_SAID: Mapping[type[e.ForewordError], str] = {
    e.ConversationNotFound: f"{_NONE}, or it is another user's.",
    e.MessageNotFound: f"{_NONE}, or it is another user's.",
    e.MemoryNotFound: f"{_NONE}, or it is another user's.",
    e.EntityNotFound: f"{_NONE}.",
    e.BundleNotFound: f"{_NONE}, or was built longer ago than bundles are kept.",
    e.KeyNotFound: "There is none with this {which}.",
    e.JobNotFound: "There is none with this {which}, or it ended long ago.",
    e.ProfileNotFound: "The user agrees to one, but nothing was written, nor derived from facts.",
    e.DocumentReadOnly: "That with this {which} is one: POST /memories with its source and text.",
    e.NeverValid: "What begins to hold at {valid_from} has to end later than that.",
    e.StillSuperseded: "It holds longer once {superseded_by} is erased or changed.",
    e.ConsentMissing: "It takes the purpose `{purpose}`: PUT /users/USER_ID/consent grants it.",
    e.ProfileTooLarge: "It may have {max_entries} entries and {max_characters} characters of JSON.",
    e.MetadataTooLarge: "That with this {which} may have {most} bytes of it as JSON.",
    e.NotAuthenticated: "Send `Authorization: Bearer KEY`, of one that is not revoked or over.",
    e.TooManyGuesses: "Ask again in {retry_after_s} seconds.",
    e.InvalidCursor: "Give the `next_cursor` of a page of the same list, as it was told.",
    e.IdempotencyConflict: "Another request needs another Idempotency-Key than {key}.",
    e.KeyShownBefore: "Under another Idempotency-Key another one is made.",
    e.JobRunning: "A job of the kind {kind} begins once {job_id} has ended.",
    e.NothingToSummarise: "In that with this {which} no user or assistant said anything to tell.",
    e.SummariesOff: "PUT /flags with `summaries` of true switches them on.",
    e.Overtaken: "Ask again once less is written to it.",
    e.TooManyValues: "A body may hold {max_values}, texts, numbers, lists and objects together.",
    e.NotAnObject: "It has to begin with `{{` and be valid JSON.",
}
"""`which` is the name of the first fact, never its value: whether it is known is not to be told."""


def told_by_facts(error: e.ForewordError) -> str | None:
    """What is to be told beside the title of an error that has no detail of its own."""
    if (said := _SAID.get(type(error))) is None:
        return None
    which = next(iter(error.facts), "id")
    return said.format_map(defaultdict(str, error.facts, which=which))


def told_by_status(status: HTTPStatus, headers: Mapping[str, str] | None) -> str | None:
    """The same of what was refused before anything of ours was asked."""
    match status:
        case HTTPStatus.NOT_FOUND:
            return "There is nothing at this path; GET /docs shows what there is."
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return f"This path takes {(headers or {}).get('Allow', 'another method')}."
        case HTTPStatus.BAD_REQUEST:
            return "The body cannot be read."
        case _:
            return None


def told_of_json(error: BaseException | None) -> str:
    """Where a body stops being JSON."""
    if isinstance(error, JSONDecodeError):
        return f"{error.msg}, at character {error.pos}."
    return "It cannot be parsed."


def told_of_places(wrong: list[dict[str, str]]) -> str:
    """The first place that is wrong, and how many more there are."""
    first, more = wrong[0], len(wrong) - 1
    said = f"{first['pointer'][:100]}: {first['detail']}"
    return f"{said} (and {more} more in `errors`)." if more else f"{said}."
