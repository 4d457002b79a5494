"""What takes back what its speaker has just said, and what only goes on."""

import pytest

from app.text.correcting import LONGEST, takes_back

TAKES_BACK = """
Actually make it 60 per minute, Redis is fine
Actually let's do 10.
Make it 8 people
make it Friday
Hmm, let's go with 16 instead
Finance says 10k instead
Correction: 19:05
On second thought, call it ledger-api.
Sorry, Wednesday 22:00.
Sorry, Anna is her name
Wait, it\u2019s 81.
Let\u2019s bump that to 60
Scratch that, #224466.
No, I meant the blue one
No, May 10, marketing needs a week more.
PDF is better after all
hmm rename it to Moonlight
oh, and can you change that to CET?
2 are enough, actually
""".strip().splitlines()

GOES_ON = """
Sorry, I was away.
Sorry, it's me again. The head shows E-14 now.
Sorry for the delay, here is the file
Sorry I don't understand
No, it still fails
No problem, Nate!
No problem! Let me know if you like it.
No, thanks
No idea
Nope! You'll just have to watch it.
Wait, how does that work?
Wait for the build
Wait, I forgot: the key is under the mat
Actually, can you explain?
Actually I also need a summary
Let's do it
Let's use Tailwind
Use it in main.py
Put it in a function
Make it shorter
Keep it simple
I'd rather have it on Sunday
The new version is out now.
Version two is sent. 41 pages instead of 56.
Thanks!
""".strip().splitlines()


@pytest.mark.parametrize("said", TAKES_BACK)
def test_it_takes_back_what_was_just_said(said: str) -> None:
    assert takes_back(said, "The standup is at nine.")


@pytest.mark.parametrize("said", GOES_ON)
def test_it_only_goes_on(said: str) -> None:
    assert not takes_back(said, "The standup is at nine.")


def test_instead_of_what_was_said_takes_that_back() -> None:
    said = "All right, then poppy seed instead of the hazelnut."
    assert takes_back(said, "I make the hazelnut cake.")
    assert not takes_back(said, "I make the cherry cake.")


def test_no_may_reply_to_another_one() -> None:
    assert takes_back("No, May 10.", "The launch is on May 3.")
    assert not takes_back("No, May 10.", "The launch is on May 3.", replying=True)


def test_what_is_long_goes_on() -> None:
    said = "Actually, make it 60."
    assert takes_back(said.ljust(LONGEST, "."), "100 a minute.")
    assert not takes_back(said.ljust(LONGEST + 1, "."), "100 a minute.")
