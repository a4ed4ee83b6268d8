"""A server that really runs, and what speaks to it."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from tests.cast import PLAN, Cast
from tests.mcp.calls import Calls
from tests.mcp.rpc import Rpc
from workspace.config.asgi import application

PLACE = "product/launch/plan.md"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The whole ASGI application on a port of its own; its address without a path."""
    listener = socket.create_server(("127.0.0.1", 0))
    host, port = listener.getsockname()[:2]
    running = uvicorn.Server(uvicorn.Config(application, lifespan="on", log_config=None, access_log=False, ws="none"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not running.started:
        assert time.monotonic() < until, "the server did not start"
        time.sleep(0.02)
    yield f"http://{host}:{port}"
    running.should_exit = True
    thread.join(timeout=10)
    listener.close()


@pytest.fixture
def live_scout(server: str, committed_cast: Cast) -> Rpc:
    """Alice's agent over HTTP."""
    return Rpc(server, committed_cast.tokens["scout"])


@pytest.fixture
def live_rover(server: str, committed_cast: Cast) -> Rpc:
    """Bob's agent over HTTP."""
    return Rpc(server, committed_cast.tokens["rover"])


@pytest.fixture
def scout(cast: Cast) -> Calls:
    """Alice's agent, in the test's transaction."""
    return Calls(cast.scout)


@pytest.fixture
def rover(cast: Cast) -> Calls:
    """Bob's agent, in the test's transaction."""
    return Calls(cast.rover)


@pytest.fixture
def first(scout: Calls) -> str:
    """The first commit of product/launch/plan.md, written by scout."""
    made = scout.data("doc_create", action="document", folder_path=["product", "launch"], name="plan.md", content=PLAN)
    return str(made["commit"])
