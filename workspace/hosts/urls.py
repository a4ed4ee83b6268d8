"""Addresses of what hosts install."""

from django.urls import path

from workspace.hosts import views

urlpatterns = [
    path("connect/<slug:host>.zip", views.download, name="bundle"),
    path("connect/<slug:host>.git/info/refs", views.references, name="bundle_references"),
    path("connect/<slug:host>.git/git-upload-pack", views.upload_pack, name="bundle_upload_pack"),
    path("connect/<str:name>.whl", views.wheel, name="wheel"),
]
