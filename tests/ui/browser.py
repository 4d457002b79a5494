"""A real browser, headless, as a reader of the page would use it."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds until a test gives up on what should come."""

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--disable-default-apps", "--disable-extensions", "--force-device-scale-factor=1"),
)
_STILL = """
const [element, done] = arguments;
element.scrollIntoView({block: 'nearest'});
const place = () => JSON.stringify(element.getBoundingClientRect());
const before = place();
requestAnimationFrame(() => requestAnimationFrame(() => done(place() === before)));
"""
_TROUBLE = """
const [match, method, status, late] = arguments;
window.untroubled ??= window.fetch;
window.fetch = async (address, how) => {
  if (!address.includes(match) || how.method !== method) return window.untroubled(address, how);
  await new Promise((go) => setTimeout(go, late));
  if (status === 200) return window.untroubled(address, how);
  return new Response(JSON.stringify({title: "Trouble", status, detail: ""}), {status});
};
"""
_NOT_YET = (
    NoSuchElementException,
    StaleElementReferenceException,
    ElementNotInteractableException,
    AssertionError,
)


def require_browser() -> tuple[str, str]:
    """The programs of browser and driver; skips where they are not, which on CI is a failure."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser and driver:
        return browser, driver
    missing = "no chromium with chromedriver in the path"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


@dataclass(frozen=True)
class Tab:
    """A tab that looks at the page of one server."""

    driver: Chrome
    url: str

    def open(self, path: str = "/ui") -> None:
        self.driver.get(self.url + path)
        self.until(lambda: self.one("main h1"))

    def until(self, what: Callable[[], T]) -> T:
        """Ask until the answer is true; what is not there yet may come."""
        waiting: Any = WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=_NOT_YET)
        try:
            found: T = waiting.until(lambda _: what())
        except TimeoutException as late:
            late.msg = f"the page says: {[each.text for each in self.all('[role=alert]')]}"
            raise
        return found

    def all(self, selector: str) -> Sequence[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str, text: str = "") -> WebElement:
        """The first that is shown and says `text`."""
        for each in self.all(selector):
            if text in each.text and each.is_displayed():
                return each
        raise NoSuchElementException(f"{selector} {text!r}")

    def wait(self, selector: str, text: str = "") -> WebElement:
        return self.until(lambda: self.one(selector, text))

    def gone(self, selector: str, text: str = "") -> None:
        self.until(lambda: not any(text in each.text for each in self.all(selector)))

    def click(self, selector: str, text: str = "") -> None:
        """Click where it is, once it stays there: what moves in between gets the click instead."""

        def clicked() -> bool:
            found = self.one(selector, text)
            assert self.driver.execute_async_script(_STILL, found)
            found.click()
            return True

        self.until(clicked)

    def fill(self, selector: str, text: str) -> None:
        """As somebody does who selects what is there and types."""
        field = self.wait(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.CONTROL, Keys.NULL, text or Keys.DELETE)

    def text(self, selector: str = "main") -> str:
        return self.wait(selector).text

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def remember_violations(self) -> None:
        """Let the page note what its policy refuses, from its first moment on."""
        script = (
            "window.refused = []; addEventListener('securitypolicyviolation', "
            "(event) => window.refused.push(event.violatedDirective + ' ' + event.blockedURI));"
        )
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def complaints(self, *expected: str) -> Sequence[str]:
        """Errors in the console but for what is `expected`, and what the policy refused."""
        logged: Any = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        errors = [each["message"] for each in logged if each["level"] == "SEVERE"]
        unexpected = [each for each in errors if not any(known in each for known in expected)]
        return [*unexpected, *self.run("return window.refused || []")]

    @contextmanager
    def slow(self, bytes_per_second: int) -> Iterator[None]:
        """As behind a bad line: an answer begins soon, and takes long to be all there."""
        narrow = {"latency": 0, "download_throughput": bytes_per_second, "upload_throughput": -1}
        self.driver.set_network_conditions(offline=False, **narrow)
        try:
            yield
        finally:
            self.driver.delete_network_conditions()

    def troubled(
        self, match: str, method: str = "GET", status: int = 200, late_ms: int = 0
    ) -> None:
        """From now on, until another page is opened, such requests fail so, or are late."""
        self.run(_TROUBLE, match, method, status, late_ms)

    def untroubled(self) -> None:
        self.run("window.fetch = window.untroubled;")

    def press(self, *keys: str) -> None:
        """Keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def shape(self, width: int, height: int, theme: str = "light") -> None:
        """Look at it on such a screen, under a system of that theme."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@contextmanager
def browsing(profile: Path, url: str) -> Iterator[Tab]:
    """A browser of its own, with nothing in its profile."""
    browser, driver = require_browser()
    options = ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=ChromeService(executable_path=driver))
    try:
        tab = Tab(chrome, url)
        tab.remember_violations()
        tab.shape(1280, 900)
        yield tab
    finally:
        chrome.quit()
