"""A project, and a scripted server that it is connected to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.adapter import Person
from tests.hosts.product import Product, product
from tests.hosts.project import Project
from tests.hosts.server import Server, server
from tests.hosts.troubled import Troubled


@pytest.fixture
def scripted() -> Iterator[Server]:
    with server() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, scripted: Server) -> Project:
    """Bound to ``product/launch``, with a token in the environment."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    made = Project(root=root, home=home, address=scripted.url)
    made.bind()
    return made


@pytest.fixture
def troubled(project: Project) -> Troubled:
    """The same project, whose handler runs with a trouble that the test names."""
    return Troubled(root=project.root, home=project.home, address=project.address, token=project.token)


@pytest.fixture
def person(tmp_path: Path, scripted: Server) -> Person:
    """Connected to the scripted server by a token in the environment, in a folder that nothing binds."""
    root, home = tmp_path / "work", tmp_path / "home"
    root.mkdir()
    (home / "tmp").mkdir(parents=True)
    return Person(root=root, home=home, address=scripted.url)


@pytest.fixture(scope="session")
def there() -> Iterator[Product]:
    """The product itself, started once."""
    with product() as made:
        yield made
