"""The text of one section as somebody edits it, its heading included, and putting it back."""

from dataclasses import dataclass

from workspace.markdown import lines, sections
from workspace.merge import endings


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A document cut at a section: joined, the three are the whole. The blank lines behind it belong to ``after``."""

    title: str
    before: str
    section: str
    after: str

    def put(self, text: str) -> str:
        """The whole with ``text`` as the section, with the line ends of the document. Nothing in it takes the section
        away, with the blank lines behind it."""
        wanted = lines.normalise(text)
        if wanted == lines.normalise(self.section):
            return self.before + self.section + self.after
        wanted = wanted.strip("\n")
        if not wanted.strip():
            return self.before + self.after.lstrip("\r\n")
        if self.after or self.section.endswith(("\n", "\r")):
            wanted += "\n"
        wanted = endings.like(wanted, self.section, self.before + self.section + self.after)
        if wanted[-1:] == "\r" and self.after[:1] == "\n":
            # Together they would read as one line ending.
            wanted = wanted[:-1] + "\n"
        return self.before + wanted + self.after


def cut(text: str, anchor: str) -> Cut:
    """``text`` at the section with this anchor, subsections included. Raises ``SectionError``."""
    section = next((each for each in sections.outline(text) if each.anchor == anchor), None)
    if section is None:
        raise sections.SectionError(anchor, (), tuple(each.title for each in sections.outline(text)))
    every = lines.split(text)
    start, end = section.start_line - 1, section.end_line
    while end > section.heading_end and not every[end - 1].strip():
        end -= 1
    return Cut(
        title=section.title,
        before="".join(every[:start]),
        section="".join(every[start:end]),
        after="".join(every[end:]),
    )
