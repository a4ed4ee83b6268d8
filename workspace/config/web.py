"""One web process: `python -m workspace.config.web FD` serves on an inherited listening socket."""

import os
import socket
import sys

import uvicorn
from django.conf import settings

from workspace.config.protocol import BoundedProtocol
from workspace.management import parent


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")
    config = uvicorn.Config(
        "workspace.config.asgi:application",
        http=BoundedProtocol,
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.BATON_PROXIES),
        forwarded_allow_ips=settings.BATON_PROXIES,
        # Live updates and long polls never end by themselves.
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
    )
    config.load()
    parent.wait_for_go()
    parent.watch()
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
