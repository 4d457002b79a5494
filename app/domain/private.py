"""
What is told to nobody who does not ask for it: numbers of cards, accounts and papers, passwords.

By what it is called, in English, German, French and Spanish, or by what it looks like.
"""

import re
from itertools import chain

_BY_NAME = re.compile(
    r"""
    \b(?:
      (?:credit|debit|bank|payment)?\s*card\s+(?:number|no|num)|(?:credit|debit|bank)\s+card
      |card\s+(?:security\s+code|verification|expiry|expiration)
      |(?:bank\s+)?account\s+(?:number|no)|bank\s+account|iban|(?:routing|sort)\s+(?:number|code)
      |social\s+security|ssn|social\s+insurance|national\s+(?:insurance|id)|nino|id\s+(?:number|card)
      |identity\s+(?:number|card|document)|passport|visa\s+number
      |driv(?:er'?s?|ing)\s+licen[cs]e|licen[cs]e\s+(?:number|no)
      |tax(?:payer)?\s+(?:id|identification|number|no|reference)|itin|tin
      |(?:health|medical|social)?\s*insurance\s+(?:number|no|id)|(?:medical|health)\s+record
      |\w*kartennummer|kreditkarte|\w*versicher(?:ungs|ten)\w*nummer|\w*kontonummer|kontoverbindung
      |bankverbindung|prüf(?:ziffer|nummer)|reisepass\w*|pass\s?nummer|\w*ausweis(?:nummer)?
      |führerschein\w*|steuer[\s-]?(?:id|nummer|identifikationsnummer)
      |carte\s+(?:bancaire|bleue|de\s+crédit|d'identité|vitale)|numéro\s+de\s+carte|cryptogramme
      |sécurité\s+sociale|passeport|permis\s+de\s+conduire|numéro\s+(?:fiscal|de\s+compte)|rib
      |compte\s+bancaire|tarjeta\s+de\s+(?:crédito|débito)|número\s+de\s+(?:la\s+)?tarjeta
      |seguridad\s+social|pasaporte|(?:licencia|carnet|permiso)\s+de\s+conducir|dni|nie|nif|curp
      |número\s+de\s+cuenta|cuenta\s+bancaria|número\s+fiscal
    )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Of these what has a digit."""

_SECRET = re.compile(
    r"\b(?:pass(?:word|code|phrase)s?|pin|cvv2?|cvc2?|csc|security\s+(?:code|answer)"
    r"|(?:api|secret|private|access|recovery|encryption)\s+(?:key|token|code|phrase)s?|seed\s+phrase"
    r"|passwort|kennwort|geheimzahl|geheimnummer|mot\s+de\s+passe|code\s+(?:secret|confidentiel)"
    r"|contraseña|clave\s+(?:secreta|de\s+acceso))\b",
    re.IGNORECASE,
)
"""Of these anything."""

_CARD = re.compile(
    r"(?<![\w+.-])(?:[2456]\d{3}(?:[ -]?\d{4}){3}|3[47]\d\d[ -]?\d{6}[ -]?\d{5})(?![\w-])"
)
_SOCIAL_SECURITY = re.compile(r"(?<![\w-])\d{3}-\d\d-\d{4}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_DIGIT = re.compile(r"\d")
_BETWEEN = re.compile(r"[ -]")
_NO_WORD = re.compile(r"[\s_-]+")
_PARTED = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_private(attribute: str, value: str) -> bool:
    """Whether what is called `attribute` ("PIN", "passport_number"), or its value, is such."""
    name = _NO_WORD.sub(" ", _PARTED.sub(" ", attribute)).replace("\u2019", "'")
    if _SECRET.search(name):
        return True
    has_digit = bool(_DIGIT.search(value))
    return has_digit and (bool(_BY_NAME.search(name)) or _looks_private(value))


def _looks_private(value: str) -> bool:
    cards = (_BETWEEN.sub("", found) for found in _CARD.findall(value))
    accounts = (found.replace(" ", "") for found in _IBAN.findall(value))
    found = chain(map(_is_card, cards), map(_is_iban, accounts))
    return any(found) or bool(_SOCIAL_SECURITY.search(value))


def _is_card(digits: str) -> bool:
    """By its last digit, which is made of the others (ISO/IEC 7812)."""
    doubled = [int(each) * (1 + at % 2) for at, each in enumerate(reversed(digits))]
    return sum(each // 10 + each % 10 for each in doubled) % 10 == 0


def _is_iban(account: str) -> bool:
    """By its two check digits (ISO 13616)."""
    return int("".join(str(int(each, 36)) for each in account[4:] + account[:4])) % 97 == 1
