"""Django alone, for servers that speak WSGI; MCP needs the ASGI application."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")
application = get_wsgi_application()
