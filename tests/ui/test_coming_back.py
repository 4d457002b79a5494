"""Going elsewhere and back, on screens of any size, and to what is far down in a list."""

from typing import Any

import httpx
from selenium.webdriver.common.keys import Keys

from tests.ui.browser import Tab

QUERY = "Which database did we pick?"
LEFT_AT = 900
MANY = 104


def asked(tab: Tab, user: str) -> None:
    tab.open(f"/ui?user={user}")
    tab.fill("#query", QUERY)
    tab.click("button", "Build the context")
    tab.wait(".candidate .bar")


def test_going_back_leads_to_where_one_was(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.run(f"scrollTo(0, {LEFT_AT}); document.querySelector('nav a[href*=conversations]').click()")
    tab.wait("main h1", "Conversations")
    tab.until(lambda: tab.run("return scrollY") == 0)
    tab.driver.back()
    tab.until(lambda: tab.run("return scrollY") == LEFT_AT)


def test_what_was_asked_is_there_again_until_something_is_erased(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("button", "Keep, to compare")
    tab.click(".candidate .source")
    tab.wait(".message.wanted")
    tab.driver.back()
    assert tab.wait("#query").get_attribute("value") == QUERY
    assert tab.wait(".candidate .bar")
    assert tab.one(".compare")

    tab.click(".candidate .source", "API design")
    tab.click(".message.wanted .button-quiet", "Delete")
    tab.click("dialog .button-danger")
    tab.wait("dialog .receipt")
    tab.click("dialog button", "Close")
    tab.click("nav a", "Inspector")
    assert tab.wait("#query").get_attribute("value") == QUERY
    tab.wait(".answer .empty")
    assert tab.all(".candidate") == []


def test_what_was_asked_of_one_user_is_not_there_for_another(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("nav a", "Conversations")
    tab.fill("#user", f"nobody{Keys.ENTER}")
    tab.wait(".empty", "of nobody")
    tab.click("nav a", "Inspector")
    assert tab.wait("#query").get_attribute("value") == ""
    assert tab.all(".candidate") == []


def test_an_answer_below_the_question_comes_into_sight_and_is_told(tab: Tab, stored: Any) -> None:
    tab.shape(390, 844)
    asked(tab, stored["user"])
    top = "return document.querySelector('.answered').getBoundingClientRect().top"
    tab.until(lambda: 0 <= tab.run(top) < 422)
    told = "return document.querySelector('.answer [role=status]').textContent"
    assert "candidates" in tab.run(told)


def offered(tab: Tab) -> list[str]:
    titles: list[str] = tab.run(
        "return [...document.querySelector('#conversation').options].map((each) => each.text)"
    )
    return titles


def running(tab: Tab) -> str:
    return str(tab.run("return document.querySelector('#conversation').selectedOptions[0].text"))


def test_conversations_that_no_list_has_room_for_are_found_by_name(
    tab: Tab, client: httpx.Client
) -> None:
    for number in range(MANY):
        told = {"user_id": "lists", "label": f"Talk {number:03}", "messages": []}
        client.post("/conversations", json=told).raise_for_status()
    tab.open("/ui?user=lists")
    tab.wait("#called")
    tab.until(lambda: "Talk 103" in offered(tab))
    assert "Talk 002" not in offered(tab)
    tab.fill("#called", "Talk 002")
    tab.until(lambda: offered(tab) == ["none", "Talk 002"])
    tab.click("#conversation option", "Talk 002")
    tab.fill("#called", "Talk 05")
    tab.until(lambda: "Talk 050" in offered(tab))
    assert running(tab) == "Talk 002"
    tab.click("button", "Back to the usual settings")
    tab.until(lambda: running(tab) == "none")
    tab.gone("button", "Back to the usual settings")


def test_filters_that_are_folded_are_counted(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    tab.click("summary", "Filters")
    tab.click(".choice", "fact")
    tab.fill("#folder", "/work")
    assert tab.wait("summary", "Filters").text == "Filters (2 set)"


def test_what_is_being_written_of_a_profile_outlives_a_consent(
    tab: Tab, client: httpx.Client
) -> None:
    client.put("/users/wilma/consent", json={"purposes": {"profile": True}}).raise_for_status()
    client.put("/users/wilma/profile", json={"notes": "Short."}).raise_for_status()
    tab.open("/ui/person?user=wilma")
    tab.fill("#notes", "Short answers.")
    tab.click("#consent-facts")
    tab.wait(".quiet", "page")
    assert tab.one("#notes").get_attribute("value") == "Short answers."
    tab.click("button", "Save the profile")
    tab.wait("[role=status]", "Saved.")
    assert client.get("/users/wilma/profile").json()["notes"] == "Short answers."
    tab.fill("#notes", "Shorter.")
    tab.gone("[role=status]", "Saved.")


def test_rows_of_a_profile_are_written_by_keyboard(tab: Tab, client: httpx.Client) -> None:
    client.put("/users/kai/consent", json={"purposes": {"profile": True}}).raise_for_status()
    tab.open("/ui/person?user=kai")
    tab.wait("#preferences-add")
    tab.run("document.querySelector('#preferences-add').focus()")
    tab.press(Keys.ENTER)
    tab.wait(".row")
    tab.press("tone", Keys.TAB, "dry", Keys.TAB)
    assert [each.get_attribute("value") for each in tab.all(".row input")] == ["tone", "dry"]
    tab.press(Keys.ENTER)
    tab.until(lambda: not tab.all(".row"))
    assert tab.run("return document.activeElement.id") == "preferences-add"


def test_another_passage_is_gone_to_after_the_beginning_was_read(
    tab: Tab, client: httpx.Client
) -> None:
    said = [{"role": "user", "content": f"Message {each}."} for each in range(MANY)]
    stored = client.post("/conversations", json={"user_id": "pia", "messages": said}).json()
    path = f"/conversations/{stored['id']}"
    all_ids = [each["id"] for each in client.get(f"{path}/messages?limit=500").json()["items"]]
    tab.open(f"/ui{path}?user=pia&message={all_ids[80]}")
    tab.click("button", "Read from the beginning")
    tab.wait(".message", "Message 0.")
    tab.run(
        "const [to] = arguments; history.pushState({}, '', to);"
        "dispatchEvent(new PopStateEvent('popstate'));",
        f"/ui{path}?user=pia&message={all_ids[90]}",
    )
    assert tab.wait(".message.wanted", "Message 90.")


def test_a_list_is_as_long_after_a_pin_as_before(tab: Tab, client: httpx.Client) -> None:
    for each in range(53):
        said = [{"role": "user", "content": f"Message {each}."}]
        told = {"user_id": "lea", "label": f"Talk {each}", "messages": said}
        client.post("/conversations", json=told).raise_for_status()
    tab.open("/ui/conversations?user=lea")
    tab.click("button", "Show more")
    tab.until(lambda: len(tab.all(".entry")) == 53)
    tab.run("document.querySelectorAll('.entry')[51].click()")
    tab.click(".conversation-tools button", "Pin")
    tab.wait(".entry", "pinned")
    assert len(tab.all(".entry")) == 53


def test_what_is_open_goes_with_its_user(tab: Tab, stored: Any) -> None:
    path = f"/ui/conversations/{stored['chat-44']['id']}"
    tab.open("/ui?user=somebody")
    tab.open(path)
    tab.until(lambda: tab.wait("#user").get_attribute("value") == stored["user"])
    tab.wait(".entry[aria-current=true]", "Garden")
    tab.fill("#user", f"nobody{Keys.ENTER}")
    tab.wait(".empty", "of nobody")
    assert tab.run("return location.pathname") == "/ui/conversations"


def test_a_bundle_is_of_whom_it_was_asked_for(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click(".permalink")
    tab.wait("main h1", "Bundle")
    tab.wait(".candidate")
    assert tab.all("#user") == []
    tab.run("sessionStorage.setItem('foreword.user', 'somebody')")
    tab.click(".candidate .source")
    tab.until(lambda: tab.wait("#user").get_attribute("value") == stored["user"])
