"""`Policy.origin`: what a policy knows of an origin."""

import dataclasses
import pickle
from pathlib import Path

import pytest

import robosieve

NOON = 1_768_219_200

BODY = """Sitemap: https://a.example/map.xml
User-agent: examplebot
User-agent: other
Disallow: /cart
Allow: /cart/open
Crawl-delay: 2.5

User-agent: *
Disallow: /
Crawl-delay: 9
"""


def url(host: str) -> str:
    return f"https://{host}.example/robots.txt"


@pytest.fixture(scope="module")
def known() -> robosieve.Policy:
    answers = [
        robosieve.Answer(url("a"), 200, BODY, NOON, expires=NOON + 60),
        robosieve.Answer(url("a"), 503, None, NOON + 30, unreachable_since=NOON + 20),
        robosieve.Answer(url("b"), 404),
        robosieve.Answer(url("c"), 200, "<!DOCTYPE html>\n<p>hello"),
        robosieve.Answer(url("d"), None),
    ]
    return robosieve.compile(answers, ["examplebot", "nobody", "*"], dialect="draft-1996")


def test_the_state_and_the_group_of_an_origin_are_told(known: robosieve.Policy) -> None:
    a = known.origin("https://A.example:443/cart?x", "examplebot")
    assert a is not None
    assert (a.origin, a.state, a.status, a.last_good) == ("https://a.example", "unreachable", 503, "robots-txt")
    assert (a.fetched_at, a.expires, a.unreachable_since) == (NOON + 30, None, NOON + 20)
    assert (a.agent, a.group, a.user_agents) == ("examplebot", "own", ["examplebot"])
    assert a.rules == ["Disallow: /cart", "Allow: /cart/open"]
    assert a.sitemaps == ["https://a.example/map.xml"]
    others = known.origin(b"https://a.example", "*")
    assert others is not None
    assert (others.group, others.user_agents, others.rules) == ("everybody", ["*"], ["Disallow: /"])
    for host, state, status, html in (
        ("b", "unavailable", 404, False),
        ("c", "robots-txt", 200, True),
        ("d", "unreachable", None, False),
    ):
        entry = known.origin(url(host), "nobody")
        assert entry is not None
        assert (entry.state, entry.status, entry.html_page, entry.fetched_at) == (state, status, html, None)
        assert (entry.group, entry.rules, entry.last_good, entry.sitemaps) == ("none", [], None, [])
    assert known.origin("https://never.example/", "*") is None


def test_delays_are_those_that_the_dialect_obeys(known: robosieve.Policy) -> None:
    body = {"https://a.example": BODY}
    delays = {}
    for dialect in robosieve.DIALECTS:
        entry = robosieve.compile(body, ["examplebot"], dialect=dialect).origin("https://a.example")
        rules = robosieve.RobotsTxt(BODY, "examplebot", dialect=dialect)
        assert entry is not None
        assert (entry.crawl_delay, entry.sitemaps) == (rules.crawl_delay, rules.sitemaps)
        delays[dialect] = entry.crawl_delay
    assert set(delays.values()) == {2.5, None}


def test_overrides_and_layers_count(known: robosieve.Policy, tmp_path: Path) -> None:
    overrides = tmp_path / "overrides.toml"
    overrides.write_text(
        '["https://a.example"]\nverdict = "forbid-all"\n'
        '["https://e.example"]\ncrawl-delay = 7\npaused-until = 2026-01-12T12:00:00Z\n'
    )
    path = tmp_path / "policy.rsv"
    robosieve.compile([robosieve.Answer(url("e"), 404)], ["examplebot"], path, overrides=overrides)
    policy = robosieve.Policy(path)
    a, e = policy.origin("https://a.example"), policy.origin("https://e.example")
    assert a is not None
    assert e is not None
    assert (a.state, a.ruling, a.paused_until) == ("unfetched", "forbid-all", None)
    assert (e.state, e.ruling, e.paused_until, e.crawl_delay) == ("unavailable", None, NOON, 7.0)
    newer = robosieve.compile([robosieve.Answer(url("e"), 200, "User-agent: *\nDisallow: /e", NOON)], ["examplebot"])
    layered = robosieve.Policy([path, newer]).origin("https://e.example/")
    assert layered is not None
    assert (layered.state, layered.rules, layered.paused_until) == ("robots-txt", ["Disallow: /e"], NOON)


def test_what_is_no_url_or_agent_is_told(known: robosieve.Policy) -> None:
    with pytest.raises(robosieve.Error, match="url: shop.example: expected an absolute"):
        known.origin("shop.example", "*")
    with pytest.raises(TypeError, match="url: expected str or bytes, not int"):
        known.origin(5, "*")  # type: ignore[arg-type]
    with pytest.raises(robosieve.AgentError, match="otherbot"):
        known.origin("https://a.example", "otherbot")
    with pytest.raises(robosieve.AgentError, match="agent: "):
        known.origin("https://a.example")


def test_an_origin_is_a_value(known: robosieve.Policy) -> None:
    entry = known.origin("https://a.example", "*")
    assert entry == pickle.loads(pickle.dumps(entry)) == known.origin("https://a.example/x", "*")
    assert isinstance(entry, robosieve.Origin)
    assert all(field.name in repr(entry) for field in dataclasses.fields(entry))
