"""What a question is about: nothing of it is lost, and what it is framed in is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.topic import MAX_CHARACTERS, topic_of, words_sought


@pytest.mark.parametrize(
    ("query", "topic"),
    [
        (
            "Can you give me a quick summary of how the move to Porto went?",
            "the move to Porto went?",
        ),
        ("Please provide a clear, detailed overview of the auth module.", "the auth module."),
        ("Summarise what Ana told us about the boat", "Ana told us about the boat"),
        ("List how I brought up parts of my boat, over all our chats.", "my boat."),
        ("Show us how we raised parts of the plan, in order? List only 5 points.", "the plan?"),
        ("Walk me through how we discussed the budget", "the budget"),
        ("Can you remind me what the door code is?", "what the door code is?"),
        ("Do you remember where I parked?", "where I parked?"),
        ("I'm trying to recall what Bo said", "what Bo said"),
        ("Based on our previous chats, which book is next?", "which book is next?"),
        ("Which shoe sizes did I name across all my sessions?", "Which shoe sizes did I name?"),
        (
            "How has my Spanish improved over time? Answer in one sentence.",
            "How has my Spanish improved?",
        ),
        ("When is the exam? Be brief. Name only one day!", "When is the exam?"),
    ],
)
def test_what_is_to_be_done_is_left_out(query: str, topic: str) -> None:
    assert topic_of(query) == topic


@pytest.mark.parametrize(
    ("query", "sought"),
    [
        ("What did Paul say about walnut?", "What did Paul about walnut?"),
        ("What has the carpenter told us about it?", "What has the carpenter about it?"),
        ("Remind me what Bo did say in May", "what Bo did say in May"),
        ("What did he say?", "What did he say?"),
        (text := "What did Bo say? " * MAX_CHARACTERS, text),
        ("Who said that the tiler comes?", "Who said that the tiler comes?"),
        ("How did the say-so rule come about?", "How did the say-so rule come about?"),
    ],
)
def test_that_somebody_said_it_is_not_looked_for(query: str, sought: str) -> None:
    assert words_sought(query) == sought


@pytest.mark.parametrize(
    "query",
    [
        "",
        "Summarize",
        "Can you give me a summary?",
        "A summary of our conversations",
        "What is the order of the planets?",
        "Can you remind me to call Bob?",
        "In our last chat about Lisbon, what did you advise?",
        "What do we sell? List only the sodas.",
        "Where is the quarterly summary of sales?",
        "Walk me through the deployment",
        "Tell me how we discussed it, in order.",
        "Do I walk over time zones?",
        "sort(list , in_order=True) ,",
        "Kannst du mir sagen, was ich bestellt habe?",
        "Please remind me what it is. " + "x" * MAX_CHARACTERS,
    ],
)
def test_everything_else_stays_as_it_is(query: str) -> None:
    assert topic_of(query) == query


@given(st.text(max_size=300))
def test_of_a_question_there_is_always_something_left(query: str) -> None:
    topic = topic_of(query)
    assert topic == query or (0 < len(topic) < len(query))
