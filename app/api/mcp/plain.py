"""A tool that takes no argument but its own, and tells in plain words what is wrong with one."""

from collections.abc import Awaitable, Callable
from inspect import getdoc
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from app.api.shape import what_is_wrong

_TOLD = 10
"""Mistakes of a call."""


class PlainTool(Tool):
    """As with the HTTP API, who misspells `user_id` is told so and not taken for nobody."""

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002  (as the library calls it)
    ) -> Any:  # noqa: ANN401  (whatever it answers)
        """
        Call it.

        Raises:
            ToolError: It takes no such arguments, or refuses to do what they say.
        """
        own = self.parameters["properties"]
        if strange := sorted(arguments.keys() - own.keys()):
            raise ToolError(f"{self.name} takes {', '.join(own)}; not {strange[0][:80]!a}.")
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError(_in_words(error.__cause__)) from error.__cause__


def plain_tool(function: Callable[..., Awaitable[object]], annotations: ToolAnnotations) -> Tool:
    """Of a function whose docstring says when to call it."""
    tool = PlainTool.from_function(function, description=getdoc(function), annotations=annotations)
    return tool.model_copy(
        update={"parameters": {**tool.parameters, "additionalProperties": False}}
    )


def _in_words(error: ValidationError) -> str:
    wrong = error.errors(include_url=False)[:_TOLD]
    return " ".join(f"{'.'.join(map(str, each['loc']))}: {what_is_wrong(each)}." for each in wrong)
