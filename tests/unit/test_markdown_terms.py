"""Search terms meet whatever way the same word is written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.texts import LAW
from workspace.markdown.terms import terms


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cafe", "the Café"),
        ("CAFÉ", "cafe\u0301"),
        ("strasse", "Straße"),
        ("Ångström", "angstrom"),
        ("ｆｕｌｌ", "full"),
        ("lodz", "Łódź"),
        ("елка", "ёлка"),
        ("Москва", "в МОСКВА"),
        ("αθηνα", "Αθήνα"),
        ("كتاب", "كِتَاب"),
        ("דברים", "דְּבָרִים"),
        ("合并", "三方合并算法"),
        ("検索", "全文検索エンジン"),
        ("검색", "문서검색"),
        ("ค้นหา", "การค้นหาเอกสาร"),
        ("हिन्दी", "यह हिन्दी है"),
        ("login", "用户login页面"),
        ("decision", "Decisions"),
        ("policy", "policies"),
        ("merging", "merged"),
        ("C++", "in C++ and"),
        ("C#", "C#."),
        (".NET", "net"),
        ("go", "Go"),
        ("diff3", "the diff3 algorithm"),
        ("old_string", "`old_string`"),
        ("string", "old_string"),
        ("parse request", "parseHTTPRequest"),
        ("http", "parseHTTPRequest"),
        ("merge.py", "workspace/merge.py"),
        ("workspace", "workspace/merge.py"),
        ("read-only", "read-only"),
        ("only", "read-only"),
        ("alice", "Alice's"),
        ("init", "__init__"),
    ],
)
def test_the_query_finds_the_text(query: str, text: str) -> None:
    asked = terms(query)
    assert asked
    assert set(asked) & set(terms(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [("か", "が"), ("и", "й"), ("C++", "C#"), ("cat", "category"), ("日", "本"), ("कि", "की")],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert terms(one) != terms(other)


def test_identifiers_yield_themselves_and_their_parts() -> None:
    assert terms("old_string") == ["old_string", "old", "string"]
    assert terms("loadHTTPRequest2") == ["loadhttprequest2", "load", "http", "request2"]
    assert terms("a/b-c.py") == ["a/b-c.py", "a", "b", "c", "py"]


def test_dense_scripts_yield_characters_and_pairs() -> None:
    assert terms("合并法") == ["合", "合并", "并", "并法", "法"]


@pytest.mark.parametrize("text", ["", "  ", "?!", "---", "«»", "🎉", "...", "\0", "___"])
def test_text_without_letters_or_digits_has_no_terms(text: str) -> None:
    assert terms(text) == []


def test_repeats_are_kept_for_the_term_frequency() -> None:
    assert terms("go go GO") == ["go", "go", "go"]


@LAW
@given(st.text(max_size=200))
def test_terms_are_short_folded_and_never_blank(text: str) -> None:
    for term in terms(text):
        assert 1 <= len(term) <= 64
        assert term == term.strip()
        assert not any(character.isspace() for character in term)


@LAW
@given(st.text(alphabet="abcXYZ0189éß_-./ ", max_size=60))
def test_case_does_not_matter_for_whole_words(text: str) -> None:
    assert set(terms(text.lower())) <= set(terms(text)) | set(terms(text.upper()))


@pytest.mark.parametrize("piece", ["_", "a_", "-._a", "a.", "aB", "漢", "a\u0301", "\u0301", "++", "'s"])
def test_time_is_linear(piece: str) -> None:
    start = time.perf_counter()
    terms(piece * 50_000)
    assert time.perf_counter() - start < 5
