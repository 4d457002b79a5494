import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.entity import Gazetteer, alias_of, normal_form
from app.distil.entities.finding import mentions_of
from app.distil.entities.relations import NAMED_TOGETHER, relations_of
from app.domain.entities import EntityType

PERSON, ORGANISATION, PLACE = EntityType.PERSON, EntityType.ORGANISATION, EntityType.PLACE
PRODUCT, IDENTIFIER, UNKNOWN = EntityType.PRODUCT, EntityType.IDENTIFIER, EntityType.UNKNOWN
KNOWN = Gazetteer(
    types={"atlas": PRODUCT, "bob smith": PERSON, "alice": PERSON}, aliases={"bob": "bob smith"}
)


def named(content: str, known: Gazetteer = KNOWN) -> list[tuple[str, EntityType]]:
    return [(each.normal, each.type) for each in mentions_of(content, known)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "Alice works on Atlas with Bob.",
            [("alice", PERSON), ("atlas", PRODUCT), ("bob smith", PERSON)],
        ),
        ("the ATLAS project", [("atlas", PRODUCT)]),
        ("I work at Siemens AG.", [("siemens", ORGANISATION)]),
        ("My sister Mara moved to São Paulo.", [("mara", PERSON), ("sao paulo", PLACE)]),
        ("We run Postgres 16.", [("postgresql", PRODUCT)]),
        ("let's go, use Go", [("go", PRODUCT)]),
        ("See https://www.Example.org/a/.", [("example.org/a", EntityType.URL)]),
        ("Look into app/main.py now", [("app/main.py", EntityType.FILE)]),
        ("Ticket BILL-2217 is open", [("bill-2217", IDENTIFIER)]),
        (
            "It calls refunds_fr_enabled and refundsFrEnabled",
            [("refundsfrenabled", IDENTIFIER)] * 2,
        ),
        ("she owns billing-api", [("billing-api", IDENTIFIER)]),
        (
            "orders-db and auth-service are up",
            [("orders-db", IDENTIFIER), ("auth-service", IDENTIFIER)],
        ),
        ("a self-service kiosk, a denial-of-service attack, a front-runner", []),
        ("It has 300 GB, starts at 06:00 CET and our SLA covers HTML in ENUM columns", []),
        ("We like the BBC and its URL", [("bbc", ORGANISATION)]),
        ("On Monday in May it rained. Tomorrow too. Maybe.", []),
        ("Thanks! What a day.", []),
        ("大家好,图书馆座位预约", []),
        ("", []),
    ],
)
def test_entities_are_found(content: str, expected: list[tuple[str, EntityType]]) -> None:
    assert named(content) == expected


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["Bob", "atlas", "a_b", "x.py", ".", "https://a.b/c", " "])).map(
        " ".join
    )
)
def test_mentions_lie_where_they_say_and_apart(content: str) -> None:
    end = 0
    for each in mentions_of(content, KNOWN):
        assert each.start >= end
        assert content[each.start : each.stop] == each.name
        assert each.normal
        end = each.stop


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Dr. Bob Smith", "bob smith"),
        ("Bob's", "bob"),
        ("The Acme Inc.", "acme"),
        ("PostgreSQL 16.2", "postgresql"),
        ("Ångström", "angstrom"),
    ],
)
def test_spellings_share_a_normal_form(name: str, normal: str) -> None:
    assert normal_form(name) == normal


def test_a_short_name_is_the_one_person_called_so() -> None:
    known = [("bob smith", PERSON), ("alice jones", PERSON)]
    assert alias_of("bob", PERSON, known) == "bob smith"
    assert alias_of("smith", UNKNOWN, known) == "bob smith"
    assert alias_of("bob smith", PERSON, [("bob", PERSON)]) == "bob"
    assert alias_of("bob", PERSON, [*known, ("bob stone", PERSON)]) is None
    assert alias_of("bob", PERSON, [("bob", PERSON), *known]) == "bob"
    assert alias_of("bob", PRODUCT, known) is None
    assert alias_of("carol", PERSON, known) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Alice works on Atlas.", [("alice", "works on", "atlas")]),
        ("I work on Atlas.", [("alice", "works on", "atlas")]),
        ("I'm working on Atlas.", [("alice", "works on", "atlas")]),
        (
            "Bob reports to Alice, who lives in Leeds.",
            [("bob smith", "reports to", "alice"), ("alice", "lives in", "leeds")],
        ),
        ("Atlas depends on Redis.", [("atlas", "depends on", "redis")]),
        ("Anna is married to Tim.", [("anna", "married to", "tim")]),
        ("Anna is married to Tim's brother.", []),
        ("Anna reports to Tim's boss.", []),
        ("Anna reports to James' boss.", []),
        ("I'm married to Tim's brother.", []),
        ("Anna works for Tim's company.", []),
        ("Anna works at Macy's in Boston.", [("anna", "works at", "macy")]),
        ("Does Alice work on Atlas?", []),
        ("If Alice works on Atlas, fine.", []),
        ("Bob doesn't work on Atlas.", []),
        ("Bob no longer works on Atlas.", []),
        ("Bob said Alice works on Atlas.", []),
        ("Alice and Atlas.", []),
    ],
)
def test_relations_are_what_is_stated(content: str, expected: list[tuple[str, str, str]]) -> None:
    found = relations_of(content, mentions_of(content, KNOWN), "Alice")
    stated = [each for each in found if each.type != NAMED_TOGETHER]
    assert [(each.source, each.type, each.target) for each in stated] == expected


