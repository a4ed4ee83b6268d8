"""What a person may decide about a program that asks: as which agent, where, whether to write, until when."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.http import QueryDict

from workspace import access
from workspace.actor import Actor, Role
from workspace.errors import Gone, Invalid, NotFound
from workspace.queries import consents, folders
from workspace.queries.consents import Remembered
from workspace.queries.folders import FolderNode
from workspace.services.agents import named
from workspace.services.connections import PLACES, Asking

SHOWN = 300
"""Folders in the tree of choices. Deeper ones beyond it can be named."""
EXPIRIES = ((1, "for one day"), (7, "for 7 days"), (30, "for 30 days"), (90, "for 90 days"), (0, "until I revoke it"))
USUAL_DAYS = 90


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A folder in the tree of choices. Where ``role`` is None the person only passes through it and cannot choose
    it; ``open`` is whether something below it is chosen."""

    location: str
    name: str
    role: Role | None
    chosen: bool
    open: bool
    inner: tuple["Branch", ...]


class ChoicesForm(forms.Form):
    """The person's choices about ``asking``. ``remembered`` are their agents that this client was before."""

    use_required_attribute = False

    agent = forms.CharField(required=False, max_length=64)
    name = forms.CharField(required=False, max_length=consents.NAME)
    where = forms.ChoiceField(choices=[("all", "Everywhere I can reach"), ("chosen", "Only in chosen folders")])
    place = forms.Field(required=False)
    others = forms.CharField(required=False, max_length=20_000)
    read_only = forms.BooleanField(required=False)
    manage = forms.BooleanField(required=False)
    expires = forms.TypedChoiceField(choices=EXPIRIES, coerce=int)

    def __init__(self, actor: Actor, asking: Asking, data: QueryDict | None = None) -> None:
        self.actor = actor
        self.sent = data
        self.asking = asking
        self.may_write = asking.writes
        self.remembered = consents.remembered(actor, client_id=asking.client_id)
        self._nodes: tuple[FolderNode, ...] | None = None
        super().__init__(data, initial=self._initial(), label_suffix="")

    def _initial(self) -> dict[str, Any]:
        """What was allowed the last time, else everything for a while, under a name that is free."""
        free = consents.free_name(self.actor.person or 0, self.asking.client_name)
        if not self.remembered:
            return {
                "agent": "",
                "name": free,
                "where": "all",
                "read_only": False,
                "manage": False,
                "expires": USUAL_DAYS,
                "places": (),
            }
        last = self.remembered[0]
        return {
            "agent": last.id,
            "name": free,
            "where": "chosen" if last.narrowed else "all",
            "places": last.places,
            "read_only": last.read_only,
            "manage": last.manages,
            "expires": _days(last),
        }

    # -- what the page shows --

    @property
    def last(self) -> Remembered | None:
        """The agent that this client was the last time, if it was one."""
        return self.remembered[0] if self.remembered else None

    def current(self, field: str) -> Any:
        """What stands in ``field``: what was sent, else what is proposed."""
        return self.data.get(field, "") if self.is_bound else self.initial[field]

    @property
    def shown(self) -> dict[str, Any]:
        """The current value of each simple field, for the template."""
        sent = {name: self.current(name) for name in ("agent", "name", "where")}
        expires = self.current("expires")
        return {
            **sent,
            "others": self.data.get("others", "") if self.is_bound else "\n".join(self._unlisted()),
            "read_only": bool(self.current("read_only")),
            "manage": bool(self.current("manage")),
            "expires": int(expires) if str(expires).isdigit() else USUAL_DAYS,
        }

    def _chosen(self) -> list[str]:
        return list(self.initial["places"]) if self.sent is None else self.sent.getlist("place")

    def _unlisted(self) -> list[str]:
        """Places of the last time that have no box in the tree: documents, and folders beyond the shown ones."""
        boxes = {node.location for node in self.nodes[:SHOWN] if node.role}
        return [place for place in self.initial["places"] if place not in boxes]

    @property
    def nodes(self) -> tuple[FolderNode, ...]:
        """Every folder that the person sees, the upper ones first; the tree shows the first ``SHOWN``."""
        if self._nodes is None:
            self._nodes = tuple(sorted(folders.tree(self.actor), key=lambda node: node.depth))
        return self._nodes

    @property
    def hidden_count(self) -> int:
        """How many folders have no box in the tree."""
        return max(0, len(self.nodes) - SHOWN)

    @property
    def tree(self) -> tuple[Branch, ...]:
        """The person's folders, each with its box."""
        chosen = set(self._chosen())
        below: dict[str, list[FolderNode]] = {}
        for node in self.nodes[:SHOWN]:
            below.setdefault(node.location.rpartition("/")[0], []).append(node)

        def branches(above: str) -> tuple[Branch, ...]:
            made = []
            for node in sorted(below.get(above, ()), key=lambda node: node.name.casefold()):
                inner = branches(node.location)
                made.append(
                    Branch(
                        location=node.location,
                        name=node.name,
                        role=node.role,
                        chosen=node.location in chosen,
                        open=any(branch.chosen or branch.open for branch in inner) or node.role is None,
                        inner=inner,
                    )
                )
            return tuple(made)

        return branches("")

    # -- what was sent --

    def clean_agent(self) -> str:
        agent: str = self.cleaned_data["agent"]
        if agent and agent not in {known.id for known in self.remembered}:
            raise forms.ValidationError("This is none of your agents that this program was before.")
        return agent

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._clean_name(cleaned)
        named_places = [line.strip() for line in (cleaned.get("others") or "").splitlines()]
        places = list(dict.fromkeys([*self._chosen(), *(line for line in named_places if line)]))
        if cleaned.get("where") == "all" and places:
            # Whoever ticked folders meant them: a wider grant than was meant would be the worse mistake.
            self.add_error("where", "You chose folders as well. Say which of the two you mean.")
        elif cleaned.get("where") == "chosen":
            self._check(places)
        if cleaned.get("read_only") and cleaned.get("manage"):
            self.add_error("manage", "It cannot manage what it may only read. Take one of the two.")
        cleaned["places"] = tuple(places)
        return cleaned

    def _clean_name(self, cleaned: dict[str, Any]) -> None:
        if cleaned.get("agent") or "agent" not in cleaned:
            return
        try:
            name = named(cleaned.get("name"))
        except Invalid:
            self.add_error("name", "Give it a name of 1 to 200 printable characters.")
            return
        if consents.free_name(self.actor.person or 0, name) != consents.plain(name):
            self.add_error("name", "You have an agent of this name. Choose another, or say that it is the same one.")

    def _check(self, places: list[str]) -> None:
        if not places:
            self.add_error("where", "Choose at least one folder.")
        if len(places) > PLACES:
            self.add_error("where", f"Choose {PLACES} places at most, or a folder that holds several of them.")
            return
        for place in places:
            try:
                access.place(self.actor, location=place)
            except (NotFound, Gone, Invalid):
                self.add_error("others", f"{place} is no place that you can see.")


def _days(agent: Remembered) -> int:
    """The choice of expiry that ``agent`` was given."""
    if agent.expires_at is None:
        return 0
    given = _whole_days(agent.consented_at, agent.expires_at)
    return min((days for days, _ in EXPIRIES if days), key=lambda days: abs(days - given))


def _whole_days(since: datetime, until: datetime) -> int:
    return round((until - since) / timedelta(days=1))
