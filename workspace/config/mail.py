"""Mail: the server that sends it, and where none is set, printing, so that the links in it can be used."""

from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.mail import EmailMessage
from django.core.mail.backends.console import EmailBackend as ConsoleBackend

from workspace.config.environment import WrongValue


def mailer(address: str) -> dict[str, Any]:
    """What ``MAILERS`` holds for a server's ``address``; for "" and ``console:`` what prints. Raises ``WrongValue``."""
    parts = urlsplit(address)
    if parts.scheme in ("", "console"):
        return {"BACKEND": "workspace.config.mail.EmailBackend"}
    if not parts.hostname:
        raise WrongValue("BATON_EMAIL_URL", "smtp://user:password@host:port, smtps://… or smtp+starttls://…")
    return {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": parts.hostname,
            "port": parts.port or (465 if parts.scheme == "smtps" else 587 if "+" in parts.scheme else 25),
            "username": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "use_ssl": parts.scheme == "smtps",
            "use_tls": parts.scheme == "smtp+starttls",
            "timeout": 15,
        },
    }


class EmailBackend(ConsoleBackend):
    """Django's console backend, without the encoding of the wire: that cuts long links in two."""

    def write_message(self, message: EmailMessage) -> None:
        head = [f"To: {', '.join(message.to)}", f"Subject: {message.subject}", ""]
        self.stream.write("\n".join([*head, str(message.body), "-" * 72, ""]))
