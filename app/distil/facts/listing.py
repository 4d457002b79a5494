"""Several things that are told at once: "peanuts, shellfish and soy"."""

import re
from collections.abc import Sequence

_SEPARATOR = re.compile(r",\s+(?:(?P<last>and|or|n)\s+)?|\s+(?P<joint>and|or|n)\s+")
_JOINED = re.compile(r"[\s,](?:and|or|n)\s")
_OR = re.compile(r"[\s,]or\s")
_END = re.compile(
    r"[;:!?()\u2013\u2014\x00]|\.(?:\s|\Z)|\s-\s"
    r"|,?\s+(?:but|because|so|since|which|who|that|when|whenever|while|if|though|although|except"
    r"|in|at|for|with|without|on|from|to|by|as|than|over|instead|rather|not|too|btw|these|this"
    r"|last|lol|tbh|especially|mostly|mainly|usually|particularly|preferably|including|like)\b"
    r"|,?\s+and\s+(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_IN_NO_THING = frozenset(
    """I I'm I've I'd I'll i i'm i've i'd i'll im ive it it's that's thats both either neither
    its this that these those he she they you we him her them us me there here what when where
    why how is are was were be been am isn't aren't don't dont doesn't didn't can't cant cannot
    won't do does did has had have can could should would will may might must get gets got go
    goes went make makes made take takes took hate hates love loves like likes prefer prefers
    enjoy enjoys want wants need needs use uses using live lives work works worked feel feels
    felt think thinks thought know knows say says said bought sold sleep sleeps drink drinks eat
    eats own owns drive drives speak speaks play plays study studies stay stays stayed always
    never only rarely hardly often daily weekly sometimes badly maybe probably please thanks
    thank cheers bye then just really honestly even also no yes ok okay well not none stuff
    things bit lot so on etc whatever""".split()
)
"""Words, as spelled inside a sentence, by which what is joined is a clause, or says nothing."""

_ARTICLE = re.compile(r"\A(?:an?|the|my|our|some|two|three|four|five|\d+)\s+", re.IGNORECASE)
_MOST_WORDS = 3
_LONGEST = 120
"""Characters behind the first of several things: all commas are looked behind."""

_OF_A_KIND = re.compile(r"(?:movies|films|games|music|shows|flavou?rs|food|dishes)\Z")
_DOING = re.compile(r"[a-z]{2,}ing\b")
_AS_ONE = frozenset(
    """rock and roll|rock n roll|mac and cheese|mac n cheese|salt and pepper|fish and chips
    |gin and tonic|bed and breakfast|dungeons and dragons|black and white|tom and jerry
    |rhythm and blues|drum and bass|peanut butter and jelly|bacon and eggs|ham and cheese
    |arts and crafts|science and technology|trial and error|r and b|sweet and sour|oil and vinegar
    |bread and butter|biscuits and gravy|rick and morty|pride and prejudice|crime and punishment
    |war and peace|research and development|rice and beans|cookies and cream|hide and seek
    |country and western|trinidad and tobago|peace and quiet""".replace("\n    ", "").split("|")
)
"""What is told with "and" and is one thing, folded."""

_COMES_BEFORE_A_NOUN = re.compile(
    r"\b(?:big|small|large|tiny|little|young|old|new|short|long|nice|quiet|loud|slow|fast|quick"
    r"|simple|plain|clean|clear|strong|weak|dark|light|bright|warm|cold|hot|cheap|soft|hard|sweet"
    r"|spicy|deep|direct|honest|brief|concise|healthy|local|medium-sized|mid-sized|lazy)\Z",
    re.IGNORECASE,
)
_ARTICLE_WITH_ONE_WORD = re.compile(r"\b(?:an?|the)\s+[a-z][a-z-]*\Z")
_NOUN_WITH_ADJECTIVE = re.compile(
    r",\s+(?!(?:and|or|but|nor|yet|plus|with|from|of|an?|the|my|our|one|two|three|four|five|six|some"
    r"|no|last|next|since|because|who|which)\b)(?P<first>[a-z][\w-]*)\s+(?P<second>[a-z][\w-]*)"
)


