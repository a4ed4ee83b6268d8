"""One name for a repository, whatever its remote looks like, and never a secret in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.errors import Invalid
from workspace.remotes import repository

SHOP = "github.com/acme/shop"


@pytest.mark.parametrize(
    "remote",
    [
        SHOP,
        "git@github.com:acme/shop.git",
        "git@github.com:acme/shop",
        "git@github.com:/acme/shop.git/",
        "github.com:acme/shop.git",
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop.git/",
        "https://github.com//acme//shop/",
        "https://GitHub.COM/acme/shop",
        "https://github.com:443/acme/shop.git",
        "http://github.com:80/acme/shop",
        "https://ghp_secret@github.com/acme/shop.git",
        "https://ann:pa55w0rd@github.com/acme/shop.git",
        "https://ann:p@55@github.com/acme/shop.git",
        "https://ann:p%40ss@github.com/acme/shop?tab=readme#top",
        "ann:pa55w0rd@github.com/acme/shop",
        "ssh://git@github.com/acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git",
        "git+ssh://git@github.com:022/acme/shop.git",
        "git://github.com:9418/acme/shop.git",
        "SSH://git@GITHUB.com/acme/shop.GIT",
        " https://github.com/acme/shop\n",
        "github.com./acme/shop",
    ],
)
def test_every_way_to_write_a_remote_is_one_name(remote: str) -> None:
    assert repository(remote) == SHOP


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://git.acme.example:8443/shop.git", "git.acme.example:8443/shop"),
        ("git.acme.example:8443/shop", "git.acme.example:8443/shop"),
        ("git@git.acme.example:8443/shop", "git.acme.example/8443/shop"),
        ("ssh://git@git.acme.example:2222/~ann/shop", "git.acme.example:2222/~ann/shop"),
        ("https://Bücher.example/läden/Bücher.git", "xn--bcher-kva.example/läden/Bücher"),
        ("https://bu\u0308cher.example/la\u0308den/Bu\u0308cher.git", "xn--bcher-kva.example/läden/Bücher"),
        ("https://xn--bcher-kva.example/l%C3%A4den/B%C3%BCcher", "xn--bcher-kva.example/läden/Bücher"),
        ("https://gitlab.example/a/b/c/d", "gitlab.example/a/b/c/d"),
        ("https://github.com/Acme/Shop", "github.com/Acme/Shop"),
        ("https://github.com/acme/my%20shop", "github.com/acme/my shop"),
        ("https://[2001:DB8::1]:8443/shop", "[2001:db8::1]:8443/shop"),
        ("https://github.com/acme/.git", "github.com/acme/.git"),
    ],
)
def test_what_tells_repositories_apart_is_kept(remote: str, name: str) -> None:
    assert repository(remote) == name
    assert repository(name) == name


@pytest.mark.parametrize(
    "remote",
    [
        None,
        7,
        "",
        "  ",
        "shop",
        "github.com",
        "github.com/",
        "/srv/git/shop.git",
        "./shop",
        "../shop",
        "file:///srv/git/shop",
        "C:\\shop",
        "C:/src/shop",
        "c:shop",
        "https:///acme/shop",
        "https://github.com",
        "https://github.com/../shop",
        "https://github.com:port/acme/shop",
        "https://ann:pa55/w0rd@github.com/acme/shop",
        "ann:pa55/w0rd@github.com/acme/shop",
        "ext::sh -c evil",
        "javascript://github.com/acme/shop",
        "github.com/acme/shop\0",
        "github.com/ac\nme/shop",
        "github.com/acme/\ud800",
        "https://github.com/acme/sh%00op",
        "https://github.com/acme/sh%0Aop",
        "github.com/" + "x" * 300,
    ],
)
def test_what_is_no_shared_repository_is_refused_without_repeating_it(remote: object) -> None:
    with pytest.raises(Invalid) as refused:
        repository(remote)
    assert refused.value.errors[0].field == "repository"
    for secret in ("pa55", "w0rd", "srv", "evil"):
        assert secret not in refused.value.detail


@given(st.text(max_size=40), st.text(alphabet="aZ0:@/.%~-ü[]?#\\ ", max_size=40))
def test_a_name_is_its_own_name(anything: str, likely: str) -> None:
    for remote in (anything, likely, f"https://host.example/{anything}", f"git@host.example:{likely}"):
        try:
            name = repository(remote)
        except Invalid:
            continue
        assert repository(name) == name
        assert "@" not in name
        assert len(name) <= 300
