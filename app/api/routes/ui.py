"""The pages: the inspector at /ui, and what the API takes and answers at /docs."""

import asyncio

from fastapi import APIRouter, HTTPException, Request, Response

from app.api.site import docs_site, ui_site

router = APIRouter(include_in_schema=False)


@router.api_route("/ui/assets/{version}/{name:path}", methods=["GET", "HEAD"])
async def asset(version: str, name: str, request: Request) -> Response:
    return (await asyncio.to_thread(ui_site)).answer_asset(request, version, name)


@router.api_route("/ui", methods=["GET", "HEAD"])
@router.api_route("/ui/{path:path}", methods=["GET", "HEAD"])
async def page(request: Request, path: str = "") -> Response:
    """The page, whatever part of it is asked for: that it shows by itself. No part has a dot."""
    if "." in path.rpartition("/")[2]:
        raise HTTPException(404)
    return (await asyncio.to_thread(ui_site)).answer_page(request)


@router.api_route("/docs/assets/{version}/{name:path}", methods=["GET", "HEAD"])
async def docs_asset(version: str, name: str, request: Request) -> Response:
    return (await asyncio.to_thread(docs_site)).answer_asset(request, version, name)


@router.api_route("/docs", methods=["GET", "HEAD"])
async def docs(request: Request) -> Response:
    return (await asyncio.to_thread(docs_site)).answer_page(request)
