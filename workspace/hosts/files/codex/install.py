"""Puts Baton's handler and hooks into Codex's own folder. Hooks that are there already stay."""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ.get("CODEX_HOME") or os.path.expanduser(os.path.join("~", ".codex"))


def main() -> int:
    """Copies the handler, and adds the hooks and the server where they are not yet."""
    folder = os.path.join(HOME, "baton")
    os.makedirs(folder, exist_ok=True)
    shutil.copyfile(os.path.join(HERE, "baton_hook.py"), os.path.join(folder, "baton_hook.py"))
    with open(os.path.join(HERE, "hooks.json"), encoding="utf-8") as file:
        ours = json.loads(file.read().replace("@BATON_FOLDER@", json.dumps(folder.replace("\\", "/"))[1:-1]))
    path = os.path.join(HOME, "hooks.json")
    found: "dict[str, dict[str, list]]" = {"hooks": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    hooks = found.setdefault("hooks", {})
    for event, entries in ours["hooks"].items():
        others = [entry for entry in hooks.get(event, []) if "baton_hook.py" not in json.dumps(entry)]
        hooks[event] = others + entries
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
    os.replace(path + ".part", path)
    config = os.path.join(HOME, "config.toml")
    text = ""
    if os.path.exists(config):
        with open(config, encoding="utf-8") as file:
            text = file.read()
    if "[mcp_servers.baton]" not in text:
        with open(os.path.join(HERE, "config.toml"), encoding="utf-8") as file:
            lines = file.read()
        with open(config, "a", encoding="utf-8") as file:
            file.write(("\n" if text and not text.endswith("\n") else "") + lines)
    sys.stdout.write(
        "Installed in %s. Codex asks you to trust the hooks when it starts; untrusted ones do not run.\n" % HOME
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
