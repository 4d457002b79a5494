from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.finding import mentions_of
from app.distil.entities.relations import relations_of
from app.distil.facts.drawing import MOST, MOST_ALIKE, facts_of
from app.distil.facts.fact import Fact, Tense
from app.distil.gist.summary import excerpts_of
from app.distil.gist.tagging import tag
from app.distil.language.sentences import _held, sentences_of
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from tests.counting import PYTHON, calls

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)


def says(content: str, *, role: Role = Role.USER, name: str | None = "Alice") -> Utterance:
    return Utterance(role=role, content=content, said_at=NOW, name=name)


def only(content: str) -> Fact:
    (fact,) = facts_of(says(content))
    return fact


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I moved to Lisbon.", "Alice moved to Lisbon"),
        ("I've moved to Lisbon.", "Alice has moved to Lisbon"),
        ("I\u2019m based in Lisbon", "Alice is based in Lisbon"),
        ("I live in Lisbon with my dog.", "Alice lives in Lisbon with their dog"),
        ("I study physics at Delft.", "Alice studies physics at Delft"),
        ("I have a dog.", "Alice has a dog"),
        ("I don't eat fish!", "Alice doesn't eat fish"),
        ("My sister is called Mara.", "Alice's sister is called Mara"),
        ("My favourite colour is green.", "Alice's favourite colour is green"),
        ("My favourite movie is Alien.", "Alice's favourite movie is Alien"),
        ("I work as a film editor.", "Alice works as a film editor"),
        ("We decided on Umzug Krause, quote 17.", "Alice: We decided on Umzug Krause"),
        ("We decided on PostgreSQL.", "Alice: We decided on PostgreSQL"),
        ("Bob works at Acme.", "Bob works at Acme"),
        ("By the way, call me Al.", "Alice: call me Al"),
    ],
)
def test_a_fact_is_told_with_its_speaker(content: str, text: str) -> None:
    assert only(content).text == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("i live in lisbon with my dog", "Alice lives in Lisbon with their dog"),
        ("I live in lisbon.", "Alice lives in Lisbon"),
        ("my build server is called frost-wren", "Alice's build server is called frost-wren"),
        ("our project is called blue-heron", "Alice's project is called blue-heron"),
        ("i'm called jean-luc", "Alice is called Jean-luc"),
        ("our daughter is called may-lin", "Alice's daughter is called May-lin"),
        ("im from new york city", "Alice is from New York City"),
        ("ive moved from rome to san francisco", "Alice has moved from rome to San Francisco"),
        ("i work at siemens", "Alice works at Siemens"),
        ("my name is maria lopez", "Alice's name is Maria Lopez"),
        ("i dont eat fish", "Alice doesn't eat fish"),
        ("call me al", "Alice: call me Al"),
    ],
)
def test_names_need_no_capitals_where_nothing_has_one(content: str, text: str) -> None:
    assert only(content).text == text


@pytest.mark.parametrize(
    "content",
    [
        "i live in fear",
        "i work at night",
        "i moved to the kitchen",
        "i live in a small town",
        "call me later",
        "my name is not important",
        "i live in student housing",
        "do i live in rome?",
        "if i moved to lima i would miss you",
        "As Bob knows, I live in lisbon ghettos of NATO",
        "i live in \u00df",
    ],
)
def test_other_words_in_small_letters_are_no_names(content: str) -> None:
    assert not facts_of(says(content))


def test_of_a_pasted_list_the_last_are_facts() -> None:
    lines = [f"- We decided on X{number}." for number in range(MOST_ALIKE + 9)]
    found = facts_of(says("\n".join(["I live in Lisbon.", *lines])))
    told = [f"X{number}" for number in range(9, MOST_ALIKE + 9)]
    assert [each.value for each in found] == ["Lisbon", *told]


def test_of_a_message_that_tells_of_very_many_the_last_are_told() -> None:
    names = [f"Zor{one}{other}ek" for one in "abcdefghij" for other in "klmnoprstuvz"]
    found = facts_of(says(" ".join(f"{each} lives in Rome." for each in names)))
    assert [each.subject for each in found] == names[-MOST:]


