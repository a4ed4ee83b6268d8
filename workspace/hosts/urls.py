"""Addresses of what hosts install."""

from django.urls import path

from workspace.hosts import views

urlpatterns = [
    path("connect/<slug:host>.zip", views.download, name="bundle"),
    path("connect/<str:name>.whl", views.wheel, name="wheel"),
]
