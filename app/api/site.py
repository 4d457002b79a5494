"""Static files of a page, under the name of their version, which browsers keep for good."""

import gzip
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import HTTPException, Request, Response

_FILES = Path(__file__).parent.parent / "ui"
_APART = ("docs/", "vendor/swagger/")
"""What is of the page at /docs and of no other."""

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    body: bytes
    packed: bytes
    """The same, compressed."""
    media_type: str
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """All files; `version` changes with any of them, and is part of every path but the page's."""

    version: str
    page: Asset
    assets: Mapping[str, Asset]

    def answer_page(self, request: Request) -> Response:
        return _answer(self.page, request, keep=_ASK_AGAIN)

    def answer_asset(self, request: Request, version: str, name: str) -> Response:
        found = self.assets.get(name)
        if found is None or version != self.version:
            raise HTTPException(404)
        return _answer(found, request, keep=_FOR_GOOD)


@cache
def ui_site() -> Site:
    """Takes some 50 ms, once."""
    names = (each for each in _names() if not each.startswith(_APART))
    return _site("index.html", names)


@cache
def docs_site() -> Site:
    """Takes some 200 ms, once."""
    names = (each for each in _names() if each.startswith(_APART) or each == "icon.svg")
    return _site("docs/index.html", names)


def _names() -> Iterable[str]:
    paths = (each for each in _FILES.rglob("*") if each.suffix in _TYPES)
    return sorted(each.relative_to(_FILES).as_posix() for each in paths)


def _site(page: str, names: Iterable[str]) -> Site:
    contents = {name: (_FILES / name).read_bytes() for name in names}
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(b"%s\0%d\0%s" % (name.encode(), len(content), content))
    version = digest.hexdigest()[:16]
    text = contents.pop(page).replace(b"{version}", version.encode())
    return Site(
        version=version,
        page=_asset(page, text),
        assets={name: _asset(name, content) for name, content in contents.items()},
    )


def _asset(name: str, body: bytes) -> Asset:
    return Asset(
        body=body,
        packed=gzip.compress(body, 9, mtime=0),
        media_type=_TYPES[Path(name).suffix],
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
    )


def _answer(asset: Asset, request: Request, *, keep: str) -> Response:
    headers = {"Cache-Control": keep, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = asset.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = asset.packed, "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)
