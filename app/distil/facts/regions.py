"""The countries and states that stand behind the name of a place: "Portland, Oregon"."""

import re

from app.distil.facts.values import ENDS_PHRASE, proper

_STATES = """Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida
    |Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland
    |Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire
    |New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania
    |Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington
    |West Virginia|Wisconsin|Wyoming|Puerto Rico|Alberta|British Columbia|Manitoba|New Brunswick
    |Newfoundland|Nova Scotia|Ontario|Quebec|Saskatchewan|Victoria|Queensland|Tasmania
    |New South Wales|Western Australia|South Australia|Bavaria|Saxony|Hesse|Tuscany|Sicily
    |Lombardy|Catalonia|Andalusia|Brittany|Normandy|Provence|Flanders|Wallonia|Tyrol|Styria
    |Carinthia|Kerala|Punjab|Gujarat|Karnataka|Maharashtra|Tamil Nadu|Yorkshire|Cornwall|Kent
    |Devon|Sussex|Surrey|Essex"""
_COUNTRIES = """Albania|Algeria|Argentina|Armenia|Australia|Austria|Azerbaijan|Bangladesh|Belarus
    |Belgium|Bolivia|Bosnia|Brazil|Bulgaria|Cambodia|Cameroon|Canada|Chile|China|Colombia
    |Costa Rica|Croatia|Cuba|Cyprus|Czechia|Czech Republic|Denmark|Ecuador|Egypt|England|Estonia
    |Ethiopia|Finland|France|Germany|Ghana|Greece|Guatemala|Hungary|Iceland|India|Indonesia|Iran
    |Iraq|Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Kosovo|Kuwait|Latvia|Lebanon
    |Lithuania|Luxembourg|Malaysia|Malta|Mexico|Moldova|Montenegro|Morocco|Nepal|Netherlands
    |The Netherlands|the Netherlands|New Zealand|Nicaragua|Nigeria|North Macedonia
    |Northern Ireland|Norway|Oman|Pakistan|Panama|Paraguay|Peru|Philippines|the Philippines|Poland
    |Portugal|Qatar|Romania|Russia|Saudi Arabia|Scotland|Senegal|Serbia|Singapore|Slovakia
    |Slovenia|South Africa|South Korea|Korea|Spain|Sri Lanka|Sudan|Sweden|Switzerland|Syria
    |Taiwan|Tanzania|Thailand|Tunisia|Turkey|Uganda|Ukraine|United Arab Emirates|United Kingdom
    |United States|Uruguay|Uzbekistan|Venezuela|Vietnam|Wales|Zambia|Zimbabwe"""
_ABBREVIATED = """A[KLRZ]|CA|C[OT]|DE|FL|GA|HI|IA|I[DLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]
    |PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|AB|BC|MB|N[BS]|ON|QC|NSW|QLD|UK|USA?|UAE|NZ|D\\.?C\\.?
    |U\\.S\\.A?\\.?|U\\.K\\."""
_FULL = re.sub(r"\s*\n\s*", "", f"{_STATES}|{_COUNTRIES}")
_SHORT = re.sub(r"\s*\n\s*", "", _ABBREVIATED)
_CAPITALS = re.compile(rf",\s+(?:{_FULL}|{_SHORT})(?!\w)")
_ANY_LETTERS = re.compile(rf",\s+(?:{_FULL}|uk|usa)(?!\w)", re.IGNORECASE)
_MOST = 2
"""Of "Brooklyn, New York, USA"."""

_ASIDE = re.compile(r"\s+(?:btw|rn|lol|atm|tbh|fyi|if|\d{5})\b")


def end_of_regions(text: str, stop: int, *, any_letters: bool = False) -> int:
    """
    Where the regions end that tell which place it is whose name ends at `stop`; there for none.

    With `any_letters` they need no capitals, but then only their full names count.
    """
    pattern = _ANY_LETTERS if any_letters else _CAPITALS
    for _ in range(_MOST):
        found = pattern.match(text, stop)
        if not found or not _ends(text, found.end()):
            break
        stop = found.end()
    return stop


def _ends(text: str, at: int) -> bool:
    """Nothing goes on there: who is called Georgia does something."""
    return bool(ENDS_PHRASE.match(text, at) or _ASIDE.match(text, at))


def somewhere(text: str) -> str | None:
    """A name, with the regions behind it."""
    name = proper(text)
    if name is None or not text.startswith(name):
        return name
    return text[: end_of_regions(text, len(name))]


def is_same_place(one: str, other: str) -> bool:
    """Whether one of two different places tells no more than its region: "Portland, Oregon"."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long.startswith(f"{short},")
