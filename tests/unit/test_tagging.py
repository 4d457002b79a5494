from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.gist.tagging import IMPORTANCE, Kind, Tag, tag
from app.distil.language.utterance import Utterance
from app.domain.conversation import PINNED, Role


def tagged(content: str) -> Tag:
    said_at = datetime(2025, 3, 12, tzinfo=UTC)
    return tag(Utterance(role=Role.USER, content=content, said_at=said_at))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("We decided on PostgreSQL.", Kind.DECISION),
        ("Let's go with option B", Kind.DECISION),
        ("I'll send the report by Friday.", Kind.COMMITMENT),
        ("The deadline moves.", Kind.COMMITMENT),
        ("No, it's not Tuesday, it's Monday.", Kind.CORRECTION),
        ("Actually that was wrong.", Kind.CORRECTION),
        ("I prefer tea.", Kind.PREFERENCE),
        ("No marzipan, she can't stand it.", Kind.PREFERENCE),
        ("Plot 38 costs 640 euros.", Kind.NUMBER),
        ("It is `PSP_DECLINED_4032`.", Kind.NUMBER),
        ("```\nx = 1\n```", Kind.CODE),
        ("My aunt met Petra there.", Kind.NAME),
        ("It rained all day.", Kind.STATEMENT),
        ("Did we decide on PostgreSQL?", Kind.QUESTION),
        ("Thanks a lot!", Kind.SMALL_TALK),
        ("Postgres it is.", Kind.DECISION),
        ("OK, option B it is then!", Kind.DECISION),
        ("We compared both, Redis it is.", Kind.DECISION),
        ("We dropped Redis.", Kind.DECISION),
        ("We merged the branch.", Kind.DECISION),
        ("We no longer use Kafka.", Kind.DECISION),
        ("Fine, function it is: next(reminder).", Kind.DECISION),
        ("It is what it is.", Kind.STATEMENT),
        ("I wonder how expensive it is.", Kind.STATEMENT),
        ("At ten in Porto it is still nine here.", Kind.NAME),
        ("Yes it is.", Kind.STATEMENT),
        ("Maybe it is.", Kind.STATEMENT),
        ("I dropped my phone", Kind.STATEMENT),
        ("I merged into traffic.", Kind.STATEMENT),
        ("We haven't decided anything yet.", Kind.STATEMENT),
        ("We have not agreed on a date.", Kind.STATEMENT),
        ("I no longer care lol", Kind.STATEMENT),
        ("I'm going to bed.", Kind.STATEMENT),
        ("I'm going to write the report.", Kind.COMMITMENT),
        ("There is no deadline.", Kind.STATEMENT),
        ("No wait the budget is 9000 euros.", Kind.CORRECTION),
        ("Hey Melanie!", Kind.SMALL_TALK),
        ("Sounds great, Mel!", Kind.SMALL_TALK),
        ("Wow Caroline, that's awesome!", Kind.SMALL_TALK),
        ("Keep up the good work, you're amazing!", Kind.SMALL_TALK),
        ("hahaha great", Kind.SMALL_TALK),
        ("Hahahah :D", Kind.SMALL_TALK),
        ("LMAO", Kind.SMALL_TALK),
        ("thx!", Kind.SMALL_TALK),
        ("ty so much, np", Kind.SMALL_TALK),
        ("k brb", Kind.SMALL_TALK),
        ("gn8 everyone, see you tomorrow", Kind.SMALL_TALK),
        ("Thank you so much for your help!", Kind.SMALL_TALK),
        ("never mind", Kind.SMALL_TALK),
        ("Exciting!", Kind.SMALL_TALK),
        ("Great progress, how exciting!", Kind.SMALL_TALK),
        ("Understood, excellent choice.", Kind.SMALL_TALK),
        ("The choice was exciting.", Kind.STATEMENT),
        ("I'll be right back", Kind.SMALL_TALK),
        ("I'll be back with the keys", Kind.COMMITMENT),
        ("thx, we decided on Redis", Kind.DECISION),
        ("lets go with redis", Kind.DECISION),
        ("I see, Melanie.", Kind.STATEMENT),
        ("Yes, Redis.", Kind.NAME),
        ("I had lunch with Melanie, Caroline.", Kind.NAME),
        ("👍", Kind.SMALL_TALK),
        ("", Kind.SMALL_TALK),
        ("1:58:31!!!", Kind.NUMBER),
        ("我们决定使用它。", Kind.DECISION),
    ],
)
def test_a_message_is_of_a_kind(content: str, kind: Kind) -> None:
    assert tagged(content).kind is kind


def test_what_matters_most_decides() -> None:
    assert tagged("Hi! Did it rain? We decided on Redis. Thanks!").kind is Kind.DECISION


def test_an_identifier_raises_importance() -> None:
    assert tagged("It broke in `a_b`.").importance > tagged("It broke in 5 km.").importance


def test_decisions_outweigh_statements_and_small_talk_is_least() -> None:
    order = [Kind.DECISION, Kind.COMMITMENT, Kind.NUMBER, Kind.STATEMENT, Kind.QUESTION]
    weights = [IMPORTANCE[each] for each in [*order, Kind.SMALL_TALK]]
    assert weights == sorted(weights, reverse=True)
    assert IMPORTANCE.keys() == set(Kind)


def test_topics_are_the_words_that_are_said_most() -> None:
    content = "The cache is slow. A cache on Redis would help the invoices. `read_cache` is old."
    assert tagged(content).topics[0] == "cache"
    assert not {"the", "is", "would", "read_cache"} & set(tagged(content).topics)


@given(st.text(max_size=200))
def test_only_a_caller_pins(content: str) -> None:
    found = tagged(content)
    assert 1 <= found.importance < PINNED
    assert len(found.topics) == len(set(found.topics)) <= 5
