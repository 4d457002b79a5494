"""Which questions ask for a time itself, and which for something of that time."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.text.overview import MAX_WORDS, asks_about_asker, asks_for_a_time
from app.text.times import timed

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)

OVERVIEWS = """
What was there in January?
What did we have in January?
What do I have on Monday?
What was on in January?
What was important last month?
What came up last week?
What did we plan in January?
What did we deal with in January?
What did we write about yesterday?
What was last week about?
What did my day look like yesterday?
What did I do last week?
What did I do over the weekend?
How was my weekend?
How was 2025?
2025 in review
Give me a yearly summary for 2025
What happened in the year 2025?
What did I do in the week of 5 March?
What did I do yesterday evening?
What happened in May?
What happened between May 5 and May 10?
Summarise what we discussed yesterday
Summarize yesterday
Summarise March
recap May
Recap of March
recap of last month, please
Give me an overview of 2025
Yesterday, what did we talk about?
What did we talk about last night?
Can you give me a summary of our conversations from last week?
Could you please summarise all our chats from last month?
last week's summary
Give me last week's highlights
What have I been up to this month?
What have we been working on in the last two weeks?
What was I doing on 5 March 2023?
Tell me what happened on 2026-02-05
What was said on Friday?
What was decided last week?
What has been agreed on since Monday?
What got done yesterday?
Do you remember what we discussed two weeks ago?
Remind me what we did on 2 March.
How was my week last week?
How did last week go?
Did anything important happen yesterday?
Did I miss anything yesterday?
What did I miss last week?
Catch me up on last week
Bring me up to speed on last month
Everything we discussed in January
List everything that happened this week
What was going on in the summer of 2025?
What's been happening recently?
What\u2019ve we been doing this week?
What were the main topics in January?
Show me the events of January
Any news from yesterday?
What did you tell me yesterday?
What did we decide last week?
What went on over the past three days?
What have we covered since January?
What did I do in February and in January?
I'd like a brief summary of the whole of last month
I want to know what happened last week
hey, what did we do yesterday?
Walk me through last month
What did I ask yesterday?
What did I ask you for yesterday?
What was I asking about last week?
What did the user ask yesterday?
What did the assistant say yesterday?
What did you suggest yesterday?
What did you recommend to me last week?
What did you explain yesterday?
What was suggested last week?
What did you help me with yesterday?
What did I need help with last week?
What did we conclude last week?
What did we figure out yesterday?
What was my question yesterday?
Which questions did I ask yesterday?
Which topics did we discuss last week?
What decisions did we make last month?
Where did we leave off yesterday?
wat did we do yesterday
whats new since last week
what did u say yesterday
what happend yesterday
what did we talk abt yesterday
And last week?
Yesterday?
"""
SPECIFIC = """
Which restaurant did we go to in May?
Where did we go in May?
Who did I talk to last week?
When did I last see Anna in May?
What did Anna do last week?
What did my boss say yesterday?
What did Caroline and Melanie do on 5 May 2023?
What happened with the deploy in May?
What happened to Tom last week?
What happened at the party last Saturday?
What did I do at work last week?
What did I eat yesterday?
What did I buy last week?
What did we discuss about Redis yesterday?
What did we decide about the database last week?
What did we do wrong last week?
What did you do to fix the bug yesterday?
What movie did we talk about last week?
What time did we meet yesterday?
What day was it yesterday?
What was the name of the hotel in May 2023?
What plans did we make for this summer?
What should I do today?
What do I have to do this week?
What can you do today?
How much did I spend last month?
How many meetings did I have last week?
How was the concert last night?
Did Melanie go hiking last weekend?
Summarise the Lisbon trip of last summer
Summary of the ledger project in May
Recap of the meeting with Bob yesterday
Why did we switch to PostgreSQL last year?
Fix the bug from yesterday
I went to Lisbon last week
What did I have for dinner in January?
Which incidents did we have in January?
What did we buy in January?
What do we have for the party on Monday?
What was there to eat yesterday?
What was Ann's talk about yesterday?
What did the house look like last week?
Who was at home yesterday?
Which restaurant did you suggest last week?
What did you suggest for dinner yesterday?
What did you recommend against the cough last week?
What did Ann ask yesterday?
What did I ask the dentist yesterday?
Who helped me with the bike last week?
Where did we leave the car yesterday?
"""


def lines(several: str) -> list[str]:
    return several.strip().splitlines()


@pytest.mark.parametrize("question", lines(OVERVIEWS))
def test_these_ask_for_a_time(question: str) -> None:
    told = timed(question, NOW)
    assert told.intervals
    assert asks_for_a_time(told.rest)


@pytest.mark.parametrize("question", lines(SPECIFIC))
def test_these_ask_for_something_of_a_time(question: str) -> None:
    told = timed(question, NOW)
    assert told.intervals
    assert not asks_for_a_time(told.rest)


@pytest.mark.parametrize("question", lines(OVERVIEWS))
def test_a_topic_makes_it_a_question_about_that(question: str) -> None:
    told = timed(question, NOW)
    assert not asks_for_a_time(f"{told.rest} about redis")
    assert not asks_for_a_time(f"redis: {told.rest}")


@given(st.text())
@example("what \N{RIGHT SINGLE QUOTATION MARK}")
def test_blanks_and_punctuation_change_nothing(rest: str) -> None:
    assert asks_for_a_time(rest) == asks_for_a_time(f"  {rest} ?")


def test_who_says_much_asks_for_more() -> None:
    assert asks_for_a_time("and " * MAX_WORDS)
    assert not asks_for_a_time("and " * (MAX_WORDS + 1))
    assert not asks_for_a_time("what happened " + "and what happened " * 1_000)


ABOUT_ASKER = """
What do you know about me?
what do you remember about me
Who am I?
Tell me about myself
Do you remember me?
What have you learned about me so far?
Tell me everything you know about me
What's known about me?
Can you tell me what you know about me?
do you know who i am
describe me
What else do you know about me?
Summarise what you know about me, please
anything you remember about me?
hey, what do you actually know about me?
"""

NOT_ABOUT_ASKER = """
What do you know about Lisbon?
What do you know about me and Anna?
Who am I meeting tomorrow?
What do people say about me?
Tell me about my dog
What did Anna tell you about me?
Do you remember my dog?
Who is Caroline?
What do you think about me moving to Rome?
Who knows about me?
"""


@pytest.mark.parametrize("question", lines(ABOUT_ASKER))
def test_these_ask_for_all_that_is_known_of_who_asks(question: str) -> None:
    assert asks_about_asker(question)
    assert not asks_about_asker(f"{question} Lisbon")


@pytest.mark.parametrize("question", lines(NOT_ABOUT_ASKER))
def test_these_ask_for_something_else(question: str) -> None:
    assert not asks_about_asker(question)
