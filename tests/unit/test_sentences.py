"""Where sentences end, and where a full stop is of a date or a short form."""

import pytest

from app.distil.language.sentences import sentences_of


@pytest.mark.parametrize(
    "content",
    [
        "Ihr Abo endet dann am 30. November 2026.",
        "Wir sind am 3. und 4. Mai in Graz.",
        "Vom 1. bis 5. Juli ist zu.",
        "Am 24. Dez. 2026 ist zu.",
        "Am 24. Sept. ist zu.",
        "Das war im 3. Quartal.",
        "Mødet er den 5. maj kl 9.",
        "On Nov. 30 we are closed.",
        "Wir nehmen z.B. Tee.",
        "Wir nehmen z. B. Tee, d. h. Assam.",
        "Es kostet ca. 50 Euro bzw. Dollar.",
        "Die Bestellung Nr. 88213 an Hr. Maier fehlt.",
        "Ich wohne in der Hauptstr. 5 in Graz.",
        "Fragen Sie Dr. Huber.",
        "La Sra. Gil vive en la pág. 5.",
    ],
)
def test_a_full_stop_inside_of_a_sentence_ends_none(content: str) -> None:
    assert [each.text for each in sentences_of(content)] == [content]


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("I'm 30. I live in Graz.", 2),
        ("There are 12. May I come?", 2),
        ("Room 5. Maier waits.", 2),
        ("Ich wohne in der Hauptstr. Das ist schön.", 2),
        ("It was in Nov. Then it snowed.", 2),
        ("I live in San Diego, CA. It is sunny.", 2),
        ("We took plan d. Nobody minded.", 2),
        ("Es endet am 30. Danach ist zu.", 2),
    ],
)
def test_others_do(content: str, count: int) -> None:
    assert len(list(sentences_of(content))) == count
