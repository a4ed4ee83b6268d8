"""The package for programs as it is served and installed."""

import ast
import base64
import csv
import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from tests.hosts.adapter import BAKED, Person, environment, packages, pip
from tests.hosts.server import TEXT, Server
from tests.instance import Instance
from workspace.hosts import wheels
from workspace.web.views.help import FOLDER as HELP
from workspace.web.ways import WAYS

ADDRESS = "https://baton.example.org"


def test_the_wheel_is_served_to_anybody_with_the_address_in_it(settings: object) -> None:
    settings.BATON_BASE_URL = ADDRESS  # type: ignore[attr-defined]
    answer = Client().get(f"/connect/{wheels.NAME}")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        handler = archive.read("baton/_hook.py").decode()
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert f'ADDRESS = "{ADDRESS}"' in handler
    assert "@BATON_ADDRESS@" not in everything


@pytest.mark.parametrize("path", ["/connect/baton.whl", "/connect/baton_client-9.9-py3-none-any.whl", "/connect/.whl"])
def test_there_is_no_other_wheel(path: str) -> None:
    assert Client().get(path).status_code in (302, 404)


def test_the_same_address_gives_the_same_wheel() -> None:
    assert wheels.wheel(ADDRESS) == wheels.wheel(ADDRESS) != wheels.wheel(BAKED)


@pytest.mark.parametrize("address", ['https://x"; import os', "javascript:x", ""])
def test_an_address_that_could_end_a_string_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="is not the address"):
        wheels.wheel(address)


def test_the_record_tells_every_file_and_its_digest() -> None:
    with zipfile.ZipFile(io.BytesIO(wheels.wheel(ADDRESS))) as archive:
        record = f"{wheels.ABOUT}/RECORD"
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert [row[0] for row in rows] == archive.namelist()
        for name, digest, size in rows:
            if name == record:
                assert (digest, size) == ("", "")
                continue
            content = archive.read(name)
            made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={made}", str(len(content)))


def test_the_package_is_python_of_3_9_and_imports_the_standard_library_alone() -> None:
    for path in (wheels.FOLDER / "baton").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))):
            if isinstance(node, ast.Import):
                assert {name.name.partition(".")[0] for name in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).partition(".")[0] in sys.stdlib_module_names


def test_its_types_are_complete(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import baton\n"
        "with baton.session(folder='a', policy='required') as s:\n"
        "    with s.context('p') as found:\n"
        "        reveal_type(found.citations[0].lines)\n"
        "    reveal_type(s.capture('x', decided=['y'], open='z').state)\n"
        "async def main() -> str:\n"
        "    async with baton.asession() as a:\n"
        "        async with await a.context('p') as found:\n"
        "            return str(found)\n"
        "baton.session(policy='perhaps')\n"
    )
    options = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", "--python-executable"]
    python = str(packages().parents[2] / "bin" / "python")
    command = [sys.executable, "-m", "mypy", *options, python]
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    lines = done.stdout.splitlines()
    assert 'Revealed type is "tuple[int, ...] | None"' in lines[0], done.stdout
    assert 'Revealed type is "str"' in lines[1], done.stdout
    assert [line for line in lines if "error:" in line] == [line for line in lines if "program.py:10: error:" in line]
    assert len([line for line in lines if "error:" in line]) == 1
    whole = subprocess.run([*command, "-p", "baton"], capture_output=True, text=True, cwd=packages(), timeout=300)
    assert whole.returncode == 0, whole.stdout


def test_pip_installs_it_from_the_instance_by_its_address(live: Instance, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    pip(python, "install", "--no-index", f"{live.url}/connect/{wheels.NAME}")
    done = subprocess.run(
        [str(python), "-m", "baton", "status"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": ""},
        timeout=60,
    )
    assert f"{live.url} is not connected" in done.stdout, done.stdout + done.stderr


def test_a_program_asks_the_instance_that_its_package_came_from(
    person: Person, scripted: Server, tmp_path: Path
) -> None:
    file = tmp_path / wheels.NAME
    file.write_bytes(wheels.wheel(scripted.url))
    python = environment(tmp_path / "venv")
    pip(python, "install", "--no-index", str(file))
    person.address = ""
    assert person.run("with baton.session() as s: show(str(s.context('p')))", python=python).json == TEXT


def test_help_and_the_page_of_hosts_name_the_wheel_that_is_served() -> None:
    assert f"{{base}}/connect/{wheels.NAME}\n" in (HELP / "python.md").read_text(encoding="utf-8")
    lines = [line for way in WAYS for step in way.steps for line in step.lines]
    assert f"pip install {{base}}/connect/{wheels.NAME}" in lines
