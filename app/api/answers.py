"""Bundles as they go out."""

from app.api.schemas.bundles import bundle_out, to_json
from app.domain.context import ContextBundle, ContextRequest
from app.domain.difference import Difference

_FRESH, _CACHED = b'"cache_hit":false', b'"cache_hit":true'


class JsonAnswers:
    """Renders bundles by the schema of API.md."""

    def render(
        self, request: ContextRequest, bundle: ContextBundle, difference: Difference | None
    ) -> bytes:
        answer = bundle_out(bundle, request=request, cache_hit=False, difference=difference)
        return to_json(answer)

    def from_cache(self, answer: bytes) -> bytes:
        """The flag is the last of its kind: nobody's words come after it, nor unescaped before."""
        before, _, after = answer.rpartition(_FRESH)
        return before + _CACHED + after
