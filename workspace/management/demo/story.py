"""What everybody wrote: pages as the sequence of their commits, then a conflict and three sessions."""

from dataclasses import dataclass
from pathlib import Path

TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, kw_only=True)
class Write:
    """One commit: a whole new ``text`` (a file of ``texts``), or ``changes`` of what was there.

    ``by`` is a member's key or a helper's name, ``days`` how long ago. With ``upon`` it was written upon the commit
    of that number, and merged with what had been written since.
    """

    by: str
    days: float
    message: str
    text: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    upon: int | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A document and its history."""

    location: str
    writes: tuple[Write, ...]


@dataclass(frozen=True, kw_only=True)
class Session:
    """What an agent saved of a session."""

    by: str
    folder: str
    text: str
    session: str


def text_of(name: str) -> str:
    """The text of the file ``name`` of ``texts``."""
    return (TEXTS / f"{name}.md").read_text(encoding="utf-8")


PLAN = "product/launch/plan.md"

PAGES = (
    Page(
        location="company/how-we-work.md",
        writes=(
            Write(by="maya", days=41, message="How we work", text="howwework"),
            Write(
                by="priya",
                days=17,
                message="Say who reads what an agent wrote",
                changes=(
                    (
                        "Whoever starts an agent reads what it wrote on the same day.",
                        "Whoever starts an agent reads what it wrote on the same day, and signs what leaves the house.",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="company/glossary.md",
        writes=(Write(by="scout", days=30, message="Collect the words that new people asked about", text="glossary"),),
    ),
    Page(
        location="engineering/firmware/decisions/0007-retry-lost-frames.md",
        writes=(
            Write(by="tomas", days=24, message="Decide how often a lost frame is sent again", text="decision"),
            Write(
                by="relay",
                days=12,
                message="Add what two weeks in the field showed",
                reason="Asked by Tomas to close the loop on the estimate.",
                changes=(
                    (
                        "- Shutdowns from lost frames should fall from about nine a week to none.\n",
                        "- Shutdowns from lost frames fell from about nine a week to none in the first two weeks.\n"
                        "- The bus was retried 214 times in that time, 209 of them while the inverter started.\n",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="engineering/firmware/release-2.4.md",
        writes=(
            Write(by="tomas", days=9.3, message="Begin the notes for 2.4", text="release"),
            Write(
                by="relay",
                days=6.2,
                message="Describe how charging starts after a brown-out",
                reason="Follows from the incident with eleven units.",
                changes=(
                    (
                        "- After a short brown-out the unit waited for the app before it charged again.\n",
                        "- After a short brown-out the unit waited for the app before it charged again. The "
                        "controller now asks\n  the inverter, and tells the app afterwards.\n",
                    ),
                ),
            ),
            Write(
                by="ines",
                days=6.0,
                message="Name what the household sees",
                upon=1,
                changes=(
                    (
                        "- The first report after an update arrives up to ten minutes late.\n",
                        "- The first report after an update arrives up to ten minutes late. The app shows *updating* "
                        "until then.\n",
                    ),
                ),
            ),
            Write(
                by="tomas",
                days=2.1,
                message="Go slower: twenty units before sixty",
                changes=(
                    (
                        "Ten units on the first day, all sixty after three quiet days.",
                        "Ten units on the first day, twenty after two quiet days, all sixty after three more.",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="engineering/incidents/charging-stopped.md",
        writes=(
            Write(by="relay", days=11.4, message="Write down what is known so far", text="incident"),
            Write(
                by="priya",
                days=11.1,
                message="Add what the households said",
                changes=(
                    (
                        "2. Called the eleven households, the same afternoon.\n",
                        "2. Called the eleven households, the same afternoon. Nine had not noticed; two had, from "
                        "their bill.\n",
                    ),
                ),
            ),
            Write(
                by="tomas",
                days=5.8,
                message="The first two changes are in 2.4",
                changes=(
                    ("- [ ] The controller asks", "- [x] The controller asks"),
                    ("- [ ] A unit in the sun", "- [x] A unit in the sun"),
                ),
            ),
        ),
    ),
    Page(
        location="engineering/runbooks/on-call.md",
        writes=(
            Write(by="tomas", days=35, message="What to do when the phone rings", text="oncall"),
            Write(
                by="ines",
                days=10.5,
                message="Say what is safe to tell people",
                changes=(
                    (
                        "If a household may be in danger, tell them to pull the plug. That is always safe.",
                        "If a household may be in danger, tell them to pull the plug. That is always safe, also while "
                        "it charges.",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="product/research/interviews.md",
        writes=(
            Write(by="ines", days=19, message="Notes of the twelve kitchen conversations", text="interviews"),
            Write(
                by="scout",
                days=13.2,
                message="Link what we take from it to the launch plan",
                changes=(
                    (
                        "3. Put the relay's click on the printed sheet, before they hear it.\n",
                        "3. Put the relay's click on the printed sheet, before they hear it. See the "
                        "[launch plan](../launch/plan.md).\n",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location=PLAN,
        writes=(
            Write(by="maya", days=14.5, message="First version, from the pilot's wrap-up", text="plan"),
            Write(
                by="jonas",
                days=9.7,
                message="Tell people the delivery week before they pay",
                changes=(
                    (
                        "The warehouse packs eighty a day. The shop says the delivery week before payment, and stops "
                        "taking orders at six\nweeks' wait.\n",
                        "The warehouse packs eighty a day, a hundred with the second table. The shop says the "
                        "delivery week before\npayment, and stops taking orders at six weeks' wait.\n",
                    ),
                ),
            ),
            Write(
                by="scout",
                days=7.6,
                message="Bring the pilot's numbers up to date",
                reason="Maya asked for the numbers of the last full week.",
                changes=(
                    (
                        "The median household moved 31 % of its evening use to the battery.",
                        "The median household moved 34 % of its evening use to the battery.",
                    ),
                ),
            ),
            Write(
                by="ines",
                days=7.4,
                message="The sheet was tested: say how",
                upon=2,
                changes=(
                    (
                        "| Printed sheet | Ines | five people installed from it without a question |",
                        "| Printed sheet | Ines | five people installed from it without a question; three have |",
                    ),
                ),
            ),
            Write(
                by="priya",
                days=1.2,
                message="Twelve answers, and who wrote them",
                changes=(
                    (
                        "the twelve most asked questions have an answer each",
                        "the twelve most asked questions have an answer each, tried on a pilot household",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="product/launch/faq.md",
        writes=(
            Write(by="quill", days=6.6, message="First five answers, from pilot mails", text="faq"),
            Write(
                by="priya",
                days=3.9,
                message="Say it the way people ask",
                changes=(
                    (
                        "## How loud is it?\n\nIt has no fan.",
                        "## Will I hear it?\n\nHardly. It has no fan.",
                    ),
                ),
            ),
        ),
    ),
    Page(
        location="support/handbook/returns.md",
        writes=(Write(by="priya", days=28, message="How returns work", text="returns"),),
    ),
    Page(
        location="support/handbook/first-reply.md",
        writes=(
            Write(by="priya", days=27, message="The first reply", text="reply"),
            Write(
                by="jonas",
                days=15,
                message="Who signs",
                changes=(("- Sign with your name.\n", "- Sign with your name, never with *the team*.\n"),),
            ),
        ),
    ),
)

DATE = "The shop opens on Tuesday, the ninth of March."
CONTESTED = (
    ("jonas", DATE, "The shop opens on Tuesday, the sixteenth of March, a week after the fair."),
    ("scout", DATE, "The shop opens on Tuesday, the ninth of March, at seven in the morning."),
)
"""Two who changed the same sentence: the first is saved, and the second's draft is kept as a conflict."""

SESSIONS = (
    Session(by="relay", folder="engineering/firmware", text="capture-relay", session="relay-2-4-brown-out"),
    Session(by="quill", folder="product/launch", text="capture-quill", session="quill-faq-first-answers"),
    Session(by="scout", folder="product/launch", text="capture-scout", session="scout-plan-numbers"),
)
