"""`RobotsTxt`: one file, one crawler."""

import pytest

import robosieve

BODY = """\
Sitemap: https://shop.example/sitemap.xml
User-agent: examplebot
Disallow: /private
Allow: /private/*.html$
Crawl-delay: 1.5

User-agent: *
Disallow: /
"""


def test_a_file_is_judged_by() -> None:
    rules = robosieve.RobotsTxt(BODY, agent="ExampleBot/2.0")
    assert rules.allowed("https://shop.example/")
    assert rules.allowed("HTTP://SHOP.example/private/a.html#top")
    assert not rules.allowed(b"/private/notes")
    assert rules.explain("/private/a.html") == {
        "allowed": True,
        "rule": "Allow: /private/*.html$",
        "line": 4,
        "agent": "examplebot",
    }
    assert rules.explain("/") == {"allowed": True, "rule": None, "line": None, "agent": None}
    assert (rules.crawl_delay, rules.sitemaps) == (1.5, ["https://shop.example/sitemap.xml"])
    assert not robosieve.RobotsTxt(BODY.encode()).allowed("/x")


def test_records_beside_the_rules() -> None:
    rules = robosieve.RobotsTxt("User-agent: *\nRequest-rate: 1/5\nRequest-rate: 2/5\nDisallow:\nHost: a.example")
    assert (rules.records("request-rate"), rules.records("host")) == (["1/5", "2/5"], ["a.example"])
    assert (rules.crawl_delay, rules.sitemaps) == (None, [])
    with pytest.raises(robosieve.Error, match='key: "allow" is not one of crawl-delay, '):
        rules.records("allow")


@pytest.mark.parametrize("dialect", robosieve.DIALECTS)
def test_every_dialect_has_its_name(dialect: str) -> None:
    rules = robosieve.RobotsTxt(BODY, "examplebot", dialect=dialect)
    assert not rules.allowed("/private/x")


def test_what_is_wrong_is_told() -> None:
    rules = robosieve.RobotsTxt("")
    for url in ("ftp://shop.example/", "shop.example", "", "https://"):
        with pytest.raises(robosieve.Error, match="url: "):
            rules.allowed(url)
    with pytest.raises(TypeError, match="url: expected str or bytes"):
        rules.allowed(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="body: expected str or bytes"):
        robosieve.RobotsTxt(5)  # type: ignore[arg-type]
    with pytest.raises(robosieve.AgentError, match="probably examplebot"):
        robosieve.RobotsTxt("", "Mozilla/5.0 (compatible; examplebot/1.0)")
    with pytest.raises(robosieve.Error, match="dialect: "):
        robosieve.RobotsTxt("", dialect="klingon")
    assert (
        robosieve.RobotsTxt("User-agent: my bot\nDisallow: /", "my bot", dialect="original-1994", verbatim=True)
        is not None
    )
