"""The files of the pages: open to all, small, kept for good, and ours."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.keyed import a_caller, a_key, the_service
from tests.api.speaking import problem

FILES = Path(__file__).parents[2] / "app" / "ui"
APART = ("docs/", "vendor/swagger/")
NAMES = sorted(
    path.relative_to(FILES).as_posix()
    for path in FILES.rglob("*")
    if path.suffix in {".js", ".css", ".svg"}
)
SERVED = [name for name in NAMES if not name.startswith(APART)]
DOCS = [name for name in NAMES if name.startswith(APART) or name == "icon.svg"]


async def version(client: AsyncClient, page: str = "/ui") -> str:
    found = re.search(rf"{page[1:]}/assets/([0-9a-f]{{16}})/", (await client.get(page)).text)
    assert found
    return found[1]


async def test_any_address_of_the_page_is_the_page(alone: AsyncClient) -> None:
    pages = [(await alone.get(path)) for path in ("/ui", "/ui/", "/ui/conversations/42", "/ui/x/y")]
    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages}) == 1
    assert pages[0].headers["content-type"] == "text/html; charset=utf-8"
    assert pages[0].headers["cache-control"] == "no-cache"
    assert "{version}" not in pages[0].text


async def test_a_file_that_is_not_there_is_not_the_page(alone: AsyncClient) -> None:
    for path in ("/ui/nothere.js", "/ui/conversations/app.css.map", "/ui/assets/main.js"):
        problem(await alone.get(path), 404, "not-found")
    assert (await alone.head("/ui/favicon.ico")).status_code == 404
    assert (await alone.get("/ui/v1.0/conversations")).status_code == 200


async def test_the_policy_lets_nothing_in(alone: AsyncClient) -> None:
    policy = (await alone.get("/ui")).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    page = (FILES / "index.html").read_text()
    assert not re.search(r"<style|style=|<script>|\son\w+=|https?://", page)


@pytest.mark.parametrize(("page", "names"), [("/ui", SERVED), ("/docs", DOCS)])
async def test_files_are_kept_for_good_under_the_name_of_their_version(
    alone: AsyncClient, page: str, names: list[str]
) -> None:
    root = f"{page}/assets/{await version(alone, page)}"
    for name in names:
        answer = await alone.get(f"{root}/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, name
        assert answer.content == (FILES / name).read_bytes()
        assert answer.headers["content-encoding"] == "gzip"
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        plain = await alone.get(f"{root}/{name}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == answer.content


@pytest.mark.parametrize("page", ["/ui", "/docs"])
async def test_what_is_known_is_not_sent_again(alone: AsyncClient, page: str) -> None:
    known = (await alone.get(page)).headers["etag"]
    again = await alone.get(page, headers={"If-None-Match": known})
    assert (again.status_code, again.content) == (304, b"")
    assert (await alone.get(page, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_the_page_of_the_api_is_made_of_files_of_ours(alone: AsyncClient) -> None:
    answer = await alone.get("/docs")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "{version}" not in answer.text
    assert not re.search(r"<style|style=|<script>|\son\w+=|https?://", answer.text)
    for path in re.findall(r'(?:src|href)="([^"]+)"', answer.text):
        assert (await alone.get(f"/{path}")).status_code == 200, path
    problem(await alone.get("/redoc"), 404, "not-found")


@pytest.mark.parametrize(
    "path",
    [
        "/ui/assets/0000000000000000/main.js",
        "/ui/assets/{version}/nothing.js",
        "/ui/assets/{version}/index.html",
        "/ui/assets/{version}/vendor/vendor.json",
        "/ui/assets/{version}/vendor/swagger/swagger-ui-bundle.js",
        "/docs/assets/0000000000000000/docs/start.js",
        "/docs/oauth2-redirect",
        "/ui/assets/{version}/../../main.py",
        "/ui/assets/{version}/%2e%2e/%2e%2e/main.py",
        "/ui/assets/{version}//etc/passwd",
    ],
)
async def test_nothing_else_is_a_file(alone: AsyncClient, path: str) -> None:
    answer = await alone.get(path.replace("{version}", await version(alone)))
    assert answer.status_code == 404 or answer.headers["content-type"].startswith("text/html")
    if answer.status_code == 404:
        problem(answer, 404, "not-found")


async def test_the_pages_need_no_key_and_only_read(embedded: Settings) -> None:
    await a_key(embedded)
    async with the_service(embedded) as app, a_caller(app, address="203.0.113.7") as stranger:
        for page, file in (("/ui", "main.js"), ("/docs", "docs/start.js")):
            assert (await stranger.get(page)).status_code == 200
            assert (await stranger.head(page)).status_code == 200
            assert (await stranger.post(page)).status_code == 405
            path = f"{page}/assets/{await version(stranger, page)}/{file}"
            assert (await stranger.get(path)).status_code == 200
        assert (await stranger.get("/openapi.json")).status_code == 200
        assert (await stranger.get("/flags")).status_code == 401


def test_all_files_are_small_when_compressed() -> None:
    for names, most in ((SERVED, 200_000), (DOCS, 500_000)):
        size = sum(len(gzip.compress((FILES / name).read_bytes(), 9)) for name in names)
        assert size < most


def test_every_import_leads_to_a_file() -> None:
    for name in NAMES:
        if not name.endswith(".js") or name.startswith("vendor/"):
            continue
        code = (FILES / name).read_text()
        for target in re.findall(r"^(?:import|export|}).* from \"([^\"]+)\"", code, re.MULTILINE):
            assert target.startswith("."), (name, target)
            assert ((FILES / name).parent / target).resolve().is_file(), (name, target)
        assert "innerHTML" not in code
        assert len(code.splitlines()) <= 300


def test_vendored_files_are_those_that_were_published() -> None:
    vendor = FILES / "vendor"
    wanted, lock = (
        json.loads((vendor / f"vendor{part}.json").read_text()) for part in ("", ".lock")
    )
    assert wanted.keys() == lock.keys()
    known = {name: digest for each in lock.values() for name, digest in each["sha256"].items()}
    there = {
        path.relative_to(vendor).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vendor.rglob("*")
        if path.is_file() and path.suffix != ".json"
    }
    assert there == known
    for each in wanted.values():
        assert each["version"]
        assert each["licence"]
        assert set(each["files"].values()) <= known.keys()
