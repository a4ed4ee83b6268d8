"""How each host is connected: what to do there, and what to paste."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from workspace.queries.hosts import NAMES


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to do: words, and what to paste. ``{mcp}`` and ``{base}`` stand for this instance's addresses, and
    ``{folder}`` for one that the reader can read, as a shell takes it."""

    say: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Way:
    """How one host is connected. ``key`` is the host's own where it is one that agents are known by, and without
    ``called`` that gives the name as well; ``after`` is what it shows then; ``needs_public`` is whether its maker's
    servers have to reach this instance."""

    key: str
    steps: tuple[Step, ...]
    called: str = ""
    after: str = ""
    token: bool = False
    needs_public: bool = False

    @property
    def name(self) -> str:
        """What the host is called."""
        return self.called or NAMES[self.key]


def _pasted(say: str, section: str, server: Mapping[str, str]) -> Step:
    """Paste ``server``, as baton, into the ``section`` of a file in JSON."""
    return Step(say=say, lines=(json.dumps({section: {"baton": dict(server)}}, indent=2),))


HANDLERS = {
    "claude-code": "~/.claude/plugins/marketplaces/baton/baton/hooks/baton_hook.py",
    "codex": "~/.codex/baton/baton_hook.py",
    "gemini": "~/.gemini/extensions/baton/hooks/baton_hook.py",
    "opencode": "~/.config/opencode/plugin/baton/baton_hook.py",
}
"""Where the handler lies once a host's plugin is installed, in each person's home: it is run from within projects."""


def _hooks(host: str, added: str, install: str, tools: str = "") -> tuple[Step, ...]:
    """Add the plugin of a host, connect it, bind a project, and what of it is off. ``added`` and ``install`` are how it
    is added, and ``tools`` what then signs in the tools that it brings."""
    run = f"python3 {HANDLERS[host]}"
    return (
        Step(say=added, lines=(install,)),
        Step(
            say="Sign in its hooks on this machine. It shows a code for your browser"
            + (f"; {tools} signs in the tools." if tools else "."),
            lines=(f"{run} connect",),
        ),
        Step(
            say="In a project, name the folder that it belongs to. Or bind its repository in the browser, for all your "
            "machines. Projects that are not bound send no prompt.",
            lines=(f"{run} bind {{folder}}", "{base}/bindings"),
        ),
        Step(
            say="Nothing is saved until you say so, in the project or at its binding in the browser. With ask, each "
            "waits for your approval.",
            lines=(f"{run} capture ask",),
        ),
        Step(say="To see what is set up, and whether it answers:", lines=(f"{run} status", f"{run} test")),
    )


