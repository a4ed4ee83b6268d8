"""Takes secrets out of text before anything keeps it.

Known tokens go by their shape; other values go by the name in front of them (``DB_PASSWORD=…``, ``"token": "…"``) when
they look random. Commit ids, UUIDs, paths and prose stay. Every pattern is bounded, so the time is linear in the text.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from workspace.digest import entropy

MARK = "[redacted:"

_KNOWN = {
    "baton": r"btn_[0-9A-Za-z_\-]{16,200}",
    "anthropic": r"sk-ant-[0-9A-Za-z_\-]{16,300}",
    "openai": r"sk-(?=[A-Za-z_\-]{0,60}[0-9])[0-9A-Za-z_\-]{20,300}",
    "github": r"gh[oprsu]_[0-9A-Za-z]{30,255}|github_pat_[0-9A-Za-z_]{22,255}",
    "gitlab": r"gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[0-9A-Za-z_\-.]{20,300}",
    "aws": r"(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[0-9A-Z]{16}(?![0-9A-Za-z])",
    "slack": r"xox[abceoprs](?:\.xox[a-z])?-[0-9A-Za-z\-]{10,300}|xapp-[0-9]-[0-9A-Za-z\-]{10,300}",
    "stripe": r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{10,250}|whsec_[0-9A-Za-z+/=]{16,250}",
    "google": (
        r"AIza[0-9A-Za-z_\-]{35}|ya29\.[0-9A-Za-z_\-.]{20,500}"
        r"|GOCSPX-[0-9A-Za-z_\-]{20,60}|1//0[0-9A-Za-z_\-]{30,200}"
    ),
    "npm": r"npm_[0-9A-Za-z]{30,60}",
    "pypi": r"pypi-[0-9A-Za-z_\-]{16,1000}",
    "huggingface": r"hf_[0-9A-Za-z]{30,60}",
    "sendgrid": r"SG\.[0-9A-Za-z_\-]{16,40}\.[0-9A-Za-z_\-]{30,60}",
    "twilio": r"SK[0-9a-f]{32}(?![0-9A-Za-z])",
    "telegram": r"[0-9]{8,10}:AA[0-9A-Za-z_\-]{32,34}(?![0-9A-Za-z_\-])",
    "discord": r"[MNO][0-9A-Za-z_\-]{23,27}\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27,40}",
    "token": (
        r"(?:dop|doo|dor)_v1_[0-9a-f]{64}|dckr_(?:pat|oat)_[0-9A-Za-z_\-]{20,60}|dapi[0-9a-f]{32}"
        r"|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}|lin_(?:api|oauth)_[0-9A-Za-z]{30,60}|ntn_[0-9A-Za-z]{40,60}"
        r"|hv[bs]\.[0-9A-Za-z_\-]{20,200}|ATATT3[0-9A-Za-z_\-=]{50,300}|gsk_[0-9A-Za-z]{40,60}|xai-[0-9A-Za-z]{40,100}"
        r"|r8_[0-9A-Za-z]{30,50}|sntry[su]_[0-9A-Za-z_\-=+/]{30,300}|dp\.(?:pt|st|ct|sa)\.[0-9A-Za-z._\-]{30,60}"
        r"|AGE-SECRET-KEY-1[0-9A-Z]{50,70}|fm[12]_[0-9A-Za-z+/=_\-]{40,600}|pplx-[0-9A-Za-z]{40,60}"
    ),
    "jwt": r"eyJ[0-9A-Za-z_\-]{8,4000}(?:\.[0-9A-Za-z_\-]{0,8000}){2,4}",
}
_ANY_TOKEN = "(?:" + "|".join(f"(?P<{kind}>{shape})" for kind, shape in _KNOWN.items()) + ")"
_TOKEN = re.compile(r"(?<![0-9A-Za-z_])" + _ANY_TOKEN)
_NEXT_TOKEN = re.compile(_ANY_TOKEN)
_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/(?:services|workflows|triggers)/)[0-9A-Za-z_/\-]{10,200}")
_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: ?[0-9a-f]{10,128}")
_KEY_BODY = re.compile(
    r"(?:(?:\s|\\[nr]|[>|\"',])*[0-9A-Za-z+/=]{16,}|(?:\s|\\[nr])*[A-Z][A-Za-z\-]{2,20}: [^\n]{0,200})*"
)
_KEY_LIMIT = 20_000

_HEADER = re.compile(
    r"(?i)(?<![0-9A-Za-z])(?<!\[redacted:)(authorization|x-api-key|x-auth-token|api-key|private-token)"
    r"(\\?[\"']?\]?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}\\?[\"'`]?)"
    r"((?:bearer|basic|token|digest|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk)[ \t]{1,4})?"
    r"([^\s\"'`<>{}$\[\\][^\r\n\"'`<>\\]{0,2000})"
)
_BEARER = re.compile(r"(?i)(?<![0-9A-Za-z])(bearer[ \t]{1,4})([0-9A-Za-z._~+/\-]{16,2000}=*)")
_COOKIE = re.compile(
    r"(?i)(?<![0-9A-Za-z])((?:set-)?cookie\\?[\"']?[ \t]{0,4}:[ \t]{0,4}[\"'`]?)([^\r\n\"'`\\]{1,2000})"
)
_PAIR = re.compile(r"([0-9A-Za-z_.\-]{1,100}=)([^\s;,]{8,1000})")
_IN_URL = re.compile(r"(://[^\s/?#@:\"'<>]{0,200}:)([^\s/@\"'<>]{1,500})(?=@)")

_NAMED = re.compile(
    r"(?<![\w.])(?<!\[redacted:)(?P<name>[^\W\d][\w.\-]{1,79})"
    r"(?P<sep>\\?[\"'`]?\]?[*_]{0,2}[ \t]{0,8}(?:(?::=|=>|==?|[:：=])[*_]{0,2}|[ \t]is(?= )|(?<=[a-z])(?= ))[ \t]{0,8})"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\r\n\"'`]{1,1000}?)(?P=quote)|(?P<bare>[^\s\"'`,;<>()\[\]{}|\\，。；、]{1,1000}))"
    r"(?P<after>[(\[]?)"
)
_ELEMENT = re.compile(r"<(?P<name>[^\W\d][\w.\-]{1,60})>(?P<value>[^<>\s]{6,500})(?=</)")


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """`text` without its secrets, each replaced by ``[redacted:kind]``; `counts` how many of each kind."""

    text: str
    counts: dict[str, int]


def redact(text: str) -> Redacted:
    """Take the secrets out of `text`. Never fails; redacting twice changes nothing more."""
    counts: Counter[str] = Counter()

    def mark(kind: str) -> str:
        counts[kind] += 1
        return f"{MARK}{kind}]"

    text = _private_keys(text, mark)
    text = _tokens(text, mark)
    text = _SLACK_HOOK.sub(lambda found: found[1] + mark("slack"), text)
    text = _HEADER.sub(lambda found: _header(found, mark), text)
    text = _BEARER.sub(
        lambda found: found[1] + mark("authorization") if entropy.random(found[2]) else found[0],
        text,
    )
    text = _COOKIE.sub(lambda found: found[1] + _cookies(found[2], mark), text)
    text = _IN_URL.sub(lambda found: _url(found, mark), text)
    text = _ELEMENT.sub(lambda found: _element(found, mark), text)
    text = _named(text, mark)
    return Redacted(text=text, counts=dict(sorted(counts.items())))


Mark = Callable[[str], str]


def _tokens(text: str, mark: Mark) -> str:
    pieces: list[str] = []
    at = 0
    # A token may begin where another ends, though else only where no word goes on.
    while (found := (at and _NEXT_TOKEN.match(text, at)) or _TOKEN.search(text, at)) is not None:
        pieces += [text[at : found.start()], mark(found.lastgroup or "token")]
        at = found.end()
    return "".join([*pieces, text[at:]])


def _private_keys(text: str, mark: Mark) -> str:
    pieces: list[str] = []
    at = 0
    # The next end is looked for once, not again from every beginning.
    ends = _KEY_END.finditer(text)
    end = next(ends, None)
    while (begin := _KEY_BEGIN.search(text, at)) is not None:
        while end and end.start() < begin.end():
            end = next(ends, None)
        # A block that was cut off has no end: what follows is secret as long as it looks like key material.
        whole = end and end.end() - begin.end() < _KEY_LIMIT and not _KEY_BEGIN.search(text, begin.end(), end.start())
        stop = end.end() if end and whole else _body_end(text, begin.end())
        pieces += [text[at : begin.start()], mark("private-key")]
        at = stop
    return "".join([*pieces, text[at:]])


def _body_end(text: str, start: int) -> int:
    found = _KEY_BODY.match(text, start, start + _KEY_LIMIT)
    return found.end() if found else start


def _header(found: re.Match[str], mark: Mark) -> str:
    name, separator, scheme, value = found.groups()
    kind = "authorization" if name.lower() == "authorization" else "key"
    credential = value if scheme and scheme.lower().startswith(("digest", "aws4", "hawk")) else value.split()[0]
    bare = credential.rstrip(".,;:)")
    if MARK in credential or entropy.placeholder(bare):
        return found[0]
    if not (scheme and len(bare) >= 6 and not entropy.wordy(bare)) and not entropy.random(bare):
        return found[0]
    return name + separator + (scheme or "") + mark(kind) + credential[len(bare) :] + value[len(credential) :]


def _cookies(value: str, mark: Mark) -> str:
    def pair(found: re.Match[str]) -> str:
        return found[1] + mark("cookie") if MARK not in found[2] and entropy.random(found[2]) else found[0]

    return _PAIR.sub(pair, value)


def _url(found: re.Match[str], mark: Mark) -> str:
    if MARK in found[2] or entropy.placeholder(found[2]):
        return found[0]
    return found[1] + mark("password")


def _element(found: re.Match[str], mark: Mark) -> str:
    kind = entropy.kind_of(found["name"])
    if kind is None or MARK in found["value"] or not entropy.secret(found["value"], kind, sure=True):
        return found[0]
    return f"<{found['name']}>{mark(kind)}"


def _named(text: str, mark: Mark) -> str:
    pieces: list[str] = []
    at = 0
    while (found := _NAMED.search(text, at)) is not None:
        kind = entropy.kind_of(found["name"])
        if kind is None or not _assigned(found, kind):
            # The value may itself be a name: `export TOKEN=…`, `login --password …`.
            stop = found.end("name")
            pieces.append(text[at:stop])
            at = stop
            continue
        start, end = _span(found)
        pieces += [text[at:start], mark(kind)]
        at = end
    return "".join([*pieces, text[at:]])


def _span(found: re.Match[str]) -> tuple[int, int]:
    if found["quoted"] is not None:
        return found.span("quoted")
    start, end = found.span("bare")
    value = found["bare"]
    if found.string[max(0, found.start("name") - 1)] in "?&" and "&" in value:
        return start, start + value.index("&")
    told = "=" not in found["sep"]
    return start, end - (len(value) - len(value.rstrip("."))) if told else end


def _assigned(found: re.Match[str], kind: str) -> bool:
    separator, value = found["sep"], found["quoted"] or found["bare"]
    if MARK in value or (found["quoted"] is None and found["after"]):
        return False
    sign = separator.strip(" \t\\\"'`]*_")
    if not sign:
        # Only a command line option takes its value after a space.
        start = found.start("name")
        if found.string[max(0, start - 2) : start] != "--":
            return False
    elif sign == "is" and kind != "password":
        return False
    if kind == "password" and "=" in sign and found["name"].isupper() and found["quoted"] is not None:
        # DB_PASSWORD="correct horse": only an environment variable may hold a pass phrase of plain words.
        value = value.replace(" ", "-")
    sure = "=" in sign or not sign or found["quoted"] is not None
    return entropy.secret(value, kind, sure=sure, quoted=found["quoted"] is not None)
