"""Headers that keep a browser from doing with our answers what they are not for."""

from collections.abc import Sequence

_EVERYWHERE = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"
# Nothing from elsewhere, nothing inline, and no text becomes HTML but through the one sanitizer.
_OUR_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types dompurify"
)
# Swagger UI draws its signs from data, and React writes its HTML as plain text.
_DOCS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _with(policy: str) -> Sequence[tuple[bytes, bytes]]:
    return (*_EVERYWHERE, (b"content-security-policy", policy.encode()))


_SHIELDS = {"docs": _with(_DOCS), "ui": _with(_OUR_PAGE)}
_DEFAULT = _with(_NO_PAGE)


def shields_of(path: str) -> Sequence[tuple[bytes, bytes]]:
    """The headers of an answer under `path`: only pages may load anything."""
    return _SHIELDS.get(path.split("/", 2)[1] if path.startswith("/") else "", _DEFAULT)
