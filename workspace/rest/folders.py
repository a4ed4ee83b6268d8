"""Folders."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import AlreadyExists, Forbidden, IdempotencyMismatch, Invalid, NotFound
from workspace.queries import citations
from workspace.queries import folders as reads
from workspace.rest import bodies, parameters
from workspace.rest.answers import answer, moment, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import naming
from workspace.rest.provenance import ROLES
from workspace.rest.schema import KEY, LOCATION_IN_PATH, PAGED, operation, page_of, query
from workspace.services import captures, folders, sharing
from workspace.services.outcomes import Made, name_of


class NewFolder(bodies.Inputs):
    location = bodies.Text(help_text="The whole path from the root. What is missing on the way is made too.")


class FolderSettings(bodies.Inputs):
    retention_days = bodies.Whole(
        least=1,
        most=captures.MAX_RETENTION_DAYS,
        allow_null=True,
        required=False,
        help_text="How long captures are kept, in days; null keeps them.",
    )
    editors_share = bodies.Flag(
        required=False,
        help_text="Whether editors may share it and what is below it, up to editor. Where it is false above, it is "
        "closed here whatever it says.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(f"names nothing to set. It takes: {', '.join(self.fields)}.")
        return attrs


class FolderOut(serializers.Serializer[Any]):
    """A folder in a list. Its role is null where only its name shows, on the way to something below it."""

    id = serializers.IntegerField()
    location = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES, allow_null=True)
    documents = serializers.IntegerField(help_text="Those right in it that you can see.")
    folders = serializers.IntegerField(help_text="Those right in it that you can see.")
    web_url = serializers.CharField()


class AbilitiesOut(serializers.Serializer[Any]):
    """What you may do here."""

    role = serializers.ChoiceField(choices=ROLES)
    read = serializers.BooleanField()
    edit = serializers.BooleanField()
    create = serializers.BooleanField()  # type: ignore[assignment]
    delete = serializers.BooleanField()
    share = serializers.BooleanField()
    manage = serializers.BooleanField()


class FolderDetailOut(serializers.Serializer[Any]):
    """One folder."""

    id = serializers.IntegerField()
    location = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES, allow_null=True)
    abilities = AbilitiesOut(allow_null=True)
    retention_days = serializers.IntegerField(allow_null=True)
    editors_share = serializers.BooleanField(
        help_text="Its own setting: a folder above may say otherwise. abilities tells what you may."
    )
    created_at = serializers.DateTimeField()
    web_url = serializers.CharField()


class MadeFolderOut(serializers.Serializer[Any]):
    """A folder after a write."""

    id = serializers.IntegerField()
    location = serializers.CharField()
    outcome = serializers.ChoiceField(
        choices=["saved", "replayed"],
        help_text="replayed: the key was used before, and this is what it came to then.",
    )
    created_folders = serializers.ListField(child=serializers.CharField())
    web_url = serializers.CharField()


class DeletedFolderOut(serializers.Serializer[Any]):
    location = serializers.CharField()
    documents = serializers.IntegerField(help_text="How many documents were deleted with it; each can be undeleted.")


EXAMPLE = {
    "id": 7,
    "location": "product/launch",
    "outcome": "saved",
    "created_folders": ["product", "product/launch"],
    "web_url": "https://baton.example.org/f/product/launch",
}


class Folders(Endpoint):
    @operation(
        "listFolders",
        "List folders",
        tag="folders",
        ok=page_of(FolderOut),
        parameters=[query("parent", "The folder whose children to list; without it, the top level."), *PAGED],
        refuses=[NotFound, Invalid],
        examples={
            "The top level": {
                "items": [
                    {
                        "id": 3,
                        "location": "product",
                        "name": "product",
                        "role": "manager",
                        "documents": 2,
                        "folders": 1,
                        "web_url": "https://baton.example.org/f/product",
                    }
                ],
                "next_cursor": None,
            }
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """The folders that lie right in `parent`, by name."""
        with naming({"location": "parent"}):
            found = reads.children(
                self.actor,
                parent=parameters.text(request, "parent") or None,
                limit=parameters.limit(request),
                cursor=parameters.cursor(request),
            )
        return page(found, row)

    @operation(
        "createFolder",
        "Create a folder",
        tag="folders",
        ok=MadeFolderOut,
        status=201,
        parameters=[KEY],
        request=NewFolder,
        refuses=[NotFound, Forbidden, AlreadyExists, IdempotencyMismatch],
        sends={"A folder": {"location": "product/launch"}},
        examples={"Made": EXAMPLE},
    )
    def post(self, request: Request) -> HttpResponse:
        """Makes the folder and those that are missing above it, and makes you the manager of what it made."""
        key = parameters.idempotency_key(request)
        body = bodies.read(request, NewFolder)
        return answer(made(folders.create(self.actor, idempotency_key=key, **body)), status=201)


class Folder(Endpoint):
    @operation(
        "readFolder",
        "Read a folder",
        tag="folders",
        ok=FolderDetailOut,
        parameters=[LOCATION_IN_PATH],
        refuses=[NotFound, Invalid],
    )
    def get(self, request: Request, location: str) -> HttpResponse:
        """What a folder is set to, and what you may do in it."""
        return answer(detail(reads.show(self.actor, location=parameters.location(request, location))))

    @operation(
        "setFolder",
        "Change a folder's settings",
        tag="folders",
        ok=MadeFolderOut,
        parameters=[LOCATION_IN_PATH],
        request=FolderSettings,
        refuses=[NotFound, Forbidden],
        sends={"Ninety days": {"retention_days": 90}, "Only managers share": {"editors_share": False}},
    )
    def patch(self, request: Request, location: str) -> HttpResponse:
        """How long captures in it are kept, and whether editors may share it; what is left out stays. Needs
        manager."""
        body, location = bodies.read(request, FolderSettings), parameters.location(request, location)
        if "editors_share" in body:
            sharing.set_editors_share(self.actor, location=location, allowed=body["editors_share"])
        if "retention_days" in body:
            return answer(made(folders.settings(self.actor, location=location, retention_days=body["retention_days"])))
        found = reads.show(self.actor, location=location)
        return answer(made(Made(id=found.id, location=found.location)))

    @operation(
        "deleteFolder",
        "Delete a folder",
        tag="folders",
        ok=DeletedFolderOut,
        parameters=[LOCATION_IN_PATH],
        refuses=[NotFound, Forbidden, Invalid],
        examples={"Deleted": {"location": "product/launch", "documents": 12}},
    )
    def delete(self, request: Request, location: str) -> HttpResponse:
        """Deletes it with all below it; each document gets a tombstone and can be undeleted. Needs manager."""
        location = parameters.location(request, location)
        documents = folders.delete(self.actor, location=location)
        return answer({"location": location, "documents": documents})


def row(found: reads.FolderRow) -> dict[str, Any]:
    """A folder as ``FolderOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "name": found.name,
        "role": found.role.label if found.role else None,
        "documents": found.documents,
        "folders": found.folders,
        "web_url": citations.folder_url(found.location),
    }


def detail(found: reads.FolderView) -> dict[str, Any]:
    """A folder as ``FolderDetailOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "name": found.name,
        "role": found.role.label if found.role else None,
        "abilities": vars(found.abilities) if found.abilities else None,
        "retention_days": found.retention_days,
        "editors_share": found.editors_share,
        "created_at": moment(found.created_at),
        "web_url": citations.folder_url(found.location),
    }


def made(found: Made) -> dict[str, Any]:
    """A folder after a write, as ``MadeFolderOut``."""
    return {
        "id": found.id,
        "location": found.location,
        "outcome": name_of(found),
        "created_folders": list(found.created_folders),
        "web_url": citations.folder_url(found.location),
    }
