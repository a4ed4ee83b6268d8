"""The product's settings with what tests need: a fast hasher, plain connections, no mail."""

from tests import database

database.start()

from workspace.config.settings import *  # noqa: E402, F403
from workspace.config.settings import DATABASES, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
# Each test thread closes its own connection; a pool would keep sessions that block dropping the database.
DATABASES["default"]["OPTIONS"].pop("pool")
# Pages are rendered without collecting the static files first, so their names are the plain ones.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
