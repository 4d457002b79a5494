"""What a user may be called."""

STEPS = frozenset({".", ".."})
"""What a path loses on its way, with what stands before `..`: clients and proxies shorten it."""


def user_id_problem(user_id: str) -> str | None:
    """Why nobody can be called so; None: somebody may be."""
    if not user_id.strip():
        return "must not be blank"
    if user_id in STEPS:
        return "must not be . or .., which HTTP clients take out of a path"
    return None
