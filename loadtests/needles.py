"""
Hide sentences at random depths of long messages and count how many a bundle brings back.

    python -m loadtests.needles --url http://127.0.0.1:8000 --budgets 1000 32000

Each message is about everyday matters, of 1,000 to 20,000 tokens, and holds some sentences about
somebody that nothing else tells of; half of the questions use their words, half paraphrase them.
A needle counts as found when its telling words stand in the bundle.
"""

import argparse
import random
import uuid
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from loadtests.sets import FIRST_NAMES, Body

LENGTHS = (1_000, 2_500, 5_000, 10_000, 20_000)
"""Tokens of a message, about."""

MESSAGES = 8
"""Of each length."""

NEEDLES = 4
"""In each message."""

SUBJECTS = (
    "the neighbours", "a colleague from the archive", "the committee", "my aunt", "the gardener",
    "somebody from the council", "the older of the two brothers", "the new tenant", "our driver",
    "the woman at the counter", "the choir", "the landlord", "a visitor", "the bakery",
)  # fmt: skip
DEEDS = (
    "talked at length about", "wrote a short note about", "could not stop thinking of",
    "asked for a second opinion on", "made a list of everything that belongs to",
    "was surprised by", "had no patience left for", "kept a drawing of", "paid too much for",
    "explained once more", "had almost forgotten", "wanted to hear nothing of",
)  # fmt: skip
MATTERS = (
    "the broken gutter", "the price of flour", "an unpaid invoice", "the road works",
    "a lecture on beetles", "the spare room", "an old photograph", "the fence by the river",
    "a change of trains", "the summer fair", "the pump in the cellar", "a recipe with leeks",
    "the winter coats", "the missing ladder", "a letter from the bank", "the third rehearsal",
)  # fmt: skip
ENDINGS = (
    "before lunch", "for the rest of the afternoon", "although it was raining", "as usual",
    "without much success", "on the way home", "until the lights went out", "in a low voice",
    "and nobody objected", "which took longer than planned", "over two cups of coffee",
)  # fmt: skip

PLANTS = ("fig tree", "lemon tree", "fern", "orchid", "cactus", "ivy", "bamboo", "olive tree")
PLACES = ("the attic", "the greenhouse", "the stairwell", "the boathouse", "the chapel", "the barn")
PETS = ("parrot", "tortoise", "greyhound", "ferret", "goldfish", "donkey", "rabbit", "hedgehog")
INSTRUMENTS = ("cello", "harp", "trumpet", "accordion", "oboe", "banjo", "organ", "bassoon")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    sentence: str
    question: str
    telling: tuple[str, ...]
    """Words that stand in the sentence, all of which an answer needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    length: int
    text: str
    needles: tuple[Needle, ...]


def haystacks(seed: int) -> Iterator[Haystack]:
    chance = random.Random(seed)
    names = list(FIRST_NAMES)
    for length in LENGTHS:
        for _ in range(MESSAGES):
            chance.shuffle(names)
            needles = tuple(_needle(chance, name) for name in names[:NEEDLES])
            yield Haystack(length=length, text=_hidden(chance, length, needles), needles=needles)


def _needle(chance: random.Random, name: str) -> Needle:
    kind = chance.randrange(4)
    number = chance.randrange(10_000, 99_999)
    if kind == 0:
        plant, place = chance.choice(PLANTS), chance.choice(PLACES)
        sentence = f"{name} planted the {plant} in {place} under the label {number}."
        question = f"Where did {name} plant the {plant} with label {number}?"
        return Needle(sentence=sentence, question=question, telling=(name, plant, place))
    if kind == 1:
        pet = chance.choice(PETS)
        sentence = f"{name} had the {pet} vaccinated against a rare fever, receipt {number}."
        question = f"Which animal of {name} got a shot at the vet?"
        return Needle(sentence=sentence, question=question, telling=(name, pet, str(number)))
    if kind == 2:
        sentence = f"The password of {name}'s telescope is set_azimuth_{number}."
        question = f"set_azimuth_{number}"
        return Needle(sentence=sentence, question=question, telling=(name, f"azimuth_{number}"))
    instrument = chance.choice(INSTRUMENTS)
    sentence = f"{name} sold the {instrument} to pay for a pilot's licence in the year {number}."
    question = f"How did {name} finance learning to fly?"
    return Needle(sentence=sentence, question=question, telling=(name, instrument, str(number)))


def _hidden(chance: random.Random, length: int, needles: tuple[Needle, ...]) -> str:
    """Paragraphs with the needles in places of their own; a sentence has some 13 tokens."""
    sentences = [_sentence(chance) for _ in range(length // 13)]
    for needle in needles:
        sentences.insert(chance.randrange(len(sentences) + 1), needle.sentence)
    paragraphs, at = [], 0
    while at < len(sentences):
        size = chance.randint(3, 9)
        paragraphs.append(" ".join(sentences[at : at + size]))
        at += size
    return "\n\n".join(paragraphs)


def _sentence(chance: random.Random) -> str:
    subject, deed, matter, ending = map(chance.choice, (SUBJECTS, DEEDS, MATTERS, ENDINGS))
    return f"{subject[0].upper()}{subject[1:]} {deed} {matter} {ending}."


def main() -> None:
    options = _options()
    run = uuid.uuid4().hex[:8]
    found: dict[int, list[list[bool]]] = defaultdict(list)
    with httpx.Client(base_url=options.url, timeout=630, trust_env=False) as client:
        for number, haystack in enumerate(haystacks(options.seed)):
            user = f"needles-{run}-{number}"
            _store(client, haystack, user)
            for needle in haystack.needles:
                hits = [_is_found(client, needle, user, budget) for budget in options.budgets]
                found[haystack.length].append(hits)
    budgets = " | ".join(f"found in {budget:,}" for budget in options.budgets)
    print(f"| tokens of the message | needles | {budgets} |")
    print(f"| ---: | ---: |{' ---: |' * len(options.budgets)}")
    for length, rows in found.items():
        print(_row(f"{length:,}", rows))
    print(_row("all", [hits for rows in found.values() for hits in rows]))


def _row(name: str, rows: list[list[bool]]) -> str:
    shares = [sum(hits) / len(rows) for hits in zip(*rows, strict=True)]
    return " | ".join([f"| {name}", str(len(rows)), *(f"{share:.3f}" for share in shares)]) + " |"


def _store(client: httpx.Client, haystack: Haystack, user: str) -> None:
    """A chat in which somebody hands over a long text, among a few short messages."""
    short = ["Good morning!", "I will send you my diary.", haystack.text, "What do you think?"]
    messages: list[Body] = [{"role": "user", "content": text} for text in short]
    body = {"user_id": user, "external_id": "diary", "messages": messages}
    answer = client.post("/conversations", json=body, params={"wait": "indexed", "wait_s": "600"})
    answer.raise_for_status()


def _is_found(client: httpx.Client, needle: Needle, user: str, budget: int) -> bool:
    body = {"query": needle.question, "user_id": user, "budget_tokens": budget}
    answer = client.post("/context", json=body)
    answer.raise_for_status()
    said = [item["content"] for item in answer.json()["retrieved_memories"]]
    return any(all(word in content for word in needle.telling) for content in said)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument(
        "--budgets", type=int, nargs="+", default=[1_000, 32_000], help="tokens of a bundle"
    )
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    main()
