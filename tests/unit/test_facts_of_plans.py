"""Which plan of a service somebody has: as they say, as they are told, and as callers record it."""

from datetime import UTC, datetime, timedelta

import pytest

from app.distil.facts.asking import groups_asked
from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Bearing, Fact, bearing
from app.distil.facts.filing import group_of, subject_of
from app.distil.facts.told import speakers_of, told_fact
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)
USER, HOST = Role.USER, Role.ASSISTANT
LATER = NOW + timedelta(days=1)


def drawn(content: str, role: Role = USER, name: str | None = None) -> list[Fact]:
    return list(facts_of(Utterance(role=role, content=content, said_at=LATER, name=name)))


def plans(content: str, role: Role = USER) -> list[str]:
    return [each.value for each in drawn(content, role) if each.attribute == "plan"]


@pytest.mark.parametrize(
    ("role", "content", "plan"),
    [
        (USER, "we upgraded to Pro", "Pro"),
        (USER, "We've just upgraded to the Pro plan.", "Pro"),
        (USER, "We upgraded from Basic to Pro last month.", "Pro"),
        (USER, "I upgraded my plan to enterprise", "Enterprise"),
        (USER, "I'm now on the Enterprise plan", "Enterprise"),
        (USER, "We're on the Business Plus tier.", "Business Plus"),
        (USER, "We switched to the Business plan.", "Business"),
        (USER, "we downgraded to Basic, it was too expensive", "Basic"),
        (USER, "We were upgraded to Pro yesterday", "Pro"),
        (USER, "We upgraded to the Falcon plan", "Falcon"),
        (USER, "I just subscribed to the Premium plan.", "Premium"),
        (USER, "My plan is Gold.", "Gold"),
        (USER, "Our subscription was upgraded to Pro.", "Pro"),
        (USER, "Since we upgraded to Pro, exports are faster.", "Pro"),
        (HOST, "You have been upgraded to Pro.", "Pro"),
        (HOST, "You've been upgraded to the Pro plan, effective immediately.", "Pro"),
        (HOST, "Great, you are now on the Pro plan.", "Pro"),
        (HOST, "Your plan has been upgraded to Enterprise.", "Enterprise"),
        (HOST, "Your subscription is now Pro.", "Pro"),
        (HOST, "Your account is now on the Enterprise plan.", "Enterprise"),
        (HOST, "I've upgraded you to Pro.", "Pro"),
        (HOST, "Done! I have upgraded your account from Basic to Pro.", "Pro"),
    ],
)
def test_a_plan_that_is_told_ends_the_one_that_was_recorded(
    role: Role, content: str, plan: str
) -> None:
    before = told_fact("The customer's plan is Silver.", {}, NOW, speakers_of("cust-1"))
    (fact,) = drawn(content, role)
    assert before is not None
    assert fact.value == plan
    assert subject_of(fact) == subject_of(before)
    assert bearing(fact, before) is Bearing.SUPERSEDES


def test_what_is_recorded_later_ends_a_plan_that_was_told() -> None:
    (before,) = drawn("we upgraded to Pro")
    after = told_fact("The customer's plan is Gold.", {}, LATER, speakers_of("cust-1"))
    assert after is not None
    assert bearing(after, before) is Bearing.SUPERSEDES


def test_a_plan_is_told_as_another_would() -> None:
    assert [each.text for each in drawn("I'm on the Pro plan.")] == ["User is on the Pro plan"]
    told = [each.text for each in drawn("You've been upgraded to Pro.", HOST)]
    assert told == ["User has been upgraded to Pro"]


def test_an_agent_with_a_name_has_a_plan_and_tells_one() -> None:
    (own,) = drawn("I'm on the Pro plan.", HOST, "Melanie")
    (theirs,) = drawn("You have been upgraded to Pro.", HOST, "Melanie")
    assert (own.subject, theirs.subject) == ("Melanie", "User")


@pytest.mark.parametrize(
    "content",
    [
        "Please upgrade us to Pro",
        "Can you upgrade us to Pro?",
        "we want to upgrade to Pro",
        "Have we upgraded to Pro?",
        "If we upgraded to Pro, what would it cost?",
        "we might upgrade to Pro",
        "Maybe we upgraded to Pro.",
        "We haven't upgraded to Pro",
        "We never upgraded to Pro",
        "Our neighbours upgraded to Pro",
        "My boss says we upgraded to Pro.",
        "You have been upgraded to Pro.",
        "Once the invoice is paid, we're on the Pro plan.",
        "Next month we're on the Pro plan.",
        "We're on the Pro plan from June.",
        "We're not on the Pro plan",
        "I wish we were on the Pro plan",
        "I'm on a free trial of the Pro plan.",
        "We upgraded to Pro for a month.",
        "I'm on the keto plan",
        "My plan is simple",
        "My plan is to upgrade to Pro.",
        "I upgraded to iPhone 15 Pro",
        "I upgraded to business class",
        "I upgraded to Premium Economy",
        "We upgraded to Postgres 17",
        "I'm on business in Rome",
    ],
)
def test_what_a_user_has_not_is_no_plan_of_theirs(content: str) -> None:
    assert plans(content) == []


@pytest.mark.parametrize(
    "content",
    [
        "We upgraded to Pro.",
        "I'm on the Pro plan.",
        "You will be upgraded to Pro.",
        "You can upgrade to Pro.",
        "You would be on the Pro plan.",
        "You are not on the Pro plan.",
        "If you have been upgraded to Pro, restart.",
        "Once you have paid, you are on the Pro plan.",
        "When you've upgraded to Pro, the limits go away.",
        "For example, you are on the Pro plan.",
        "Have you been upgraded to Pro?",
    ],
)
def test_what_an_assistant_supposes_is_no_plan_of_the_user(content: str) -> None:
    assert plans(content, HOST) == []


@pytest.mark.parametrize(
    "query", ["What plan am I on?", "Which plan do we have?", "What is our subscription plan?"]
)
def test_a_question_for_the_plan_asks_for_that_fact(query: str) -> None:
    assert group_of("User", "plan") in groups_asked(query, {"user"})


@pytest.mark.parametrize("query", ["What are my plans?", "What's the plan?", "Which plan is best?"])
def test_a_question_for_what_is_to_come_does_not(query: str) -> None:
    assert group_of("User", "plan") not in groups_asked(query, {"user"})
