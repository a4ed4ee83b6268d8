"""Who is in the story, what they share, and the agents that act for them."""

from dataclasses import dataclass

PASSWORD = "handoff-and-home"  # noqa: S105 -- printed, and for a workspace to look at
DOMAIN = "fernside.example"


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person of the story."""

    key: str
    name: str
    part: str

    @property
    def email(self) -> str:
        return f"{self.key}@{DOMAIN}"


@dataclass(frozen=True, kw_only=True)
class Helper:
    """An agent of the story, the person it acts for, its host and its scopes."""

    name: str
    person: str
    host: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Share:
    """A grant; ``by`` makes the folder where it is missing and is its manager."""

    location: str
    by: str
    subject: str
    role: str


MEMBERS = (
    Member(key="maya", name="Maya Lindqvist", part="leads the product"),
    Member(key="tomas", name="Tomas Okafor", part="firmware"),
    Member(key="ines", name="Ines Duarte", part="research and design"),
    Member(key="jonas", name="Jonas Weber", part="shop and marketing"),
    Member(key="priya", name="Priya Raman", part="support"),
    Member(key="leo", name="Leo Marchetti", part="prints the sheet, reads the launch folder only"),
)

GROUPS = {
    "Everybody": ("maya", "tomas", "ines", "jonas", "priya"),
    "Launch": ("maya", "ines", "jonas", "priya"),
    "Firmware": ("tomas", "ines"),
}

SHARES = (
    Share(location="company", by="maya", subject="group:Everybody", role="editor"),
    Share(location="product/launch", by="maya", subject="group:Launch", role="editor"),
    Share(location="product/launch", by="maya", subject=f"tomas@{DOMAIN}", role="editor"),
    Share(location="product/launch", by="maya", subject=f"leo@{DOMAIN}", role="viewer"),
    Share(location="product/research", by="maya", subject=f"ines@{DOMAIN}", role="manager"),
    Share(location="product/research", by="maya", subject="group:Everybody", role="viewer"),
    Share(location="engineering", by="tomas", subject="group:Firmware", role="editor"),
    Share(location="engineering", by="tomas", subject="group:Everybody", role="viewer"),
    Share(location="engineering/incidents", by="tomas", subject=f"priya@{DOMAIN}", role="editor"),
    Share(location="support/handbook", by="priya", subject="group:Everybody", role="viewer"),
    Share(location="support/handbook", by="priya", subject=f"jonas@{DOMAIN}", role="editor"),
)

HELPERS = (
    Helper(name="scout", person="maya", host="claude-code"),
    Helper(name="relay", person="tomas", host="codex", scopes=("editor@engineering", "viewer@product/launch")),
    Helper(name="quill", person="jonas", host="gemini", scopes=("editor@product/launch",)),
    Helper(name="compass", person="priya", host="opencode", scopes=("viewer@*",)),
)
