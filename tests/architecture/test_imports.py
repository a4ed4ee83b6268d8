"""What the layers contract cannot say."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKSPACE = ROOT / "workspace"
MODULES = sorted(path for path in WORKSPACE.rglob("*.py") if "migrations" not in path.parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_nothing_but_the_composition_root_imports_it() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in MODULES
        if "config" not in path.relative_to(WORKSPACE).parts
        for line, name in imports(path)
        if name.startswith("workspace.config")
    ]
    assert not found, found


HANDLER = WORKSPACE / "hosts" / "handler" / "baton_hook.py"
"""One file by its purpose, since hosts run it by its path; what it imports only where needed, no prompt waits for."""
HANDLER_LINES = 1_800


def test_no_function_imports() -> None:
    found = []
    for path in set(MODULES) - {HANDLER}:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [
                    f"{path.relative_to(ROOT)}:{node.lineno}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Import | ast.ImportFrom)
                ]
    assert not found, found


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "core"])
def test_no_module_is_called_after_nothing(name: str) -> None:
    # `bench core` is what the command line calls it.
    allowed = {WORKSPACE / "management" / "bench" / "core.py"}
    assert not {path for path in WORKSPACE.rglob("*.py") if path.stem == name or path.parent.name == name} - allowed


def test_no_module_is_too_long_to_read() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > (HANDLER_LINES if path == HANDLER else 550)
    }
    assert not long, long
