"""What asks for nothing, and what only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.leaning import leans
from app.text.small_talk import is_small_talk

SAID = (
    """
hi|thanks, bye!|thank you so much!|ok|bye|thx|great!|sounds good|good morning! how are you?
how's it going?|lol|perfect|nice|cool, thanks|got it|no problem|good night|Hi there!|THANKS A LOT :D
How\u2019s it going?|ok, got it. thanks!|thank you very much for your help|that's great, thanks
that's all for now|I'm fine, and you?|hahaha|You're welcome|no thanks|yes, thanks|have a great day!
see you tomorrow|thanks man|hey again|Hello!!!|<3|xD|nice one|wow|hmm|bye bye|Thank you. Thank you!
nein danke|Danke schön!|vielen lieben dank|wie geht's dir?|Gute Nacht|tschüss|alles klar, danke
Guten Morgen! Wie geht es dir heute?|ja|merci beaucoup !|ça va ?|bonne nuit|d'accord, merci
de rien|oui|¡hola! ¿qué tal?|¿cómo estás?|muchas gracias|vale|buenas noches|hasta luego
noted|I've noted that|Saved.|done|tx|phew|I'll keep it in mind|totally understand!|enhorabuena!!!
sí|si\u0301|perfecto, gracias|\U0001f44d|Hi \U0001f44b\U0001f3fd|?!|   |thanks \t so much
""".strip("\n")
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("message", ["", *SAID])
def test_what_asks_for_nothing_is_small_talk(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    """
thanks! where is my coat?|Hi Bob|hello kitty|good hotel|ok google|what is good?|good morning routine
Nice is a city|thanks giving|see you at 8|1|bye-law|danke für den Kaffee|how are Ann and Ben?
what's up with Ann?|good night story|c'est quoi|好的|the perfect gift|superb|top 5
welcome drink|how is life insurance|thank you note for Ann|sorry for what?
hi, tea|cool box|no good hotel|done with tea|noted: 10 mg|I'll remember Ann|I noted it on Monday
""".strip()
    .replace("\n", "|")
    .split("|"),
)
def test_what_says_something_is_none(message: str) -> None:
    assert not is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    [
        *("yes please", "go on", "tell me more", "and?", "why?", "great, go on", "ok, why?"),
        *("ok and then?", "And the other one?", "really?", "ja bitte", "oui, s'il te plaît"),
        *("et toi ?", "und dir?", "warum?", "¿por qué?"),
    ],
)
def test_what_goes_on_from_what_was_said_is_none(message: str) -> None:
    assert not is_small_talk(message)


@pytest.mark.parametrize("message", ["yes", "No.", "sure!", "yeah", "nope", "ja", "nein", "sí"])
def test_an_answer_is_small_talk_unless_it_leans(message: str) -> None:
    assert is_small_talk(message) is not leans(message)


def test_who_says_much_says_something() -> None:
    assert is_small_talk("thanks " * 11)
    assert not is_small_talk("thanks " * 12)
    assert is_small_talk(" " * 1_000 + "thanks")
    assert not is_small_talk("thanks " * 100_000)


@given(st.lists(st.sampled_from([each for each in SAID if len(each) < 9]), max_size=8))
def test_several_are_small_talk_and_nothing_beside_them_is(said: list[str]) -> None:
    message = ". ".join(said)
    assert is_small_talk(message) or leans(message)
    assert is_small_talk(message.upper()) == is_small_talk(message)
    for other in (f"{message}. coat", f"coat {message}"):
        assert not is_small_talk(other)


@given(st.text(max_size=100))
def test_signs_around_change_nothing(message: str) -> None:
    assert is_small_talk(f"... {message} !") == is_small_talk(message) or len(message) > 70