WAYS = (
    Way(
        key="claude-code",
        after="In a session, /mcp shows it as connected.",
        steps=(
            Step(
                say="Add Baton, and sign in. Your browser opens.",
                lines=(
                    "claude mcp add --transport http baton {mcp}",
                    "claude mcp login baton",
                ),
            ),
            *_hooks(
                "claude-code",
                "Or, to have it read before each prompt by itself, add the plugin in place of both:",
                "claude plugin marketplace add {base}/connect/claude-code.git && claude plugin install baton@baton",
                tools="/mcp, or claude mcp login plugin:baton:baton,",
            ),
        ),
    ),
    Way(
        key="codex",
        steps=(
            Step(say="Add Baton. Your browser opens.", lines=("codex mcp add baton --url {mcp}",)),
            Step(say="To sign in again later:", lines=("codex mcp login baton",)),
            *_hooks(
                "codex",
                "To have it read before each prompt by itself, add the hooks. Trust them when Codex asks at its start:",
                "curl -fsSLO {base}/connect/codex.zip && unzip -qo codex.zip && python3 baton-codex/install.py",
            ),
        ),
    ),
    Way(
        key="gemini",
        steps=(
            Step(say="Add Baton.", lines=("gemini mcp add --transport http baton {mcp}",)),
            Step(say="Start gemini, and in it sign in. Your browser opens.", lines=("/mcp auth baton",)),
            *_hooks(
                "gemini",
                "Or, to have it read before each prompt by itself, add the extension in place of that:",
                "gemini extensions install {base}/connect/gemini.git",
                tools="/mcp auth baton",
            ),
        ),
    ),
    Way(
        key="opencode",
        steps=(
            _pasted(
                "In ~/.config/opencode/opencode.json, or in opencode.json of one project:",
                "mcp",
                {"type": "remote", "url": "{mcp}"},
            ),
            Step(say="Sign in. Your browser opens.", lines=("opencode mcp auth baton",)),
            Step(say="From version 2 on, instead of both:", lines=("opencode mcp add baton --url {mcp}",)),
            *_hooks(
                "opencode",
                "To have it read before each prompt by itself, add the plugin:",
                "curl -fsSLO {base}/connect/opencode.zip && unzip -qo opencode.zip && "
                "mkdir -p ~/.config/opencode/plugin && cp -r baton-opencode/* ~/.config/opencode/plugin",
            ),
        ),
    ),
    Way(
        key="cursor",
        steps=(
            _pasted("In ~/.cursor/mcp.json:", "mcpServers", {"url": "{mcp}"}),
            Step(say="In Cursor's settings, under MCP, baton asks you to sign in."),
        ),
    ),
    Way(
        key="vscode",
        steps=(
            Step(say="In a terminal:", lines=('code --add-mcp \'{"name":"baton","type":"http","url":"{mcp}"}\'',)),
            _pasted("Or for one folder alone, in .vscode/mcp.json:", "servers", {"type": "http", "url": "{mcp}"}),
            Step(say="Start the server from the command palette (MCP: List Servers). Your browser opens."),
        ),
    ),
    Way(
        key="claude",
        called="Claude app and web",
        needs_public=True,
        steps=(
            Step(
                say="Under Settings, Connectors, choose “Add custom connector” and give it this address:",
                lines=("{mcp}",),
            ),
            Step(say="Press Connect. Other assistants on the web take the same address where they add a connector."),
        ),
    ),
    Way(
        key="inspector",
        steps=(
            Step(
                say="Start it, choose Streamable HTTP, give it the address and connect:",
                lines=(
                    "npx @modelcontextprotocol/inspector",
                    "{mcp}",
                ),
            ),
            Step(
                say="Or without a browser, with a token:",
                lines=(
                    "npx @modelcontextprotocol/inspector --cli {mcp} --transport http "
                    '--header "Authorization: Bearer $BATON_TOKEN" --method tools/list',
                ),
            ),
        ),
    ),
    Way(
        key="other",
        called="Any other",
        steps=(
            Step(
                say="Any MCP client over streamable HTTP takes this address and finds the rest by itself:",
                lines=("{mcp}",),
            ),
            Step(
                say="It registers, opens your browser and asks you. Where there is no browser, it shows a code: type "
                "that at this address.",
                lines=("{base}/device",),
            ),
        ),
    ),
    Way(
        key="ci",
        called="CI and scripts",
        token=True,
        steps=(
            Step(
                say="Keep the token in the secrets of your CI as BATON_TOKEN. For REST:",
                lines=('curl -H "Authorization: Bearer $BATON_TOKEN" {base}/api/v1/me',),
            ),
            Step(
                say="For programs in Python that drive a model themselves (Help, Python, has examples):",
                lines=("pip install {base}/connect/baton_client-0.1.0-py3-none-any.whl",),
            ),
            Step(
                say="For a host in a job, which sends it as a bearer:",
                lines=(
                    'claude mcp add --transport http baton {mcp} --header "Authorization: Bearer $BATON_TOKEN"',
                    "codex mcp add baton --url {mcp} --bearer-token-env-var BATON_TOKEN",
                ),
            ),
        ),
    ),
)
