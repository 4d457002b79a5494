"""What a doctor tells of a store."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that differs: where, how many of it, and some of them."""

    check: str
    problem: str
    count: int
    examples: Sequence[str] = ()
    fixable: bool = True


Findings = Sequence[Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was looked at, and what differs."""

    checks: Sequence[str]
    findings: Findings
    fixed: Findings = ()

    @property
    def sound(self) -> bool:
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        return {
            "sound": self.sound,
            "checks": list(self.checks),
            "findings": [_told(each) for each in self.findings],
            "fixed": [_told(each) for each in self.fixed],
        }


def some(check: str, problem: str, found: Iterable[object], *, fixable: bool = True) -> Findings:
    """A finding of these, or none."""
    all_of_them = [str(each) for each in found]
    if not all_of_them:
        return []
    return [
        Finding(
            check=check,
            problem=problem,
            count=len(all_of_them),
            examples=all_of_them[:_EXAMPLES],
            fixable=fixable,
        )
    ]


def counted(findings: Findings) -> dict[str, int]:
    """By check, how many differ."""
    counts = Counter[str]()
    for each in findings:
        counts[each.check] += each.count
    return dict(counts)


def _told(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "problem": finding.problem,
        "count": finding.count,
        "examples": list(finding.examples),
        "fixable": finding.fixable,
    }
