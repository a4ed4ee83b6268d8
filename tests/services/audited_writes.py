"""Each service that writes, called once, and the entries that it leaves."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.cast import PLAN
from tests.services.audited import (
    PLACE,
    World,
    binding,
    capture,
    conflict,
    connected,
    failed_job,
    group,
    head_of,
    link_of,
    note,
    overdue_capture,
    overdue_proposal,
    prepared,
    proposal,
    purge_of_documents,
    purge_of_drafts,
    purge_of_records,
    request,
    session,
)
from workspace.digest.summary import SummaryLine
from workspace.merge import merge
from workspace.models import (
    AgentToken,
    Folder,
)
from workspace.queries import bindings as consents
from workspace.services import (
    access_requests,
    agents,
    bindings,
    captures,
    conflicts,
    connections,
    documents,
    folders,
    groups,
    imports,
    invitations,
    jobs,
    moves,
    people,
    replay,
    sessions,
    settling,
    sharing,
    sign_in_links,
    summaries,
    welcome,
)

WRITES: dict[str, tuple[Callable[[World], Callable[[], Any]], list[str]]] = {
    "access_requests.ask": (
        prepared(lambda w: access_requests.ask(w.cast.mallory, location=PLACE, role="viewer")),
        ["access.requested"],
    ),
    "access_requests.decide": (
        prepared(lambda w, made: access_requests.decide(w.alice, request=made, approve=True), request),
        ["grant.given", "access.approved"],
    ),
    "access_requests.withdraw": (
        prepared(lambda w, made: access_requests.withdraw(w.cast.mallory, request=made), request),
        ["access.withdrawn"],
    ),
    "agents.create": (prepared(lambda w: agents.create(w.alice, name="new")), ["token.minted"]),
    "agents.rename": (
        prepared(lambda w: agents.rename(w.alice, agent=str(w.cast.scout.agent), name="ranger")),
        ["agent.renamed"],
    ),
    "agents.revoke": (
        prepared(lambda w: agents.revoke(w.alice, agent=str(w.cast.scout.agent))),
        ["agent.revoked"],
    ),
    "agents.revoke_token": (
        prepared(lambda w: agents.revoke_token(w.alice, token=AgentToken.objects.get(agent__name="scout").pk)),
        ["token.revoked"],
    ),
    "bindings.bind": (prepared(binding), ["binding.set"]),
    "bindings.bind, for everybody": (
        prepared(lambda w: bindings.bind(w.root, repository="github.com/acme/shop", folder="product", everybody=True)),
        ["binding.set"],
    ),
    "bindings.remove": (prepared(lambda w, made: bindings.remove(w.alice, binding=made), binding), ["binding.removed"]),
    "bindings.switch_capture": (
        prepared(
            lambda w, made: bindings.switch_capture(
                w.alice, binding=made, capture="ask", seen=consents.consent(w.alice, id=made).seen
            ),
            binding,
        ),
        ["binding.capture_switched"],
    ),
    "captures.approve": (
        prepared(lambda w, made: captures.approve(w.alice, capture=made), proposal),
        ["capture.approved"],
    ),
    "captures.commit": (prepared(capture), ["capture.created"]),
    "captures.commit, proposed": (prepared(proposal), ["capture.proposed"]),
    "captures.erase, proposed": (
        prepared(lambda w, made: captures.erase(w.alice, capture=made), proposal),
        ["capture.declined"],
    ),
    "captures.retain, proposed": (
        prepared(lambda w, made: captures.retain(made), overdue_proposal),
        ["capture.erased"],
    ),
    "captures.erase": (prepared(lambda w, made: captures.erase(w.alice, capture=made), capture), ["capture.erased"]),
    "captures.retain": (
        prepared(
            lambda w, made: captures.retain(made),
            overdue_capture,
        ),
        ["capture.erased"],
    ),
    "conflicts.resolve": (
        prepared(lambda w, made: conflicts.resolve(w.alice, conflict=made, choices=["mine"]), conflict),
        ["conflict.resolved"],
    ),
    "settling.save": (
        prepared(lambda w, made: settling.save(w.alice, conflict=made, choices=["mine"], head=head_of(w)), conflict),
        ["conflict.begun"],
    ),
    "conflicts.discard": (
        prepared(lambda w, made: conflicts.discard(w.alice, conflict=made), conflict),
        ["conflict.discarded"],
    ),
    "connections.connect": (prepared(connected), ["agent.connected"]),
    "connections.disconnect": (
        prepared(lambda w, made: connections.disconnect(w.alice, connection=made.id), connected),
        ["agent.disconnected"],
    ),
    "connections.end": (
        prepared(lambda w, made: connections.end("g", why="a refresh token was used twice"), connected),
        ["agent.disconnected"],
    ),
    "documents.create": (
        prepared(lambda w: documents.create(w.alice, location="new/a.md", content="x")),
        ["folder.created", "grant.given", "document.created"],
    ),
    "documents.edit": (
        prepared(lambda w: documents.edit(w.alice, location=PLACE, content="new", expected_commit=w.head)),
        ["document.edited"],
    ),
    "documents.edit, merging": (
        prepared(
            lambda w, _: documents.edit(
                w.cast.bob,
                location=PLACE,
                content=PLAN.replace("slow", "quick"),
                expected_commit=w.head,
                on_conflict="merge",
            ),
            lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third"),
        ),
        ["document.merged"],
    ),
    "documents.merge_in": (
        prepared(
            lambda w, moved: documents.merge_in(
                w.cast.bob,
                location=PLACE,
                merged=merge(PLAN, PLAN.replace("second", "third"), PLAN.replace("slow", "quick")),
                upon=w.head,
                expected_commit=moved.commit,
            ),
            lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third"),
        ),
        ["document.merged"],
    ),
    "documents.edit, in conflict": (prepared(conflict), ["document.edited", "conflict.opened"]),
    "documents.substitute": (
        prepared(lambda w: documents.substitute(w.alice, location=PLACE, old_string="second", new_string="third")),
        ["document.edited"],
    ),
    "documents.append": (
        prepared(lambda w: documents.append(w.cast.rover, location=PLACE, content="more")),
        ["document.edited"],
    ),
    "documents.replace_section": (
        prepared(lambda w: documents.replace_section(w.alice, location=PLACE, section="Goals", content="## Goals\n")),
        ["document.edited"],
    ),
    "documents.move": (
        prepared(lambda w: documents.move(w.alice, source=PLACE, target="product/plan.md")),
        ["document.moved_away", "document.moved"],
    ),
    "documents.delete": (prepared(lambda w: documents.delete(w.alice, location=PLACE)), ["document.deleted"]),
    "documents.undelete": (
        prepared(
            lambda w, _: documents.undelete(w.alice, location=PLACE),
            lambda w: folders.delete(w.alice, location="product"),
        ),
        ["folder.undeleted", "folder.undeleted", "document.undeleted"],
    ),
    "documents.restore": (
        prepared(
            lambda w, _: documents.restore(w.alice, location=PLACE, commit=w.head),
            lambda w: documents.append(w.alice, location=PLACE, content="more"),
        ),
        ["document.restored"],
    ),
    "documents.restore_section": (
        prepared(
            lambda w, _: documents.restore_section(w.alice, location=PLACE, commit=w.head, section="Goals"),
            lambda w: documents.replace_section(w.alice, location=PLACE, section="Goals", content="Other."),
        ),
        ["document.edited"],
    ),
    "folders.create": (
        prepared(lambda w: folders.create(w.alice, location="product/one/two")),
        ["folder.created", "folder.created"],
    ),
    "folders.move": (
        prepared(lambda w: folders.move(w.alice, source="product/launch", target="product/landing")),
        ["folder.moved_away", "folder.moved"],
    ),
    "folders.settings": (
        prepared(lambda w: folders.settings(w.alice, location="product", retention_days=30)),
        ["folder.settings_changed"],
    ),
    "folders.delete": (
        prepared(lambda w: folders.delete(w.alice, location="product")),
        ["document.deleted", "folder.deleted"],
    ),
    "groups.create": (prepared(group), ["group.created"]),
    "groups.rename": (
        prepared(lambda w, made: groups.rename(w.root, group=made, name="team"), group),
        ["group.renamed"],
    ),
    "groups.add": (
        prepared(lambda w, made: groups.add(w.root, group=made, person=w.person("bob")), group),
        ["group.member_added"],
    ),
    "groups.remove": (
        prepared(
            lambda w, made: groups.remove(w.root, group=made, person=w.person("bob")),
            lambda w: (made := group(w), groups.add(w.root, group=made, person=w.person("bob")))[0],
        ),
        ["group.member_removed"],
    ),
    "groups.nest": (
        prepared(
            lambda w, outer, inner: groups.nest(w.root, group=outer, inner=inner), group, lambda w: group(w, "inner")
        ),
        ["group.nested"],
    ),
    "groups.unnest": (
        prepared(
            lambda w, pair: groups.unnest(w.root, group=pair[0], inner=pair[1]),
            lambda w: (pair := (group(w), group(w, "inner")), groups.nest(w.root, group=pair[0], inner=pair[1]))[0],
        ),
        ["group.unnested"],
    ),
    "groups.delete": (prepared(lambda w, made: groups.delete(w.root, group=made), group), ["group.deleted"]),
    "imports.run": (
        prepared(lambda w: list(imports.run(w.alice, entries=[note("one")], into="product/notes"))),
        ["folder.created", "document.created"],
    ),
    "invitations.create": (
        prepared(lambda w: invitations.create(w.root, email="new@example.org")),
        ["invitation.created"],
    ),
    "invitations.renew": (
        prepared(
            lambda w, made: invitations.renew(w.root, invitation=made.id),
            lambda w: invitations.create(w.root, email="new@example.org"),
        ),
        ["invitation.renewed"],
    ),
    "invitations.revoke": (
        prepared(lambda w, made: invitations.revoke(w.root, invitation=made.id), lambda w: invitations.create(w.root)),
        ["invitation.revoked"],
    ),
    "invitations.accept": (
        prepared(
            lambda w, made: invitations.accept(w.cast.mallory, link=link_of(made)),
            lambda w: invitations.create(w.alice, location="product/launch", role="viewer"),
        ),
        ["invitation.accepted", "grant.given"],
    ),
    "invitations.sign_up": (
        prepared(
            lambda w, made: invitations.sign_up(
                link_of(made), email="new@example.org", name="New", password="a calm and long one"
            ),
            lambda w: invitations.create(w.root, email="new@example.org"),
        ),
        ["person.signed_up", "invitation.accepted"],
    ),
    "jobs.retry": (prepared(lambda w, made: jobs.retry(w.alice, job=made), failed_job), ["job.retried"]),
    "moves.move": (
        prepared(lambda w: moves.move(w.alice, source=PLACE, target="product/plan.md")),
        ["document.moved_away", "document.moved"],
    ),
    "people.create": (prepared(lambda w: people.create(w.root, email="new@example.org")), ["person.created"]),
    "people.update": (
        prepared(lambda w: people.update(w.root, person=w.person("bob"), name="Rob", active=False, admin=True)),
        ["person.renamed", "person.deactivated", "person.admin_changed"],
    ),
    "people.rename": (prepared(lambda w: people.rename(w.alice, name="Alicia")), ["person.renamed"]),
    "people.sign_out": (
        prepared(lambda w: people.sign_out(w.root, person=w.person("bob"))),
        ["person.signed_out"],
    ),
    "sessions.end": (
        prepared(lambda w, made: sessions.end(w.alice, session=made, current="here"), lambda w: session(w).pk),
        ["signin.session_ended"],
    ),
    "sessions.end_others": (
        prepared(lambda w, _: sessions.end_others(w.alice, current="here"), lambda w: session(w)),
        ["signin.session_ended"],
    ),
    "people.reset_second_steps": (
        prepared(lambda w: people.reset_second_steps(w.root, person=w.person("bob"))),
        ["mfa.reset"],
    ),
    "people.set_password": (
        prepared(lambda w: people.set_password(w.root, person=w.person("bob"), password="a calm and long one")),
        ["password.set"],
    ),
    "purging.documents": (purge_of_documents, ["document.purged"]),
    "purging.drafts": (purge_of_drafts, ["conflict.purged"]),
    "purging.records": (purge_of_records, ["records.purged"]),
    "replay.commit": (
        prepared(
            lambda w: replay.commit(
                w.alice, content="x", at=datetime(2020, 1, 1, tzinfo=UTC), location="product/old.md"
            )
        ),
        ["document.created"],
    ),
    "sharing.grant": (
        prepared(lambda w: sharing.grant(w.alice, location=PLACE, subject="mallory@example.org", role="viewer")),
        ["grant.given"],
    ),
    "sharing.revoke": (
        prepared(lambda w: sharing.revoke(w.alice, location="product/launch", subject="carol@example.org")),
        ["grant.revoked"],
    ),
    "sharing.set_editors_share": (
        prepared(lambda w: sharing.set_editors_share(w.alice, location="product", allowed=False)),
        ["grant.editors_share"],
    ),
    "sharing.view_as": (
        prepared(lambda w: sharing.view_as(w.alice, location="product/launch", subject="carol@example.org")),
        ["access.viewed_as"],
    ),
    "sign_in_links.make": (
        prepared(lambda w: sign_in_links.make(w.root, person=w.person("bob"))),
        ["signin.link_made"],
    ),
    "sign_in_links.redeem": (
        prepared(
            lambda w, made: sign_in_links.redeem(made), lambda w: sign_in_links.make(w.root, person=w.person("bob"))
        ),
        ["signin.link_used"],
    ),
    "summaries.record": (
        prepared(
            lambda w, made: summaries.record(made, [SummaryLine(section="asked", text="x", source=made)], "dummy"),
            capture,
        ),
        ["capture.summarised"],
    ),
    "summaries.consolidate": (
        prepared(
            lambda w, _: summaries.consolidate(Folder.objects.get(path="product/launch").pk),
            lambda w: summaries.record(
                made := capture(w), [SummaryLine(section="asked", text="x", source=made)], "dummy"
            ),
        ),
        ["document.created"],
    ),
    "welcome.make_link": (prepared(lambda w: welcome.make_link()), ["signin.link_made"]),
}
"""By the name of the service: what it takes to call it, and the actions that it then leaves, in order."""