def listed(said: str, *, denied: bool = False) -> Sequence[str]:
    """
    The things that `said` begins with, each by itself; all of it where they are not several.

    Of things that "or" joins none is told, unless all of them are denied.
    """
    phrase = phrase_of(said)
    if not denied and _OR.search(phrase):
        return [said]
    first = _SEPARATOR.search(phrase)
    if not first or not _is_thing(phrase[: first.start()]):
        return [said]
    items, _ = _items(phrase, first.start())
    return [phrase[: first.start()], *items] if items else [said]


def phrase_of(said: str) -> str:
    """Up to where something else begins, a reason, a place, another clause."""
    end = _END.search(said)
    return said[: end.start()] if end else said


def end_of_list(plain: str, comma: int) -> int:
    """
    How far what a comma goes on with belongs to what stands before it; `comma` if nothing does.

    That is the rest of several things, of which "and" or "or" joins the last, and the noun of two
    adjectives, "short, direct answers".
    """
    if noun := _has_two_adjectives(plain, comma):
        return noun
    stop = min(len(plain), comma + _LONGEST)
    if not _JOINED.search(plain, comma, stop):
        return comma
    end = _END.search(plain, comma, stop)
    phrase = plain[comma : end.start() if end else stop]
    return comma + _items(phrase, 0)[1]


def is_one(said: str) -> bool:
    """
    Whether what is joined is told as one: "red and white wine", "mac and cheese".

    So is what is done to several things: "improving schools and roads".
    """
    phrase = phrase_of(said).strip(" ,.")
    if phrase.casefold() in _AS_ONE or _has_two_adjectives(phrase, phrase.find(",")):
        return True
    items = listed(said, denied=True)
    if len(items) == 1 or items[-1].istitle() or _DOING.match(items[-1]):
        return False
    if " " in items[0].strip() and _DOING.match(items[0]):
        return True
    *before, last = (_ARTICLE.sub("", each.strip()) for each in items)
    of_a_word = all(" " not in each for each in before)
    of_two = last.count(" ") == 1 or (" " in last and _OF_A_KIND.search(last))
    return bool(of_a_word and of_two) and not all(each.endswith("s") for each in before)


def _has_two_adjectives(said: str, comma: int) -> int | None:
    """Where the noun ends of which a comma parts two adjectives."""
    found = _NOUN_WITH_ADJECTIVE.match(said, comma) if comma > 0 else None
    if not found or not (
        _COMES_BEFORE_A_NOUN.search(said, max(comma - 12, 0), comma)
        or _ARTICLE_WITH_ONE_WORD.search(said, max(comma - 20, 0), comma)
    ):
        return None
    return found.end() if _IN_NO_THING.isdisjoint(found.groups()) else None


def _items(phrase: str, start: int) -> tuple[Sequence[str], int]:
    """
    Behind the separator at `start`, and where they end.

    None, and `start`, unless "and" or "or" joins the last of them.
    """
    separators = list(_SEPARATOR.finditer(phrase, start, start + _LONGEST))
    if not any(each["last"] or each["joint"] for each in separators):
        return [], start
    stops = [*(each.start() for each in separators[1:]), len(phrase)][: len(separators)]
    items: list[str] = []
    complete, end = 0, start
    for separator, stop in zip(separators, stops, strict=True):
        item = phrase[separator.end() : stop].strip(" ,")
        if not _is_thing(item):
            break
        items.append(item)
        if separator["last"] or separator["joint"]:
            complete, end = len(items), stop
    return items[:complete], end


def _is_thing(said: str) -> bool:
    words = _ARTICLE.sub("", said.strip()).split()
    how = len(words) == 1 and _COMES_BEFORE_A_NOUN.fullmatch(words[0])
    return 0 < len(words) <= _MOST_WORDS and not how and _IN_NO_THING.isdisjoint(words)
