"""What in the official suite does not apply to this server: each scenario or check by its name, and why.

Each has the words in which the suite says so. Whatever fails or is passed over in other words counts.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Reason:
    """``why`` it does not apply, and ``said``: a regular expression for what the suite tells."""

    why: str
    said: str


TOOL = Reason(
    why="It calls a tool of the suite's own example server.",
    said=r"There is no such tool|Tool '\w+' not found|no tool with x-mcp-header annotations",
)
PROMPT = Reason(why="It asks for a prompt of the suite's own example server.", said="is not a prompt")
RESOURCE = Reason(why="It reads a resource of the suite's own example server.", said="must begin with baton://")
WATCHED = Reason(
    why="It watches a resource of the suite's own example server; subscriptions are an optional capability that is "
    "not declared.",
    said="Method not found",
)
COMPLETED = Reason(
    why="It completes an argument of a prompt of the suite's own example server; completions are an optional "
    "capability that is not declared.",
    said="Method not found",
)
LOGGED = Reason(
    why="Log messages are an optional capability, on its way out of the protocol, that is not declared.",
    said="Method not found",
)
SESSIONS = Reason(
    why="It needs a session, which is optional: every request stands for itself, so that any process answers it.",
    said="session|JSON instead of SSE|outgoing|incoming|https?://|statusCode",
)
TASKS = Reason(why="It is about the extension for tasks, which is not declared.", said="")
SKILLS = Reason(why="It is about the extension for skills, which is not declared.", said="")

SCENARIOS: dict[str, Reason] = {
    **dict.fromkeys(
        (
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "http-custom-header-server-validation",
            "input-required-result-basic-elicitation",
            "input-required-result-basic-list-roots",
            "input-required-result-basic-sampling",
            "input-required-result-capability-check",
            "input-required-result-ignore-extra-params",
            "input-required-result-multi-round",
            "input-required-result-multiple-input-requests",
            "input-required-result-request-state",
            "input-required-result-result-type",
            "json-schema-2020-12",
            "tools-call-audio",
            "tools-call-elicitation",
            "tools-call-embedded-resource",
            "tools-call-error",
            "tools-call-image",
            "tools-call-mixed-content",
            "tools-call-sampling",
            "tools-call-simple-text",
            "tools-call-with-progress",
        ),
        TOOL,
    ),
    **{
        name: Reason(why=TOOL.why, said=said)
        for name, said in {
            "input-required-result-missing-input-response": "Server returned JSON-RPC error",
            "input-required-result-multi-round": "Expected InputRequiredResult",
            "input-required-result-tampered-state": "could not get initial InputRequiredResult",
            "tools-call-with-logging": "Method not found",
        }.items()
    },
    **dict.fromkeys(
        (
            "input-required-result-non-tool-request",
            "prompts-get-embedded-resource",
            "prompts-get-simple",
            "prompts-get-with-args",
            "prompts-get-with-image",
        ),
        PROMPT,
    ),
    **dict.fromkeys(("resources-read-binary", "resources-read-text", "resources-templates-read"), RESOURCE),
    **dict.fromkeys(("resources-subscribe", "resources-unsubscribe"), WATCHED),
    "completion-complete": COMPLETED,
    "logging-set-level": LOGGED,
    **dict.fromkeys(("server-session-lifecycle", "server-sse-polling"), SESSIONS),
}
"""Scenarios of the server that do not apply in any version that has them."""

BY_VERSION: dict[tuple[str, str], Reason] = {
    ("server-sse-multiple-streams", version): SESSIONS for version in ("2025-03-26", "2025-06-18", "2025-11-25")
}
"""Scenarios of the server that do not apply in one version."""

_DIAGNOSTIC = Reason(why=TOOL.why, said=r"does not list the diagnostic tool '\w+'")
_UNSUBSCRIBED = Reason(
    why="Nothing can be listened to: no capability for it is declared.",
    said="advertises no subscription-delivered capability|did not declare (prompts|tools).listChanged",
)
CHECKS: dict[tuple[str, str], Reason] = {
    **{
        ("server-stateless", check): _DIAGNOSTIC
        for check in (
            "sep-2575-http-server-no-independent-requests-on-stream",
            "sep-2575-missing-capability-http-400",
            "sep-2575-server-no-log-without-loglevel",
            "sep-2575-server-rejects-undeclared-capability",
        )
    },
    **{
        ("server-stateless", check): _UNSUBSCRIBED
        for check in (
            "sep-2575-server-honors-notification-filter",
            "sep-2575-server-sends-prompts-list-changed-on-subscription",
            "sep-2575-server-sends-subscription-ack",
            "sep-2575-server-sends-tools-list-changed-on-subscription",
            "sep-2575-server-tags-subscription-id",
        )
    },
    ("server-initialize", "server-session-id-visible-ascii"): SESSIONS,
    ("server-sse-multiple-streams", "server-sse-streams-functional"): Reason(
        why="Every answer is one JSON document, which the protocol leaves to the server.",
        said="SSE streaming is optional",
    ),
}
"""Single checks that do not apply, in scenarios that do."""

EXTENSIONS: dict[str, Reason] = {
    **dict.fromkeys(
        (
            "tasks-capability-negotiation",
            "tasks-dispatch-and-envelope",
            "tasks-lifecycle",
            "tasks-mrtr-composition",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-request-state-removal",
            "tasks-required-task-error",
            "tasks-status-notifications",
            "tasks-wire-fields",
        ),
        TASKS,
    ),
    **dict.fromkeys(("sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"), SKILLS),
}
"""Scenarios of extensions, which no version of the protocol asks for; they are not run."""
