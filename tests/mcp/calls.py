"""Tools called as the server calls them, in the test's own transaction; every answer is held to its schema."""

from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from workspace.actor import Actor
from workspace.mcp.tools import TOOLS

VALIDATORS = {name: Draft202012Validator(tool.listing.output_schema or {}) for name, tool in TOOLS.items()}


@dataclass(frozen=True)
class Calls:
    """Tool calls of one actor."""

    actor: Actor

    def result(self, tool: str, **arguments: Any) -> tuple[bool, dict[str, Any], str]:
        """Whether it was refused, the structured content, and the text."""
        result = TOOLS[tool].call(self.actor, arguments)
        data = result.structured_content
        VALIDATORS[tool].validate(data)
        return result.is_error, data, result.content[0].text

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        refused, data, text = self.result(tool, **arguments)
        assert not refused, text
        return data

    def text(self, tool: str, **arguments: Any) -> str:
        refused, _, text = self.result(tool, **arguments)
        assert not refused, text
        return text

    def refusal(self, tool: str, **arguments: Any) -> dict[str, Any]:
        refused, data, text = self.result(tool, **arguments)
        assert refused, text
        assert text.startswith(f"{data['code']}: ")
        return data

    def fields(self, tool: str, **arguments: Any) -> set[str]:
        """The fields that an INVALID refusal names."""
        data = self.refusal(tool, **arguments)
        assert data["code"] == "INVALID", data
        return {error["field"] for error in data["errors"]}
