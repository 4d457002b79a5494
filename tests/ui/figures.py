"""
How soon the inspector is there, how soon it answers, and what its files weigh.

    python -m tests.ui.figures

Prints milliseconds, medians of several visits with an empty cache, and bytes as they are sent. The
browser runs on the same machine as the service.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import httpx

from tests.api.serving import serving
from tests.ui.browser import Tab, browsing
from tests.ui.seeding import fill

VISITS = 9
USER = "alice"
FILES = Path(__file__).parents[2] / "app" / "ui"
SENT = {".js", ".css", ".svg"}
OF_DOCS = ("docs/", "vendor/swagger/")
FIRST_PAINT = """
const [paint] = performance.getEntriesByName("first-contentful-paint");
const [visit] = performance.getEntriesByType("navigation");
return {first_paint: paint.startTime, loaded: visit.loadEventEnd};
"""
ANSWER = """
const [question, done] = arguments;
const field = document.querySelector("main form textarea");
field.value = question;
field.dispatchEvent(new Event("input", {bubbles: true}));
let began;
const took = () => done(performance.now() - began);
const painted = () => requestAnimationFrame(() => setTimeout(took));
new MutationObserver((_, watcher) => {
  if (!document.querySelector(".candidate")) return;
  watcher.disconnect();
  painted();
}).observe(document.querySelector("main"), {childList: true, subtree: true});
requestAnimationFrame(() => setTimeout(() => {
  began = performance.now();
  document.querySelector("main form").requestSubmit();
}));
"""
WEIGHT = """
const done = arguments[0];
const slider = document.querySelector("input[type=range]");
const began = performance.now();
slider.value = 10;
slider.dispatchEvent(new Event("input", {bubbles: true}));
requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
"""


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as room,
        serving(Path(room)) as server,
        server.client() as client,
    ):
        fill(client, USER)
        with browsing(Path(room) / "profile", server.url) as tab:
            visits = [visit(tab, number) for number in range(VISITS)]
            first = [each for each in loaded(tab) if "/ui/assets/" in each]
        sizes = [compressed(client, each) for each in first]
        everything = [compressed(client, each) for each in all_files(first[0])]
    times = {name: median(each[name] for each in visits) for name in visits[0]}
    told = [f"{name.replace('_', ' ')}: {took:.0f} ms" for name, took in times.items()]
    for what, weights in (("of a first visit", sizes), ("in all", everything)):
        told.append(f"files {what}: {len(weights)}, {sum(weights) / 1_000:.1f} kB compressed")
    print("\n".join(told))  # noqa: T201


def visit(tab: Tab, number: int) -> Mapping[str, float]:
    """Milliseconds of a first visit, and of what one does there."""
    tab.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    tab.open(f"/ui?user={USER}")
    tab.wait("main form textarea")
    took: dict[str, float] = tab.run(FIRST_PAINT)
    question = f"Which database did we pick for part {number}?"
    took["answer_shown"] = tab.driver.execute_async_script(ANSWER, question)
    took["weight_moved"] = tab.driver.execute_async_script(WEIGHT)
    return took


def loaded(tab: Tab) -> Sequence[str]:
    """The addresses of what a first visit loads."""
    tab.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    tab.open("/ui")
    told = "return performance.getEntriesByType('resource').map((each) => each.name)"
    return list(tab.run(told))


def all_files(one: str) -> Sequence[str]:
    """The addresses of all files of the page, told one of them."""
    base = "/".join(one.split("/")[:6])
    names = (each.relative_to(FILES).as_posix() for each in FILES.rglob("*") if each.suffix in SENT)
    return [f"{base}/{name}" for name in names if not name.startswith(OF_DOCS)]


def compressed(client: httpx.Client, address: str) -> int:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"}).raise_for_status()
    return int(answer.headers["content-length"])


if __name__ == "__main__":
    main()
