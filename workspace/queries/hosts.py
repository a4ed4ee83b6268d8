"""The hosts that agents are known to run in."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Host:
    """A host: ``key`` is kept of an agent, ``letter`` stands in its mark, empty for the agent's own.

    ``called`` is what its client calls itself, in part and in small letters.
    """

    key: str
    name: str
    called: tuple[str, ...]
    letter: str = ""


# In the order in which a client's name is looked at: "claude code" is in it before "claude".
HOSTS = (
    Host(key="claude-code", name="Claude Code", called=("claude code",), letter="C"),
    Host(key="codex", name="Codex", called=("codex",), letter="X"),
    Host(key="gemini", name="Gemini CLI", called=("gemini",), letter="G"),
    Host(key="opencode", name="opencode", called=("opencode",), letter="O"),
    Host(key="cursor", name="Cursor", called=("cursor",)),
    Host(key="vscode", name="VS Code", called=("visual studio code", "vs code")),
    Host(key="inspector", name="MCP Inspector", called=("inspector",)),
    Host(key="chatgpt", name="ChatGPT", called=("chatgpt",)),
    Host(key="claude", name="Claude", called=("claude",)),
)
NAMES = {host.key: host.name for host in HOSTS}
LETTERS = {host.key: host.letter for host in HOSTS if host.letter}


def key_of(client_name: str) -> str:
    """The key of the host that a client's own name points at; "" where it is none that is known.

    A client that lies about it gains another letter in its mark, no more.
    """
    said = " ".join(client_name.casefold().replace("-", " ").replace("_", " ").split())
    return next((host.key for host in HOSTS if any(words in said for words in host.called)), "")
