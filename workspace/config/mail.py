"""Mail where no server is set: printed, as a person reads it, so that the links in it can be used."""

from django.core.mail import EmailMessage
from django.core.mail.backends.console import EmailBackend as ConsoleBackend


class EmailBackend(ConsoleBackend):
    """Django's console backend, without the encoding of the wire: that cuts long links in two."""

    def write_message(self, message: EmailMessage) -> None:
        head = [f"To: {', '.join(message.to)}", f"Subject: {message.subject}", ""]
        self.stream.write("\n".join([*head, str(message.body), "-" * 72, ""]))