def test_entities_of_one_sentence_are_named_together() -> None:
    content = "Bob met us. Alice likes Atlas and Redis."
    found = relations_of(content, mentions_of(content, KNOWN))
    together = {(each.source, each.target) for each in found if each.type == NAMED_TOGETHER}
    assert together == {("alice", "atlas"), ("alice", "redis"), ("atlas", "redis")}
    assert all(0 < each.weight <= 1 for each in found)


def test_too_many_names_in_a_sentence_mean_nothing() -> None:
    content = "We met " + ", ".join(f"Person{chr(97 + n)} Xu" for n in range(20)) + "."
    assert not relations_of(content, mentions_of(content))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Last August I told Anna about it.", [("anna", PERSON)]),
        ("We meet next Friday or on Mondays at 9 AM, in Winter.", []),
        ("It rained on Halloween. Regularly. Therefore Bob Stone left.", [("bob stone", UNKNOWN)]),
        ("Then Mum and our Team Lead asked the Product Manager.", []),
        ("We talked to the Germans in Phase 2.", []),
        ("She works with AI-generated text.", []),
        ("THIS IS GREAT, I SAY.", []),
        ("- **Review**: Ensure that all is done.\n- **Next Steps**: Update it.", []),
        ("Subject: Meeting to Review Guardianship Provisions", []),
        ("1. **Ask Anna Directly**\n2. **Author**: Diana Gabaldon", "anna diana"),
        ("Dear [Last Name], thank you. Sign [Your Name Here].", []),
        ('I loved "The Name of the Wind" so much.', [("name of the wind", UNKNOWN)]),
        ('Click on the "Settings" tab.', []),
        ('We read the novel "Dune" twice.', [("dune", UNKNOWN)]),
        ("The Process is long, and the process is dull.", []),
        ("We made dinner with Anna And Tim And Wyatt.", "anna tim wyatt"),
        ("I paired Slack with Notion.", [("slack", UNKNOWN), ("notion", UNKNOWN)]),
        ("My favourite Marvel film. My boss Wyatt called.", "marvel wyatt"),
        ("`True` is what `Foo` returns.", []),
    ],
)
def test_capitals_that_are_of_no_name_are_none(
    content: str, expected: list[tuple[str, EntityType]] | str
) -> None:
    found = named(content, Gazetteer())
    if isinstance(expected, str):
        assert [name.split()[0] for name, _ in found] == expected.split()
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("I walked home with Anna.", PERSON),
        ("Anna is here.", PERSON),
        ("The novel has a hero called Kvothe.", UNKNOWN),
        ("A woman called Kvothe rang.", PERSON),
        ("We agreed with HR.", UNKNOWN),
        ("They moved to QA.", UNKNOWN),
        ("She works for Bob's company.", PERSON),
        ("She works for Bob.", ORGANISATION),
        ("They moved to Charlotte.", PLACE),
        ("Use it with Zorbix.", UNKNOWN),
        ("Use it with Zapier.", PRODUCT),
        ("Microsoft said no.", ORGANISATION),
        ("We flew over Tokyo.", PLACE),
    ],
)
def test_what_is_named_is_told_by_words_that_tell_it(content: str, kind: EntityType) -> None:
    assert [each for _, each in named(content, Gazetteer())] == [kind]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("**Microsoft**: founded in 1975.", [("microsoft", ORGANISATION)]),
        ("- Tokyo: 3 days\n- Kyoto: 2 days", [("tokyo", PLACE), ("kyoto", PLACE)]),
        ("- **Log in to Google Drive**: open it.", [("google drive", PRODUCT)]),
        ("1. **Explore New York City**", [("new york city", PLACE)]),
        ("Netflix has it.", [("netflix", ORGANISATION)]),
        ("**Progress Tracking**: weekly.\n- **Budget**: low", []),
        ("- Georgia: 3 days\n- Turkey: in the oven", []),
        ("tokyo\nmicrosoft", []),
    ],
)
def test_names_that_all_know_are_found_in_labels_and_items(
    content: str, expected: list[tuple[str, EntityType]]
) -> None:
    assert named(content, Gazetteer()) == expected


def test_a_name_in_small_letters_is_one_where_its_kind_is_known() -> None:
    known = Gazetteer(types={"anna": PERSON, "setup": IDENTIFIER})
    assert named("ask anna about it", known) == [("anna", PERSON)]
    assert named("Anna\n2. the end", known) == [("anna", PERSON)]
