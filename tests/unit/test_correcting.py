"""What takes back what its speaker has just said, and what only goes on."""

import pytest

from app.text.correcting import LONGEST, may_take_back, takes_back

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
*9:20
s/7/9/
strike that, 140, fees
I lied, Wednesday
my bad, gate B22
typo: 4411
hang on, the confirmation says Stansted
oops, 6 to 9
ugh, fat fingers, 8018
swap that for oat milk
let's push to 9:15, her train gets in late
Not her, Piotr handles legal
I mixed this up with my brother's chart
nah forget it, I'm done with those
Korrektur: 19:05
doch lieber um 10
Nein, doch erst Mittwoch
Entschuldigung, Mittwoch
Moment, es sind 60
En fait, 60 personnes
pardon, mercredi
non, plutôt à 10 h
Perdón, el miércoles
no, mejor a las 10
en realidad son 60
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
Scratch the last sentence, too salesy
nvm, found it
oh and it's raining
wrong link, it gives me a 404
no that's fine
Moment, ich hole schnell etwas
Pardon, je suis en retard
Nein danke
Non merci
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


@pytest.mark.parametrize(
    "said",
    [
        "forgot the interns, so 52",
        "ah no that's the old box. 20.11",
        "the team knows React better",
        "facilities bumped us to 2.07",
        "with a splash of oat since Sunday",
    ],
)
def test_a_value_may_take_the_place_of_one(said: str) -> None:
    assert may_take_back(said)
    assert not takes_back(said, "The standup is at nine.", replying=True)
    assert may_take_back(said.ljust(LONGEST, "."))
    assert not may_take_back(said.ljust(LONGEST + 1, "."))


@pytest.mark.parametrize(
    "said",
    [
        "thanks!!",
        "Did Kim say 52?",
        "and 150 for a reading lamp",
        "which is also when Jonas has his exam",
        "Let's do it",
        "I still get a 404",
        "Great. Perfect.",
    ],
)
def test_what_has_none_or_adds_one_may_not(said: str) -> None:
    assert not may_take_back(said)
