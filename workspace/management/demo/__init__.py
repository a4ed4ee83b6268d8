"""A small company's workspace: what `manage.py demo` tells, and how."""
