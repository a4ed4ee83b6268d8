"""Whether a name says that its value is secret, and whether a value looks random rather than written."""

import math
import re
from collections import Counter

_SEGMENTS = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUALIFIERS = frozenset(
    ["prod", "production", "dev", "staging", "stage", "live", "test", "value", "old", "new", "raw", "plain", "base64"]
)
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "пароль", "密码", "口令", "パスワード", "비밀번호")
_PASSWORD_WORDS = frozenset(["pwd", "passwort", "kennwort", "contraseña", "senha", "wachtwoord", "hasło"])
_OWNERS = (
    "api secret access private auth signing encryption master account storage app service license shared session deploy"
    " webhook openai anthropic stripe aws"
)
_KEY_OWNERS = frozenset(_OWNERS.split())
_LOOKED_AT = 200
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_WORDY = re.compile(r"(?:[^\W\d_]+\d{0,3}|\d{1,4}|v\d{1,3})(?:[-_./:+@][^\W\d_]*\d{0,4})*\Z")
_REFERENCE = re.compile(r"[$%]?[^\W\d]\w*(?:(?:\.|::|->)[^\W\d]\w*)+\Z")
_TIME = re.compile(r"[0-9][0-9:.,\-/TZ+]*[a-zµ%]{0,3}\Z", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:your|my|the|some|example|change|placeholder|dummy|sample|insert|replace|fill|todo|none|null|nil|true|false"
    r"|undefined|xxx|redacted|hidden|secret|password|passwd|pass|token|api|key|foo|bar|test|string|required|optional)"
    r"[-_ a-z]*(?:here|goes|me|it)?\Z",
    re.IGNORECASE,
)


def kind_of(name: str) -> str | None:
    """``password``, ``secret``, ``token`` or ``key`` when the last words of `name` say so: `DB_PASSWORD`, `apiKey`,
    `client-secret`; not `token_count`, `password_file`, `tokenizer` or `primary_key`."""
    parts = [part.lower() for part in _SEGMENTS.findall(_HUMPS.sub("_", name))]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _QUALIFIERS):
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last.endswith(_PASSWORDS) or last in _PASSWORD_WORDS or (last == "pass" and before):
        return "password"
    if last.endswith("secret") or last in ("secrets", "credential", "credentials", "密钥"):
        return "secret"
    if last.endswith("token") or last in ("jwt", "bearer", "令牌"):
        return "token"
    if (
        last.endswith("apikey")
        or (last in ("key", "keys") and before in _KEY_OWNERS)
        or last in ("accesskey", "secretkey")
    ):
        return "key"
    return None


def secret(value: str, kind: str, *, sure: bool, quoted: bool = False) -> bool:
    """Whether `value`, under a name of `kind`, is a secret. `sure`: it was assigned (``=``, quotes), not told."""
    value = value[:_LOOKED_AT].strip()
    value = value if quoted else value.rstrip("*_")
    value = value if sure else value.rstrip(".:!?")
    if placeholder(value) or _path(value):
        return False
    if not quoted and _REFERENCE.match(value) and _digits(value) <= 3:
        return False
    if kind == "password":
        if value.isdigit():
            return sure and len(value) >= 6
        if sure and quoted and " " not in value:
            return len(value) >= 6
        enough = len(value) >= 6 and " " not in value
        return (
            enough
            and (_classes(value) >= (2 if sure else 3) or 0 < _digits(value) < len(value))
            and not _TIME.match(value)
        )
    return random(value)


def random(value: str) -> bool:
    """Whether `value` looks drawn rather than written: long enough, of several kinds of characters, no words."""
    value = value[:_LOOKED_AT]
    if len(value) < 8 or any(character.isspace() for character in value) or placeholder(value) or _path(value):
        return False
    if _UUID.match(value):
        return True
    if wordy(value) or _TIME.match(value):
        return False
    if 0 < _digits(value) < len(value):
        return _bits(value) >= 2.5
    mixed = value.lower() != value and value.upper() != value
    return len(value) >= 20 and mixed and _bits(value) >= 3.7


def wordy(value: str) -> bool:
    """Words, perhaps numbered, joined by punctuation: `base64-encoded`, `v2.final`, `gpt-4`."""
    if not _WORDY.match(value):
        return False
    letters = max((len(part) for part in re.split(r"[\W\d_]+", value)), default=0)
    # Random letters of one run are told from a word by their length and their mix of cases.
    return letters < 20 and not re.search(r"[a-z][A-Z]+[a-z]+[A-Z]", value)


def placeholder(value: str) -> bool:
    """Stands for a secret and is none: `<token>`, `$TOKEN`, `{{ token }}`, `****`, `your-key-here`."""
    if not value or value[0] in "$<{%" or value.startswith(("[redacted:", "process.env", "os.environ", "env.")):
        return True
    if len(set(value.strip("-_.*•…xX"))) <= 1:
        return True
    return _PLACEHOLDER.match(value) is not None


def _path(value: str) -> bool:
    if value.startswith(("/", "./", "../", "~/", "\\\\")) and value.count("/") + value.count("\\") >= 2:
        return not re.search(r"[+=]|[0-9A-Za-z]{30}", value)
    return "://" in value or re.match(r"[A-Za-z]:[\\/]", value) is not None


def _classes(value: str) -> int:
    return (
        any(c.islower() for c in value)
        + any(c.isupper() for c in value)
        + any(c.isdigit() for c in value)
        + any(not c.isalnum() for c in value)
    )


def _digits(value: str) -> int:
    return sum(character.isdigit() for character in value)


def _bits(value: str) -> float:
    """Shannon entropy in bits per character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
