"""``python -m baton COMMAND``: the handler's commands, and ``drain`` for what programs left as well."""

from __future__ import annotations

import sys

from . import _hook
from ._spool import drain


def main(arguments: list[str]) -> int:
    """Runs a command. 0 is done, 1 is not, 2 is a wrong call."""
    if arguments[:1] != ["drain"]:
        return _hook.main(arguments)
    done = drain(adopt="--adopt" in arguments)
    if "--quiet" not in arguments:
        counts = (done.acknowledged, done.refused, done.waiting)
        _hook.say("Programs: %d sent, %d refused, %d waiting" % counts + (": " + done.problem if done.problem else ""))
    return max(1 if done.waiting else 0, _hook.main([each for each in arguments if each != "--adopt"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
