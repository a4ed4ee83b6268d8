"""Secrets go, whatever their form; what only looks like one stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.digest.redact import redact

# Put together here so that no scanner takes this file for a leak.
A, N = "abcdefghijklmnopqrstuvwxyz", "0123456789"
SECRETS = {
    "AKIA" + "IOSFODNN7EXAMPLE": "aws",
    "ghp_" + A + N: "github",
    "github_pat_" + "11ABCDEFG0" + A: "github",
    "glpat-" + A[:10] + N: "gitlab",
    "xoxb-" + N + "-" + N + "-" + A: "slack",
    "sk_live_" + A + N: "stripe",
    "sk-proj-" + A + N: "openai",
    "sk-" + A + N: "openai",
    "sk-ant-api03-" + A + N: "anthropic",
    "AIza" + A + N[:9]: "google",
    "ya29." + A + N: "google",
    "npm_" + A + N: "npm",
    "pypi-" + A + N: "pypi",
    "hf_" + A + N: "huggingface",
    "btn_" + A + N + "AB": "baton",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0." + A: "jwt",
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "use {}, please", '"{}"', "({})", "x={}", "`{}`", "https://host/?k={}&b=1", "{}\n"]
)
def test_a_known_token_goes_wherever_it_stands(secret: str, around: str) -> None:
    redacted = redact(around.format(secret))
    assert secret not in redacted.text
    assert secret[-12:] not in redacted.text
    assert redacted.text == around.format(f"[redacted:{SECRETS[secret]}]")
    assert redacted.counts == {SECRETS[secret]: 1}


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [
        ("Authorization: Bearer ", "abcdef123456", "", "authorization"),
        ("authorization: Basic ", "YWxhZGRpbjpvcGVuc2VzYW1l", "\nHost: x", "authorization"),
        ('curl -H "Authorization: Bearer ', "8f3kd93kfm20dkf9", '" https://x', "authorization"),
        ('{"Authorization": "token ', "9a8b7c6d5e", '"}', "authorization"),
        ("sent bearer ", "8f3kd93kfm20dkf9xz", " again", "authorization"),
        ("X-Api-Key: ", "8f7d6s5f4d3s2a1z", "", "key"),
        ("Cookie: theme=dark; sessionid=", "8f7d6s5f4d3s2a1", "", "cookie"),
        ("postgres://bob:", "hunter2", "@db/x", "password"),
        ("git clone https://bob:", "p%40ss-w0rd", "@host/r.git", "password"),
        ("password = ", "hunter2", "", "password"),
        ("Password: ", "hunter2", "", "password"),
        ("the password is ", "hunter22", ".", "password"),
        ("**Password:** ", "hunter2", "", "password"),
        ("password: `", "hunter2", "`", "password"),
        ("DB_PASSWORD='", "correct horse battery", "'", "password"),
        ('{"password": "', "s3cr3t!", '"}', "password"),
        ('{\\"password\\": \\"', "s3cr3t!x", '\\"}', "password"),
        ("<password>", "hunter2x", "</password>", "password"),
        ("密码：", "hunter2x", "", "password"),
        ("psql --password ", "hunter2", " -h db", "password"),
        ("PGPASSWORD=", "abc12345", " psql", "password"),
        ("export API_KEY=", "9f8e7d6c5b4a", "\n", "key"),
        ('apiKey: "', "9f8e7d6c5b4a3f2e", '",', "key"),
        ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE", "", "key"),
        ("grant_type=code&client_secret=", "8Q~abcDEF.ghi-JKL_mno", "&x=1", "secret"),
        ('os.environ["API_TOKEN"] = "', "9a8b7c6d5e4f", '"', "token"),
        ("token: ", "123e4567-e89b-12d3-a456-426614174000", "", "token"),
        ("?access_token=", "abc123def456", "&x=1", "token"),
        ("login --token ", "9a8b7c6d5e4f", "", "token"),
        ("SIGNING_SECRET_2=", "QwErTyUiOpAsDfGhJkLzXcVb", "", "secret"),
    ],
)
def test_a_value_goes_for_the_name_in_front_of_it(before: str, secret: str, after: str, kind: str) -> None:
    redacted = redact(before + secret + after)
    assert redacted.text == f"{before}[redacted:{kind}]{after}"
    assert redacted.counts == {kind: 1}


BEGIN, END = "-----BEGIN {}PRIVATE KEY-----", "-----END {}PRIVATE KEY-----"
BODY = "MIIEowIBAAKCAQEA" + A + "\n" + N + A + "==\n"


@pytest.mark.parametrize("name", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n"])
def test_a_private_key_goes_as_a_block(name: str, end: str) -> None:
    block = f"{BEGIN.format(name)}\n{BODY}{END.format(name)}".replace("\n", end)
    assert redact(f"before {block} after").text == "before [redacted:private-key] after"


def test_a_private_key_that_was_cut_off_goes_as_far_as_it_reads_like_one() -> None:
    text = f"{BEGIN.format('')}\n{BODY}\nThen we went on.\n{BEGIN.format('')}\n{BODY}{END.format('')}\nDone."
    redacted = redact(text)
    assert "MIIE" not in redacted.text
    assert "Then we went on." in redacted.text
    assert redacted.text.endswith("Done.")
    assert redacted.counts == {"private-key": 2}


@pytest.mark.parametrize(
    "text",
    [
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "product/launch.md@9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08#L1-L3",
        "id = 123e4567-e89b-12d3-a456-426614174000",
        "doc_01HZX3J8K2M4N6P8Q0R2S4T6V8 and cap_01HZX3J8K2M4N6P8Q0R2S4T6V8",
        "Idempotency-Key: 9f8e7d6c5b4a3f2e",
        "primary_key = 9f8e7d6c5b4a",
        "/home/bob/projects/secret/token.txt",
        "https://example.com:8080/x@y?page=2",
        "mail bob@example.com:22",
        "password_file=/run/secrets/db1",
        "The password must be at least 12 characters long.",
        "The secret is in the vault of 2024.",
        "The token is sent once; the password is hashed with argon2.",
        "Token: see chapter 12.",
        "api key: see docs/keys.md",
        "auth: tokens, OAuth 2.1 and sessions",
        "password: required",
        "password: 2026-11-29",
        "secret: base64-encoded",
        "token: string",
        "token_count = 4096",
        "max_tokens: 12345678",
        "tokenizer = gpt2-large-0125",
        "token = generateToken()",
        "token = request.headers.authorization",
        "SECRET_KEY = settings.SECRET_KEY2",
        'api_key = getenv("API_KEY1")',
        "password=$DB_PASSWORD1",
        "password: ${DB_PASSWORD1}",
        "token: <your-token-1>",
        "password: ********",
        "secret = None",
        "Authorization: Bearer TOKEN",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN1",
        "Authorization: the reader needs a grant",
        "postgres://bob:${PASSWORD1}@db/x",
        "cookie: a small text file",
        "task-management-something-long-enough-1",
        "sk-learn-is-a-library-for-people",
        "btn_ is the prefix",
        "Bearer tokens are accepted",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    redacted = redact(text)
    assert redacted.text == text
    assert redacted.counts == {}


def test_a_value_with_a_known_token_in_it_is_marked_once() -> None:
    redacted = redact('password="x-' + "AKIA" + 'IOSFODNN7EXAMPLE"')
    assert redacted.text == 'password="x-[redacted:aws]"'
    assert redacted.counts == {"aws": 1}


def test_counts_tell_how_many_of_each_kind() -> None:
    text = "\n".join([*SECRETS, "password=hunter2", "password=hunter3"])
    counts = redact(text).counts
    assert counts["password"] == 2
    assert counts["github"] == 2
    assert sum(counts.values()) == len(SECRETS) + 2


PIECES = st.sampled_from(
    [
        "password",
        "token",
        "=",
        ": ",
        '"',
        "'",
        " ",
        "\n",
        "[redacted:key]",
        "Authorization: Bearer ",
        "https://a:",
        "@",
        "hunter2",
        "9a8b7c6d5e4f",
        "--",
        "Cookie: a=",
        "<secret>",
        "</",
        "\\",
        "漢",
        "$X",
        *SECRETS,
    ]
)


@LAW
@given(st.lists(PIECES, max_size=12).map("".join))
def test_redacting_twice_changes_nothing_more_and_no_known_token_is_left(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert sum(once.counts.values()) == once.text.count("[redacted:") - _marks_left(text, once.text)


def _marks_left(before: str, after: str) -> int:
    return min(before.count("[redacted:key]"), after.count("[redacted:key]"))


@LAW
@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    assert redact(text).text.count("\n") <= text.count("\n")


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a-",
        "a.",
        "token=",
        "password='",
        "Bearer ",
        "://a:",
        "eyJaaaaaaaa.",
        "sk-",
        "cookie: a=",
        "<token>",
        BEGIN.format("") + "\n",
        END.format(""),
        "hooks.slack.com/services/",
        '\\"',
        "authorization:",
        "--token a1 ",
    ],
)
def test_time_is_linear(piece: str) -> None:
    start = time.perf_counter()
    redact((piece * 70_000)[:70_000])
    assert time.perf_counter() - start < 4
