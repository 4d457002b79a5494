"""What is told to nobody who does not ask for it."""

import pytest

from app.domain.private import is_private


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("credit card number", "4111 1111 1111 1111"),
        ("credit_card_number", "4111"),
        ("cardNumber", "4111"),
        ("SSN", "078-05-1120"),
        ("social security number", "078 05 1120"),
        ("passport number", "C01X00T47"),
        ("old passport", "C01X00T47"),
        ("bank account number for rent", "12345678"),
        ("IBAN", "DE89 3704"),
        ("driver\u2019s license number", "D1234567"),
        ("driving licence", "D1234567"),
        ("tax id", "12-3456789"),
        ("CVV", "123"),
        ("pin code", "1234"),
        ("wifi password", "Swordfish"),
        ("API key", "sk-owl"),
        ("Kreditkartennummer", "4111"),
        ("Reisepassnummer", "C01X00T47"),
        ("Sozialversicherungsnummer", "65 170839"),
        ("Krankenversicherungsnummer", "A123456789"),
        ("Steuer-ID", "65 929 970 489"),
        ("F\u00fchrerscheinnummer", "B072RRE2I55"),
        ("num\u00e9ro de passeport", "09AR12345"),
        ("num\u00e9ro de s\u00e9curit\u00e9 sociale", "2 55 08 14"),
        ("mot de passe", "soleil"),
        ("n\u00famero de pasaporte", "AAA123456"),
        ("n\u00famero de la tarjeta", "4111"),
        ("DNI", "12345678Z"),
        ("rule", "use card 4111-1111-1111-1111 for bookings"),
        ("has", "378282246310005"),
        ("has", "DE89370400440532013000"),
        ("has", "GB82 WEST 1234 5698 7654 32"),
        ("number", "078-05-1120"),
    ],
)
def test_it_is_private_by_name_or_by_its_looks(attribute: str, value: str) -> None:
    assert is_private(attribute, value)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("order number", "88213"),
        ("customer number", "88213"),
        ("loyalty card", "88213"),
        ("phone", "+49 170 1234567"),
        ("phone", "4912345678901234"),
        ("zip code", "12345"),
        ("date", "2026-11-30"),
        ("has", "passport"),
        ("passport", "Portuguese"),
        ("favourite card", "Visa"),
        ("likes", "Passport Coffee"),
        ("favourite pinball", "F-14"),
        ("order", "4111 1111 1111 1112"),
        ("lives_in", "Lisbon"),
        ("", ""),
    ],
)
def test_what_is_of_use_in_a_prompt_is_not(attribute: str, value: str) -> None:
    assert not is_private(attribute, value)