def test_its_place_holds_the_words() -> None:
    content = "Hello!\n- By the way, I moved to Lisbon. It is `nice`."
    fact = only(content)
    assert content[fact.start : fact.stop] == "I moved to Lisbon."


@pytest.mark.parametrize(
    ("content", "since", "until"),
    [
        ("I moved to Lisbon last month.", datetime(2025, 2, 1, tzinfo=UTC), None),
        ("I moved to Lisbon this month.", NOW, None),
        ("I moved to Lisbon in 2025.", NOW, None),
        ("I live in Lisbon.", NOW, None),
        ("I've lived in Lisbon since 2019.", datetime(2019, 1, 1, tzinfo=UTC), None),
        ("I used to live in Lisbon.", None, NOW),
        ("I lived in Lisbon in 2019.", None, datetime(2020, 1, 1, tzinfo=UTC)),
        ("I'm moving to Lisbon in June.", None, None),
    ],
)
def test_it_holds_as_long_as_the_words_tell(
    content: str, since: datetime | None, until: datetime | None
) -> None:
    fact = only(content)
    assert (fact.valid_from, fact.valid_to) == (since, until)


def test_system_and_tool_messages_state_nothing() -> None:
    for role in (Role.SYSTEM, Role.TOOL):
        assert not facts_of(says("I moved to Lisbon.", role=role))


def test_an_assistant_that_is_a_person_states_facts() -> None:
    said = "I moved to Lisbon."
    assert facts_of(says(said, role=Role.ASSISTANT, name="Melanie"))
    assert not facts_of(says(said, role=Role.ASSISTANT, name="Assistant"))
    assert not facts_of(says(said, role=Role.ASSISTANT, name=None))


def test_what_an_assistant_sums_up_counts_less() -> None:
    said = "We decided on Redis."
    (own,) = facts_of(says(said))
    (summed_up,) = facts_of(says(said, role=Role.ASSISTANT, name=None))
    assert summed_up.confidence < own.confidence


def test_what_is_said_twice_is_one_fact() -> None:
    assert len(facts_of(says("I live in Lisbon. Yes, I live in Lisbon."))) == 1


def test_a_change_knows_what_it_came_from() -> None:
    fact = only("We switched from MySQL to PostgreSQL.")
    assert (fact.attribute, fact.value, fact.against) == ("database", "PostgreSQL", "MySQL")
    assert only("I prefer tabs over spaces.").against == "spaces"


@pytest.mark.parametrize(
    ("content", "attribute", "value"),
    [
        ("I've chosen SQLite.", "database", "SQLite"),
        ("We use Visual Studio Code.", "editor", "Visual Studio Code"),
        ("We picked Foo as our database.", "database", "Foo"),
        ("We picked Foo for the database.", "database", "Foo"),
        ("I live in Den Haag.", "lives_in", "Den Haag"),
        ("Well, so, yes, and I live in Oslo.", "lives_in", "Oslo"),
    ],
)
def test_values_are_read_whole(content: str, attribute: str, value: str) -> None:
    fact = only(content)
    assert (fact.attribute, fact.value) == (attribute, value)


@pytest.mark.parametrize(
    "content",
    [
        "I chose the window seat.",
        "I will love it there.",
        "I moved to Kubernetes.",
        "I have worked at Acme.",
        "I lived in and around many places.",
        "We use it.",
        "I like it.",
        "Well so yes and no but also I live in Oslo.",
        "Hi, I'm Python.",
        "I moved to Notion last week.",
        "I moved from Evernote to Notion.",
        "I live in Excel.",
        "I moved to Sales in May.",
        "I'm from Accounting.",
        "I moved to Team Blue.",
        "Standup moved to Room Four.",
    ],
)
def test_what_is_not_plain_states_nothing_of_the_kind(content: str) -> None:
    assert not [each for each in facts_of(says(content)) if each.attribute != "orchestrator"]


