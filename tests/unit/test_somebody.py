"""Questions about somebody who was named before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.somebody import before_somebody, named_instead, points_at_somebody, says_she

POINTING = {
    "What recipes has he made?": "What recipes has Ann made?",
    "she likes what?": "Ann likes what?",
    "She's coming when?": "Ann's coming when?",
    "His dog is how old?": "Ann's dog is how old?",
    "Her back hurts, or what was it?": "Ann's back hurts, or what was it?",
    "And she?": "And Ann?",
    "so, his brother?": "so, Ann's brother?",
    "What inspired her painting?": "What inspired Ann's painting?",
    "What inspired her painting for the show?": "What inspired Ann's painting for the show?",
    "What made him leave?": "What made Ann leave?",
    "What is his attitude to dancing?": "What is Ann's attitude to dancing?",
    "How old is her dog?": "How old is Ann's dog?",
    "When are her exams": "When are Ann's exams",
    "What was her first job?": "What was Ann's first job?",
    "What's her last name?": "What's Ann's last name?",
    "Isn't his flight on Monday?": "Isn't Ann's flight on Monday?",
    "Who is her dentist?": "Who is Ann's dentist?",
    "Is it hers?": "Is it Ann's?",
    "What did I tell her about Rome?": "What did I tell Ann about Rome?",
    "Did you call her?": "Did you call Ann?",
    "When did I meet her?": "When did I meet Ann?",
    "Did I ever meet her before May?": "Did I ever meet Ann before May?",
    "Did I see him on Friday?": "Did I see Ann on Friday?",
    "What did we talk about with her yesterday?": "What did we talk about with Ann yesterday?",
    "What do you think of his plan?": "What do you think of Ann's plan?",
    "Have I already read her novel?": "Have I already read Ann's novel?",
    "Where did I put her umbrella?": "Where did I put Ann's umbrella?",
    "What present should we buy for her?": "What present should we buy for Ann?",
    "When did she and Ben go to Rome?": "When did Ann and Ben go to Rome?",
    "Where did she leave her keys?": "Where did Ann leave her keys?",
    "What places has she submitted her work to?": "What places has Ann submitted her work to?",
    "How long has he had his first two turtles?": "How long has Ann had his first two turtles?",
    "How many dogs has she adopted?": "How many dogs has Ann adopted?",
    "is she coming on friday?": "is Ann coming on friday?",
    "Which countries has he visited?": "Which countries has Ann visited?",
    "In which city does he live?": "In which city does Ann live?",
    "Why didn\u2019t she call?": "Why didn\u2019t Ann call?",
    "And where's he from?": "And where's Ann from?",
    "ok then, what will she do?": "ok then, what will Ann do?",
    "How was it?  Did she like\nit?": "How was it?  Did Ann like\nit?",
    "What  did\tshe say?": "What  did\tAnn say?",
}


@pytest.mark.parametrize(("question", "named"), POINTING.items())
def test_somebody_is_named_instead(question: str, named: str) -> None:
    assert points_at_somebody(question)
    assert named_instead(question, "Ann") == named


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is there?",
        "The shepherd's hut",
        "Where is it?",
        f"{'word ' * 200}she",
        f"Where did she go? {'word ' * 100}",
    ],
)
def test_who_is_not_spoken_of_is_looked_for_nowhere(question: str) -> None:
    assert not points_at_somebody(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where did Ann leave her keys?",
        "Where did the nurse leave her keys?",
        "What did my sister say when she left?",
        "Does anybody remember his name?",
        "Was that book hers?",
        "Ann told me she moved, where to?",
        "Ann? Where did she go?",
        "I met Will. Where did he go?",
        "Was Ann there? Did she like it?",
        "I met a nurse. Where did she go?",
        "Who called? What did she want?",
        "Who lost her keys last week?",
        "Which colleague said he would quit?",
        "Which colleague did she call?",
        "Who said he would bring the cake?",
        "When does mom have her dentist appointment?",
        "What did mum say she wanted?",
        "When did dad retire from his job?",
        "Do people like his songs?",
        "What did maria buy for her garden?",
        "What did I tell maria about her garden?",
        "Who did I ask about her dog?",
        "Which nurse did I ask about her shift?",
        "when maria left was she angry?",
        "what did peter cook, was he good?",
        "What did the conductor bring when he signed?",
        "Which Italian dishes did he make?",
    ],
)
def test_who_may_be_told_in_the_question_is_looked_for_nowhere_else(question: str) -> None:
    assert not points_at_somebody(question)


@pytest.mark.parametrize(
    "question",
    [
        "I think she moved, where to?",
        "I see. She moved, where to?",
        "Do you know where she lives?",
        "What I want is her opinion",
        "What happened to her?",
    ],
)
def test_where_it_is_not_sure_nobody_is_looked_for(question: str) -> None:
    assert not points_at_somebody(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote His Dark Materials?",
        "His Dark Materials: who wrote it?",
        "Did I watch 'Her' with Ben?",
        "Did I watch Her?",
        "did I watch 'her'?",
        'did I write "she"?',
        "Which HIS vendor did we pick?",
        "HIS vendor?",
        "What did (s)he say?",
        "What did s/he say?",
        "What did he/she say?",
        "Does he or she know?",
        "What is his and hers?",
        "Did I see him and her?",
        "he-man figures?",
        "Did you open her.txt?",
        "He comido paella, \u00bfd\u00f3nde?",
    ],
)
def test_what_is_spelled_like_a_pronoun_may_be_none(question: str) -> None:
    assert not points_at_somebody(question)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Did I teach her French?", "Did I teach Ann French?"),
        ("What did we give her last year?", "What did we give Ann last year?"),
        ("Did I thank her mother?", "Did I thank Ann's mother?"),
        ("Did we leave her out?", "Did we leave Ann out?"),
        ("Did I call her back?", "Did I call Ann back?"),
        ("Do I like her most?", "Do I like Ann most?"),
        ("Do I know her most famous song?", "Do I know Ann's most famous song?"),
        ("Did I pick her first on Monday?", "Did I pick Ann first on Monday?"),
        ("Did I read her first novel?", "Did I read Ann's first novel?"),
        ("Did I like her too?", "Did I like Ann too?"),
        ("Did I promise her everything?", "Did I promise Ann everything?"),
        ("Did we know her there?", "Did we know Ann there?"),
        ("Did I like hers?", "Did I like Ann's?"),
    ],
)
def test_her_is_a_person_or_something_of_hers(question: str, named: str) -> None:
    assert points_at_somebody(question)
    assert named_instead(question, "Ann") == named


@pytest.mark.parametrize(
    ("question", "she"),
    [
        ("Where does she live?", True),
        ("HER dog?", True),
        ("Is it hers?", True),
        ("Where does he live, and she?", False),
        ("Did I call him?", False),
        ("What is his name?", False),
        ("Where do they live?", False),
    ],
)
def test_it_is_a_woman_or_not(question: str, *, she: bool) -> None:
    assert says_she(question) is she


@pytest.mark.parametrize(
    "question",
    [
        f"what {'a ' * 240}did she",
        f"{'and ' * 120}she",
        f"did i {'ever ' * 90}call her",
        f"{'. ' * 240}he or",
        f"what{' e' * 200}ed her",
        f"she{' ' * 490}or he",
        f"{'in ' * 150}which is she",
    ],
)
def test_what_only_begins_as_it_does_is_none(question: str) -> None:
    assert not points_at_somebody(question)


@given(st.text(max_size=100))
def test_what_points_at_nobody_stays_as_it_is(question: str) -> None:
    assert question.startswith(before_somebody(question))
    if before_somebody(question) == question:
        assert not points_at_somebody(question)
        assert named_instead(question, "Ann") == question


WORDS = (
    "Ann maria the my mom who which what how many did does is are I you said tell about she he"
    " her his him hers She HIS , . ? and when ' (s)he"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_nobody_is_named_before_whoever_is_pointed_at(question: str) -> None:
    if points_at_somebody(question):
        before = before_somebody(question)
        assert not {"Ann", "the", "my", "mom"} & set(before.split())
        assert named_instead(question, "Eve").startswith(f"{before}Eve")


@given(st.sampled_from(sorted(POINTING)), st.sampled_from(["Ann", "\u00c9lo\u00efse", "the nurse"]))
def test_with_somebody_named_before_it_is_sure_no_more(question: str, name: str) -> None:
    for before in (f"{name} came. {question}", f"{name}, {question}", f"I met {name}.\n{question}"):
        assert not points_at_somebody(before)


@given(st.sampled_from(sorted(POINTING)), st.text(alphabet="abc XYZ,?", max_size=100))
def test_what_stands_behind_changes_nothing(question: str, more: str) -> None:
    assert points_at_somebody(f"{question} {more}")
