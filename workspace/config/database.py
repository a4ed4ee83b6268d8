"""The database's address as Django takes it."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from workspace.config.environment import WrongValue


def connection(address: str, *, prepare: bool, pool: int) -> dict[str, Any]:
    """What ``DATABASES`` holds for ``postgresql://user:password@host:port/name?option=…``.

    A process keeps at most ``pool`` connections. ``prepare`` is off for a pooler between here and PostgreSQL that does
    not know prepared statements. Raises ``WrongValue``.
    """
    parts = urlsplit(address)
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise WrongValue("DATABASE_URL", "postgresql://user:password@host:port/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or parts.hostname or "",
        "PORT": str(parts.port or options.pop("port", "")),
        # A pooled connection is checked before it is lent, so a database that was restarted is not noticed.
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "application_name": "baton",
            # Compiling a short query takes longer than running it: a listing took 70 ms instead of 5.
            "options": "-c jit=off",
            "connect_timeout": 10,
            # Planning a permission-scoped read takes twenty times longer than running it: plan it once a connection.
            "server_side_binding": prepare,
            "prepare_threshold": 3 if prepare else None,
            "pool": {"min_size": 0, "max_size": pool, "timeout": 8, "max_idle": 120},
            **options,
        },
    }
