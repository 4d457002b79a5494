"""The page at /ui: static files under the name of their version, which browsers keep for good."""

import asyncio
import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request, Response

_FILES = Path(__file__).parent.parent / "ui"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_GOOD = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"

router = APIRouter(include_in_schema=False)


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


@cache
def _site() -> Site:
    """Takes some 50 ms, once."""
    paths = sorted(each for each in _FILES.rglob("*") if each.suffix in _TYPES)
    contents = {each.relative_to(_FILES).as_posix(): each.read_bytes() for each in paths}
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(b"%s\0%d\0%s" % (name.encode(), len(content), content))
    version = digest.hexdigest()[:16]
    page = contents.pop("index.html").replace(b"{version}", version.encode())
    return Site(
        version=version,
        page=_asset("index.html", page),
        assets={name: _asset(name, content) for name, content in contents.items()},
    )


def _asset(name: str, body: bytes) -> Asset:
    return Asset(
        body=body,
        packed=gzip.compress(body, 9, mtime=0),
        media_type=_TYPES[Path(name).suffix],
        etag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
    )


@router.api_route("/ui/assets/{version}/{name:path}", methods=["GET", "HEAD"])
async def asset(version: str, name: str, request: Request) -> Response:
    site = await asyncio.to_thread(_site)
    found = site.assets.get(name)
    if found is None or version != site.version:
        raise HTTPException(404)
    return _answer(found, request, keep=_FOR_GOOD)


@router.api_route("/ui", methods=["GET", "HEAD"])
@router.api_route("/ui/{path:path}", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """The page, whatever part of it is asked for: that it shows by itself."""
    return _answer((await asyncio.to_thread(_site)).page, request, keep=_ASK_AGAIN)


def _answer(asset: Asset, request: Request, *, keep: str) -> Response:
    headers = {"Cache-Control": keep, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = asset.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = asset.packed, "gzip"
    return Response(body, media_type=asset.media_type, headers=headers)
