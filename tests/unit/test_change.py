"""What tells that something is otherwise than it was, and what only tells."""

import pytest

from app.ranking.bm25 import numbers_in_order, term_numbers
from app.text.change import LONGEST, OF_STOP_WORDS, TERMS, changes_it, tells_change
from app.text.terms import terms_of

CHANGES = """
we scrapped the newsletter
The standup is at 9:45 from Monday onwards
we are taking the train after all
I've switched to oat milk
the wedding got moved to September
Actually, let's go with the blue one
ugh, turns out the flight is at 6:10
she's with Deloitte now
my new address is Elm Street 4
our new dentist is Dr. Hall
scrap that, make it Friday
we went with Postgres after all
forget what I said about Tuesday, it's Wednesday
the budget went up to 12k
I don't eat meat anymore
They bumped my salary to 58k
the deadline was pushed to Friday
Sorry, correction: the code is 4411
sessions are back in Postgres
Bo is in a different school these days
On second thought, book the earlier train
Lea took over the project from Max
Rolled back to 1.4 because of the memory leak
He used to be vegan
the doctor lowered it to 5 mg
Update: the gate is B22
our daughter switched to the Montessori school
cancel that, we want the red one
I\u2019ve sold the red car
No, back to 3 December.
Finance cut it to 15k.
Since the new timetable I take the 7:25.
Tom can't, so Grandma picks up the kids.
No more deploys on Fridays, we do Tuesdays.
I have come around to spaces
Starting next week the office opens at eight
as of July we pay 950
We\u2019re flying out of Hamburg instead
""".strip().splitlines()

STATEMENTS = """
I like my coffee black.
The meeting is on Tuesday at 3.
I'm planning a trip to Rome in May, for now with my sister.
What should I cook tonight?
My car is a red Mazda.
Don't forget that the milk is empty.
We used to the full what they gave us.
I used the Hemingway editor, and now I'm wondering whether that is enough.
That makes sense now!
The new movie was great.
Can you move the paragraph up?
""".strip().splitlines()


@pytest.mark.parametrize("said", CHANGES)
def test_that_something_changed_is_told_in_many_ways(said: str) -> None:
    assert tells_change(said)
    found = set(term_numbers(terms_of(said))) & set(numbers_in_order(TERMS))
    assert found or OF_STOP_WORDS.search(said), "it is not even read"


@pytest.mark.parametrize("said", STATEMENTS)
def test_what_is_only_told_tells_no_change(said: str) -> None:
    assert not tells_change(said)


def test_what_is_long_tells_of_much_else() -> None:
    said = CHANGES[0] + "."
    assert tells_change(said.ljust(LONGEST, "."))
    assert not tells_change(said.ljust(LONGEST + 1, "."))


def test_what_changed_may_only_be_pointed_at() -> None:
    assert changes_it("Finance cut it to 15k.")
    assert changes_it("They have postponed that until May")
    assert not changes_it("Finance cut the budget to 15k.")
