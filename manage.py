#!/usr/bin/env python
"""Runs a command: `manage.py help` lists them."""

import os
import sys

from workspace.config.run import main

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workspace.config.settings")
    sys.exit(main(sys.argv))
