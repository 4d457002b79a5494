"""What is measured of a bundle that was built."""

from app.domain.context import ContextBundle
from app.ports import Telemetry


def tell_of(bundle: ContextBundle, telemetry: Telemetry) -> None:
    """How long each stage took, and how much came of it."""
    for stage, seconds in bundle.timings.items():
        telemetry.stage_done(stage, seconds)
    telemetry.bundle_built(
        items=len(bundle.retrieved),
        tokens=bundle.total_tokens,
        budget=bundle.budget_tokens,
        deduplicated=bundle.deduplicated,
        candidates=bundle.candidates,
    )
