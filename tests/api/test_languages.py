"""Memory in languages other than English, found by their words, and by names of programs."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, search, store

SAID = {
    "de": "Die Rechnung der Werkstatt liegt im blauen Ordner.",
    "es": "El pasaporte está en el cajón de la cocina.",
    "ru": "Мы купили новые книги для бабушки.",
    "zh": "会议改到下周三下午三点。",
    "ja": "来週、京都で友達に会います。",
    "th": "ฉันชอบดื่มกาแฟร้อนทุกเช้า",
    "ar": "وضعت الكتاب على الطاولة",
    "hi": "मुझे पुरानी किताबें पसंद हैं",
    "code": "The loader calls replacePlaceholders() and then fails with ORA-00942.",
}


async def store_all(client: AsyncClient) -> None:
    for language, text in SAID.items():
        await store(client, text, user_id="alice", external_id=language)


def lexical(found: Json) -> list[str]:
    """What full text found, best first."""
    return [each["content"] for each in found["results"] if "lexical" in each["sources"]]


async def test_words_of_every_language_are_found(client: AsyncClient) -> None:
    await store_all(client)
    for language, query in {
        "de": "Wo ist die RECHNUNG?",
        "es": "¿Dónde está el pasaporte?",
        "ru": "какая книга для бабушки",
        "zh": "会议什么时候？",  # noqa: RUF001
        "ja": "京都",
        "th": "กาแฟ",
        "ar": "أين كتاب",
        "hi": "किताब",
        "code": "replace placeholders",
    }.items():
        found = await search(client, query, user_id="alice")
        assert lexical(found)[:1] == [SAID[language]], query
        assert SAID[language] in contents(await context(client, query, user_id="alice"))


@pytest.mark.parametrize("query", ["replacePlace", "`replacepl`", "ORA 00942", "ora-00942"])
async def test_a_name_is_found_by_its_beginning(client: AsyncClient, query: str) -> None:
    await store_all(client)
    found = await search(client, query, user_id="alice")
    assert lexical(found)[:1] == [SAID["code"]]
    assert found["results"][0]["content"] == SAID["code"]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Welche Umzugsfirma haben wir?", "Das Umzugsunternehmen heißt Hansen & Söhne."),
        ("Wie hoch ist die Miete?", "Der Mietvertrag läuft ab März, 1150 Euro warm."),
        ("Wann kommt der Umzugslaster?", "Der Laster kommt am 28. März."),
        ("À quelle heure inspectera-t-on le chantier ?", "L'inspection du chantier est à 9 h."),
        ("¿Quién va a arreglar la nevera?", "El técnico arregla la nevera el lunes."),
    ],
)
async def test_other_forms_and_compounds_of_words_are_found(
    client: AsyncClient, query: str, answer: str
) -> None:
    """In small talk of the same language, which has what a question is made of."""
    aside = ["Haben Sie schon eine Wohnung gefunden?", "Wie schön, da freuen wir uns!"]
    aside += ["Quelle bonne idée, et à quelle date ?", "¿Quién va a la fiesta? Yo voy."]
    await store(client, *aside, answer, *(f"{each} {each}" for each in aside), user_id="alice")

    found = await search(client, query, user_id="alice")

    assert found["results"][0]["content"] == answer
    assert "lexical" in found["results"][0]["sources"]


async def test_what_the_query_does_not_want_is_left_out(client: AsyncClient) -> None:
    tea, milk = "Alice drinks green tea.", "Alice drinks tea with milk."
    await store(client, tea, milk, user_id="alice")

    for query in ("tea NOT milk", 'tea -"with milk"'):
        bundle = await context(client, query, user_id="alice")
        assert contents(bundle) == [tea]
        assert bundle["query"] == query
        assert contents(await search(client, query, user_id="alice")) == [tea]
    plain = await context(client, "who does not drink tea with milk", user_id="alice")
    assert set(contents(plain)) == {tea, milk}


async def test_what_is_unwanted_leaves_the_bundle_as_full_as_it_was(client: AsyncClient) -> None:
    wanted = [
        "Tea was first picked in Yunnan.",
        "My aunt sells tea on the market.",
        "A tea towel hangs by the sink.",
    ]
    await store(client, *wanted, user_id="alice", external_id="old")
    crowd = [f"Tea and milk, tea and milk, cup {number}." for number in range(90)]
    await store(client, *crowd, user_id="alice", external_id="new")

    bundle = await context(
        client, "tea", user_id="alice", filters={"exclude_terms": ["milk"]}, max_items=50
    )
    assert set(contents(bundle)) == set(wanted)


@pytest.mark.parametrize(
    ("asked", "then", "answer", "other"),
    [
        (
            "Was kostet das Hotel in Lissabon?",
            "Und das andere?",
            "In Porto zahlen wir im Hotel Torel 180 Euro.",
            "Das Fahrrad steht im Keller.",
        ),
        (
            "Quel hôtel avons-nous réservé ?",
            "Combien ça coûte ?",
            "L'hôtel Torel demande 180 euros par nuit.",
            "Le vélo est dans la cave.",
        ),
        (
            "¿Qué hotel reservamos en Lisboa?",
            "¿Y el otro?",
            "En Oporto el hotel Torel pide 180 euros.",
            "El coche está en el taller.",
        ),
    ],
)
async def test_a_question_that_goes_on_is_understood_by_the_one_before(
    alone: AsyncClient, asked: str, then: str, answer: str, other: str
) -> None:
    await store(alone, answer, other, user_id="alice")
    running = await store(alone, asked, user_id="alice", external_id="now")

    bundle = await context(alone, then, user_id="alice", conversation_external_id="now")

    assert bundle["metadata"]["leans_on"] == running["message_ids"][0]
    assert contents(bundle)[0] == answer
