"""What is looked for, for a query: its topic, what it asks in it, and its words."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.distil.language.question import question_in
from app.text.asker import in_first_person
from app.text.remembered import remembered
from app.text.terms import QueryTerms, query_terms
from app.text.topic import topic_of, words_sought


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """
    The `topic` is looked for by what it means, and so is the `question` where there is one apart;
    `around` are those of the `terms` that are only said around it, but for numbers and names made
    like those of code.
    """

    topic: str
    question: str | None
    terms: QueryTerms
    around: frozenset[str]

    @property
    def asked(self) -> frozenset[str]:
        """The terms that may name what is asked about."""
        return self.telling(self.terms.terms)

    def telling(self, terms: Iterable[str]) -> frozenset[str]:
        """Those of `terms` that may."""
        return frozenset(terms) - self.around - self.terms.of_function


@remembered
def sought_in(query: str) -> Sought:
    topic, terms = topic_of(query), query_terms(words_sought(query))
    question = question_in(topic)
    question = in_first_person(question or topic) or question
    asked = terms.terms if question is None else query_terms(question).terms
    return Sought(
        topic=topic,
        question=question,
        terms=terms,
        around=frozenset(each for each in terms.terms if each.isalpha()).difference(asked),
    )
