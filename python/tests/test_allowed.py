"""`Policy.allowed`: one URL at a time, true for the verdict "allowed" only."""

import itertools
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import robosieve


def test_it_is_true_for_the_partition_allowed_only(policy: robosieve.Policy, urls: list[bytes]) -> None:
    choices = [
        None,
        robosieve.Choices(on_unfetched="allow"),
        robosieve.Choices(on_html="block", max_age="dialect", now=0),
    ]
    for agent, chosen in itertools.product(("examplebot", "*", "EXAMPLEBOT"), choices):
        verdicts = policy.judge(urls, agent, choices=chosen)["verdict"]
        assert [policy.allowed(url, agent, choices=chosen) for url in urls] == [
            verdict == "allowed" for verdict in verdicts
        ]
        assert {"allowed", "blocked", "invalid"} <= set(verdicts)
    text = urls[0].decode()
    assert policy.allowed(text, "*") == policy.allowed(urls[0], "*")


def test_what_is_no_url_or_agent_is_told(policy: robosieve.Policy) -> None:
    for url in ("", "shop.example", b"\xff", "https://shop.example\udcff/"):
        assert not policy.allowed(url, "examplebot")
    with pytest.raises(TypeError, match="url: expected str or bytes, not NoneType"):
        policy.allowed(None, "examplebot")  # type: ignore[arg-type]
    with pytest.raises(robosieve.AgentError, match="was not compiled for otherbot"):
        policy.allowed("https://shop.example/", "otherbot")
    with pytest.raises(robosieve.AgentError, match="the policy has several crawlers"):
        policy.allowed("https://shop.example/")
    single = robosieve.compile({"https://a.example": "User-agent: *\nDisallow: /x"}, ["*"])
    assert (single.allowed("https://a.example/"), single.allowed("https://a.example/x")) == (True, False)


def test_time_goes_on(tmp_path: Path) -> None:
    """A pause ends, and an answer grows old, while the policy is open."""
    url, now = "https://a.example/", datetime.now(timezone.utc)
    end = now + timedelta(seconds=2)
    answer = robosieve.Answer("https://a.example/robots.txt", 404, fetched_at=now - timedelta(seconds=30))
    overrides = tmp_path / "overrides.toml"
    overrides.write_text(f'["https://a.example"]\npaused-until = {end.isoformat()}\n')
    paused = robosieve.compile([answer], ["*"], overrides=overrides)
    old, choices = robosieve.compile([answer], ["*"]), robosieve.Choices(max_age=32, on_stale="block")
    first = paused.allowed(url), old.allowed(url, choices=choices)
    if datetime.now(timezone.utc) < end - timedelta(seconds=1):
        assert first == (False, True)
    # Both change once, and never back.
    while (paused.allowed(url), old.allowed(url, choices=choices)) != (True, False):
        pass
    fixed = robosieve.Choices(now=now)
    assert not paused.allowed(url, choices=fixed)


def test_many_crawlers_and_choices_are_kept_apart() -> None:
    agents = [f"bot{number}" for number in "abcdefghijklmnopqrstuvwxyz"]
    body = "".join(f"User-agent: {agent}\nDisallow: /{agent}\n\n" for agent in agents)
    policy = robosieve.compile({"https://a.example": body}, agents)
    for _ in range(2):
        for number, agent in enumerate(agents):
            for age in (1, 2, 3):
                choices = robosieve.Choices(max_age=age + number)
                assert not policy.allowed(f"https://a.example/{agent}", agent, choices=choices)
                assert policy.allowed("https://a.example/other", agent, choices=choices)


def test_threads_share_a_policy(policy: robosieve.Policy, urls: list[bytes]) -> None:
    expected = [policy.allowed(url, "*") for url in urls]
    results: list[list[bool]] = []

    def work(agent: str) -> None:
        results.append([policy.allowed(url, agent) for url in urls])

    threads = [threading.Thread(target=work, args=("*",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
