"""The Celery application: a doorbell. Rows are the queue, so nothing here has to be durable."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "workspace.config.broker:Transport"

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")
app = Celery("baton", set_as_current=True)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workspace"], related_name="jobs")
app.autodiscover_tasks(["workspace.config"], related_name="background")