def test_who_greets_may_say_no_more_than_a_name() -> None:
    (name,) = facts_of(says("Hello! I'm Teodor.", name=None))
    assert (name.subject, name.attribute, name.value) == ("User", "name", "Teodor")
    assert name.text == "User is Teodor"


def test_mere_use_ends_no_other_use() -> None:
    assert not only("We use PostgreSQL.").single
    assert only("We decided on PostgreSQL.").single


WORDS = [
    *"I I'm I've we We my My sister moved to live in Lisbon work at Siemens as a nurse".split(),
    *"never use tabs don't eat fish decided on PostgreSQL call me Max and if the".split(),
    *"The deadline is 5 May prefer tea over coffee allergic from called name for tests".split(),
    *"not no longer , . ? ! \" ' ` > ``` 我们 决定 é \n \r".split(" "),
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join) | st.text(max_size=80)


@given(TEXTS)
def test_facts_lie_in_the_message_and_hold_what_they_must(content: str) -> None:
    said = says(content)
    facts = facts_of(said)
    assert facts == facts_of(said)
    for fact in facts:
        assert 0 <= fact.start < fact.stop <= len(content)
        assert fact.value.strip()
        assert fact.text.strip()
        assert "\x00" not in fact.value
        assert 0 < fact.confidence <= 1
        if fact.valid_from and fact.valid_to:
            assert fact.valid_from < fact.valid_to
        if fact.tense is Tense.NOW:
            assert fact.valid_from
            assert fact.valid_from <= NOW + timedelta(days=1)


def test_a_long_text_has_the_sentences_of_its_parts() -> None:
    part = "I moved to Lisbon. Fine!\n> Not mine.\n- We use `uv`."
    short = list(sentences_of(f"{part}\n"))
    long = list(sentences_of(f"{part}\n" * 3_000))
    assert len(long) == 3_000 * len(short)
    assert long[: len(short)] == short
    assert [each.text for each in long[-len(short) :]] == [each.text for each in short]


@pytest.mark.parametrize("before", ["", "So ", "Bob, ", "Fine. Then ", "Hi! "])
@pytest.mark.parametrize("said", ["I moved to Lisbon", "we use PostgreSQL", "I'm Teodor"])
def test_a_question_states_nothing(before: str, said: str) -> None:
    assert not facts_of(says(f"{before}{said}?"))


def everything(content: str) -> object:
    _held.cache_clear()  # or the second of two texts would profit from the first
    said = says(content)
    mentions = mentions_of(content)
    return (
        facts_of(said),
        tag(said),
        relations_of(content, mentions, "Alice"),
        excerpts_of([(0, said)]),
    )


@pytest.mark.parametrize(
    "part",
    [
        *("a", ". ", '"', " '", "`a b ", ", ", " and I ", "A-", "A_", "1.", "aB", "Ab ", "/a"),
        *(
            "我",
            "我。",
            "http://",
            "a@",
            "\u201c",
            "( ",
            "yes, ",
            "I am not not ",
            "- ",
            "\n",
            "~~~",
        ),
        "I live in Oslo.\n",
    ],
)
def test_hostile_text_costs_in_proportion_to_its_length(part: str) -> None:
    """A pattern that needs more than linear time would not come to an end with these."""
    everything(part * 100)  # patterns are compiled when they are first needed
    half, whole = (part * (size // len(part)) for size in (50_000, 100_000))
    least = calls(lambda: everything(half), of=PYTHON)
    assert calls(lambda: everything(whole), of=PYTHON) <= 2.2 * least + 100


@pytest.mark.parametrize(("thing", "last"), [("a, ", "and b."), ("Aa, ", "."), ("big, ", "and b.")])
def test_a_long_list_costs_in_proportion_to_its_length(thing: str, last: str) -> None:
    few, many = (f"I like {thing * (size // len(thing))}{last}\n" for size in (190, 380))
    facts_of(says(few))
    least = calls(lambda: facts_of(says(few * 20)), of=PYTHON)
    assert calls(lambda: facts_of(says(many * 20)), of=PYTHON) <= 2.6 * least
