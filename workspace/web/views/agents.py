"""My agents and their tokens."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.actor import Actor
from workspace.errors import AlreadyExists, Invalid
from workspace.queries import agents
from workspace.queries.agents import AgentRow
from workspace.queries.who import Who
from workspace.services import agents as services
from workspace.web.forms.people import AgentForm
from workspace.web.frame import page, person
from workspace.web.views.help import TOPICS

MCP = "{base}/mcp"


def index(request: HttpRequest) -> HttpResponse:
    """My agents, and the form for another."""
    return _listed(request, AgentForm())


def _listed(request: HttpRequest, form: AgentForm, *, status: int = 200, **more: object) -> HttpResponse:
    context = {
        "form": form,
        "agents": _mine(person(request)),
        **more,
    }
    response = page(request, "agent/list.html", context, section="agents", status=status)
    if "minted" in more:
        response["Cache-Control"] = "no-store"
    return response


def _mine(actor: Actor) -> list[tuple[AgentRow, Who, str]]:
    """My agents, each with its mark's author and its reach in words."""
    return [
        (
            row,
            Who(kind="agent", label=row.name, email=actor.email, person_label=actor.label, host=row.host),
            ", ".join(_reach(scope) for scope in row.scopes) or "all that you may",
        )
        for row in agents.mine(actor)
    ]


def _reach(scope: str) -> str:
    role, _, location = scope.partition("@")
    return f"{role} {'wherever you may' if location == '*' else f'of {location}'}"


def create(request: HttpRequest) -> HttpResponse:
    """Make an agent. Its token is on this one answer and nowhere else, so there is no redirect."""
    form = AgentForm(request.POST)
    if form.is_valid():
        try:
            minted = services.create(
                person(request),
                name=form.cleaned_data["name"],
                host=form.cleaned_data["host"],
                scopes=form.scopes(),
                expires_days=form.cleaned_data["expires_days"],
            )
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            form.add_error("name", refusal.detail)
            return _listed(request, form, status=409)
        else:
            return _listed(request, AgentForm(), status=201, minted=minted)
    return _listed(request, form, status=422)


def revoke(request: HttpRequest, agent_id: str) -> HttpResponse:
    """End an agent."""
    services.revoke(person(request), agent=agent_id)
    messages.success(request, "Revoked. Its next call is refused.")
    return redirect("agents")


def connect(request: HttpRequest) -> HttpResponse:
    """The exact lines for each host, with this instance's address."""
    address = MCP.format(base=settings.BATON_BASE_URL)
    hosts = [
        {"key": key, "name": name, "say": say, "lines": [line.format(mcp=address) for line in lines]}
        for key, name, say, lines in HOSTS
    ]
    topic = next(each for each in TOPICS if each.slug == "connect")
    chosen = next((host for host in hosts if host["key"] == request.GET.get("host")), hosts[0])
    context = {"hosts": hosts, "host": chosen, "topics": TOPICS, "topic": topic}
    return page(request, "connect.html", context, section="help")


HOSTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "claude-code",
        "Claude Code",
        "In a terminal, with the token in place of TOKEN:",
        ('claude mcp add --transport http baton {mcp} --header "Authorization: Bearer TOKEN"',),
    ),
    (
        "codex",
        "Codex",
        "Keep the token in an environment variable, and name it in ~/.codex/config.toml:",
        ("export BATON_TOKEN=TOKEN", '[mcp_servers.baton]\nurl = "{mcp}"\nbearer_token_env_var = "BATON_TOKEN"'),
    ),
    (
        "gemini",
        "Gemini",
        "In a terminal, with the token in place of TOKEN:",
        ('gemini mcp add --transport http baton {mcp} --header "Authorization: Bearer TOKEN"',),
    ),
    (
        "opencode",
        "OpenCode",
        "In opencode.json:",
        (
            '{{\n  "mcp": {{\n    "baton": {{\n      "type": "remote",\n      "url": "{mcp}",\n'
            '      "headers": {{"Authorization": "Bearer TOKEN"}}\n    }}\n  }}\n}}',
        ),
    ),
    (
        "other",
        "Any other",
        "Any MCP client over streamable HTTP: this address, and the token as a bearer.",
        ("{mcp}", "Authorization: Bearer TOKEN"),
    ),
)
