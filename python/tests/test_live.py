"""`LivePolicy`: it takes answers while it judges, and says what a policy says that was compiled from the same answers."""

import asyncio
import itertools
import json
import pickle
import random
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import robosieve
from robosieve import Answer, Choices, LivePolicy, Needed, Put

AGENTS = ["examplebot", "*"]
CLOSED = "User-agent: *\nDisallow: /\n"
NOW = 1_790_000_000

HOSTS = [f"https://{name}.example" for name in ("a", "b", "c", "d", "www.a")]
BODIES = [
    "",
    CLOSED,
    "User-agent: *\nDisallow: /x\nCrawl-delay: 3\n",
    "User-agent: examplebot\nAllow: /x/y\nDisallow: /x\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow: /z\n",
    "Sitemap: https://a.example/s.xml\nContent-Signal: ai-train=no\n",
    "<!doctype html><p>no robots.txt",
]
URLS = [host + page for host in (*HOSTS, "https://never.example") for page in ("/", "/x", "/x/y", "/z", "/robots.txt")]
URLS.append("no url")
COLUMNS = ["verdict", "reason", "rule", "line", "blocked_for", "deferred_for", "train_ai"]
ALL_CHOICES = [
    Choices(now=NOW),
    Choices(
        now=NOW,
        on_unreachable="use",
        on_unfetched="block",
        on_html="block",
        max_age=500,
        on_stale="defer",
        www_fallback=True,
        statuses={404: "defer"},
        require="train-ai!=n",
    ),
]


def robots(host: str, body: str, at: int = NOW) -> Answer:
    return Answer(f"{host}/robots.txt", 200, body, at)


def moved(host: str, target: str, at: int = NOW) -> Answer:
    return Answer(f"{host}/robots.txt", 301, fetched_at=at, location=f"{target}/robots.txt")


def some_answer(chance: random.Random) -> Answer:
    host, at = chance.choice(HOSTS), NOW - chance.randrange(1000)
    kind = chance.randrange(6)
    if kind < 3:
        return robots(host, chance.choice(BODIES), at)
    if kind == 3:
        return moved(host, chance.choice(HOSTS), at)
    return Answer(f"{host}/robots.txt", chance.choice([None, 304, 404, 403, 429, 503]), fetched_at=at)


def compiled(answers: list[Answer], overrides: Path | None) -> robosieve.Policy:
    if not answers:
        return robosieve.compile({"https://a.example": ""}, AGENTS)
    with warnings.catch_warnings():
        # Two answers may have the same time.
        warnings.simplefilter("ignore")
        return robosieve.compile(answers, AGENTS, overrides=overrides)


def told(policy: robosieve.Policy | LivePolicy, choices: Choices) -> list[object]:
    one = [policy.judge(URLS, agent, explain=True, choices=choices) for agent in AGENTS]
    several = policy.judge(URLS, agents=AGENTS, columns=COLUMNS, choices=choices)
    plain = policy.judge(URLS, "examplebot", choices=choices, dictionary=True)
    columns = [out[name] for out in (*one, several, plain) for name in out.columns]
    return [columns, [policy.allowed(url, "*", choices=choices) for url in URLS]]


@pytest.mark.parametrize("seed", range(12))
def test_it_judges_and_writes_as_a_compiled_policy(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    answers = [some_answer(chance) for _ in range(25)]
    of_base = chance.choice([0, 5, 15])
    overrides = tmp_path / "overrides.toml"
    overrides.write_text('["https://b.example"]\nverdict = "forbid-all"\n\n["https://c.example"]\ncrawl-delay = 7\n')
    live = LivePolicy(AGENTS, over=compiled(answers[:of_base], None) if of_base else None)
    for number, answer in enumerate(answers[of_base:], of_base + 1):
        live.put(answer)
        if number % 8 == 0:
            expected = compiled(answers[:number], None)
            for choices in ALL_CHOICES:
                assert told(live, choices) == told(expected, choices), (number, choices)
            live.rebase(live.write(tmp_path / "policy.rsv"))
            assert live.statistics().urls == 0
    live.put_overrides(overrides)
    expected = compiled(answers, overrides)
    for choices in ALL_CHOICES:
        assert told(live, choices) == told(expected, choices)
        for url in URLS:
            why = live.explain(url, "examplebot", choices=choices)
            out = live.judge(url, "examplebot", choices=choices, explain=True)
            assert (why["verdict"], why["reason"]) == (out["verdict"][0], out["reason"][0])
            if why["verdict"] == "blocked":
                assert (why["rule"], why["line"]) == (out["rule"][0], out["line"][0])
    assert live.write(tmp_path / "policy.rsv").to_bytes() == expected.to_bytes()


def test_a_put_tells_what_it_did() -> None:
    live = LivePolicy(["examplebot"])
    assert live.put(robots("https://a.example", CLOSED)) == Put("changed", None)
    assert live.put(robots("https://a.example", CLOSED)).effect == "older"
    assert live.put(robots("https://a.example", "", NOW - 1)).effect == "older"
    assert live.put(robots("https://a.example", "")).effect == "tie"
    put = live.put(moved("https://b.example", "https://c.example"))
    assert put == Put("changed", "https://c.example/robots.txt", None)
    assert live.put(moved("https://c.example", "https://a.example")).ask is None, "it has an answer"
    assert not live.allowed("https://b.example/")
    cut = live.put({"origin": "https://d.example", "status": 200, "body_base64": "H4sIAAAAAAAA", "fetched_at": NOW})
    assert "gzip" in str(cut.problem)
    assert not live.allowed("https://d.example/")


def test_a_dict_has_the_fields_of_json_lines(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"url": "https://a.example/robots.txt", "status": 200, "body": CLOSED, "fetched_at": NOW, "more": [1]},
        {
            "origin": "https://b.example",
            "status": 200,
            "body_base64": "RGlzYWxsb3c6IC8=",
            "fetched_at": "2026-01-12T08:00:00Z",
        },
        {"url": "https://c.example/robots.txt", "status": None, "fetched_at": NOW, "unreachable_since": NOW - 5},
        {
            "origin": "https://d.example",
            "status": 302,
            "location": "https://a.example/robots.txt",
            "fetched_at": NOW,
            "body": None,
        },
        {
            "origin": "https://e.example",
            "status": 200,
            "body": "Disallow: /",
            "fetched_at": NOW,
            "expires": NOW + 5,
            "headers": {"a": "b"},
        },
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    live = LivePolicy(AGENTS)
    assert {live.put(line).effect for line in lines} == {"changed"}
    assert (
        live.write(tmp_path / "live.rsv").to_bytes()
        == robosieve.compile([tmp_path / "answers.jsonl"], AGENTS).to_bytes()
    )


GOOD = {"url": "https://a.example/robots.txt", "status": 404, "fetched_at": NOW}


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (5, TypeError, "answer: expected a robosieve.Answer or a dict, not int"),
        ("https://a.example", TypeError, "answer: expected a robosieve.Answer or a dict, not str"),
        ({"url": "https://a.example/robots.txt", "fetched_at": NOW}, robosieve.SourceError, 'it has no "status"'),
        ({**GOOD, "status": "404"}, TypeError, "answer: status"),
        ({**GOOD, "status": 1000}, robosieve.SourceError, "1000 is no HTTP status"),
        ({**GOOD, "url": 5}, TypeError, "answer: url"),
        ({**GOOD, "url": "ftp://a.example/robots.txt"}, robosieve.SourceError, "ftp"),
        ({**GOOD, "url": None}, robosieve.SourceError, "it has no URL"),
        ({**GOOD, "origin": "https://a.example"}, robosieve.SourceError, "both a URL and an origin"),
        ({**GOOD, "fetched_at": None}, robosieve.SourceError, "it has no time"),
        ({**GOOD, "fetched_at": "today"}, robosieve.Error, "answer: fetched_at"),
        ({**GOOD, "status": 200}, robosieve.SourceError, "its body is null"),
        ({**GOOD, "headers": 5}, TypeError, "headers"),
        (Answer("https://a.example/robots.txt", 404), robosieve.SourceError, "it has no time"),
    ],
)
def test_what_cannot_be_put_is_told(answer: object, kind: type[Exception], message: str) -> None:
    live = LivePolicy(["examplebot"])
    with pytest.raises(kind, match=message):
        live.put(answer)  # type: ignore[arg-type]
    assert live.statistics().urls == 0


def test_arguments_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="agents: expected a list"):
        LivePolicy("examplebot")  # type: ignore[arg-type]
    with pytest.raises(robosieve.AgentError):
        LivePolicy([])
    with pytest.raises(robosieve.Error, match="dialect: "):
        LivePolicy(AGENTS, dialect="latin")
    with pytest.raises(ValueError, match="memory: expected a number of bytes above 0"):
        LivePolicy(AGENTS, memory=0)
    others = robosieve.compile({"https://a.example": ""}, ["other"])
    with pytest.raises(robosieve.PolicyError, match="over: "):
        LivePolicy(AGENTS, over=others)
    live = LivePolicy(AGENTS)
    with pytest.raises(robosieve.PolicyError):
        live.rebase(others)
    with pytest.raises(robosieve.AgentError, match="the policy has several crawlers"):
        live.allowed("https://a.example/")
    with pytest.raises(robosieve.AgentError, match="agent: "):
        live.judge(URLS, "other")
    with pytest.raises(TypeError, match="give agent or agents, not both"):
        live.judge(URLS, "*", agents=AGENTS)
    with pytest.raises(robosieve.Error, match="url: no url"):
        live.state("no url")
    with pytest.raises(robosieve.Error, match="n: expected 0 or more"):
        live.needed(n=-1)
    kept = tmp_path / "notes.txt"
    kept.write_text("mine")
    with pytest.raises(robosieve.PolicyError, match=r"cannot write .*notes.txt"):
        live.write(kept)
    assert kept.read_text() == "mine"
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(live)
    assert repr(live) == "<robosieve.LivePolicy 0 URLs, for examplebot; *, rfc9309>"
    assert (live.agents, live.dialect) == (AGENTS, "rfc9309")


URLS_IN_EVERY_FORM: list[Callable[[list[str | None]], object]] = [
    lambda urls: urls,
    lambda urls: iter(urls),
    lambda urls: [None if url is None else url.encode() for url in urls],
    lambda urls: pa.array(urls),
    lambda urls: pa.chunked_array([pa.array(urls[:2]), pa.array(urls[2:])]),
    lambda urls: pa.array(urls).dictionary_encode(),
    lambda urls: pa.table({"url": urls, "n": range(len(urls))}),
    lambda urls: pl.Series(urls),
    lambda urls: pl.DataFrame({"url": urls}),
    lambda urls: {"url": urls},
]


@pytest.mark.parametrize("number", range(len(URLS_IN_EVERY_FORM)))
def test_urls_come_in_every_form(number: int) -> None:
    live = LivePolicy(["examplebot"])
    live.put(robots("https://a.example", "User-agent: *\nDisallow: /x\n"))
    urls = ["https://a.example/x", "https://a.example/", None, "https://b.example/", "https://a.example/x"]
    given: Any = URLS_IN_EVERY_FORM[number](urls)
    out = live.judge(given, column="url" if isinstance(given, pa.Table) else None)
    assert out["verdict"] == ["blocked", "allowed", None, "deferred", "blocked"]
    assert [needed[:3] for needed in live.needed()] == [("https://b.example/robots.txt", "unfetched", 1)]


def test_single_urls_and_rows_of_pandas() -> None:
    live = LivePolicy(["examplebot"])
    live.put(robots("https://a.example", "User-agent: *\nDisallow: /x\n"))
    for url in ("https://a.example/x", b"https://a.example/x"):
        assert live.judge(url)["verdict"] == ["blocked"]
    frame = pd.DataFrame({"url": ["https://a.example/", "https://a.example/x"]}, index=[7, 5])
    assert live.judge(frame).to_pandas()["verdict"].to_dict() == {7: "allowed", 5: "blocked"}
    assert live.judge([])["verdict"] == []
    with pytest.raises(TypeError, match="urls: item 0 is of type int"):
        live.judge([5])  # type: ignore[list-item]


def test_what_is_known_of_an_origin() -> None:
    live = LivePolicy(["examplebot"], dialect="draft-1996")
    assert live.state("https://a.example") is None
    live.put(robots("https://a.example", "User-agent: *\nCrawl-delay: 2\nSitemap: https://a.example/s.xml\n", NOW - 60))
    live.put(
        {
            "origin": "https://a.example",
            "status": 503,
            "fetched_at": NOW,
            "expires": NOW + 9,
            "unreachable_since": NOW - 5,
        }
    )
    assert live.state("https://A.example/x") == robosieve.OriginReport(
        state="unreachable",
        status=503,
        fetched_at=NOW,
        expires=NOW + 9,
        unreachable_since=NOW - 5,
        usable_until=NOW - 60 + 7 * 86_400,
        crawl_delay=2.0,
        sitemaps=["https://a.example/s.xml"],
        is_overridden=False,
    )


def test_needed_names_each_once_until_its_answer_comes() -> None:
    live = LivePolicy(["examplebot"])
    for url in ("https://a.example/", "https://b.example/", "https://a.example/x"):
        live.allowed(url)
    assert live.statistics().waiting == 2
    assert live.needed(NOW, 1) == [Needed("https://a.example/robots.txt", "unfetched", 2, None, None)]
    assert [needed.url for needed in live.needed(datetime.fromtimestamp(NOW, timezone.utc))] == [
        "https://b.example/robots.txt"
    ]
    assert live.needed(NOW + 599) == []
    live.put(robots("https://a.example", "", NOW + 5))
    live.put(Answer("https://b.example/robots.txt", 503, fetched_at=NOW + 5))
    assert live.needed(NOW + 64) == []
    assert live.needed(NOW + 65) == [Needed("https://b.example/robots.txt", "unfetched", 1, 503, NOW + 5)]
    assert live._next_fetch("https://b.example/x") == ("https://b.example/robots.txt", NOW + 65)
    assert live._next_fetch("https://c.example/x") == ("https://c.example/robots.txt", None)


def test_beyond_its_memory_it_is_full_until_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "policy.rsv"
    live, full = LivePolicy(["examplebot"], memory=60 << 10), 0
    for number in range(400):
        answer = robots(f"https://{number}.example", f"User-agent: *\nDisallow: /{number}/*/x\n")
        if live.put(answer).effect == "full":
            full += 1
            assert not live.allowed(f"https://{number}.example/")
            live.rebase(live.write(path))
            assert live.put(answer).effect == "changed"
        assert live.statistics().bytes <= 60 << 10
    assert full > 1
    urls = [f"https://{number}.example/{number}/y/x" for number in range(400)]
    assert set(live.judge(urls)["verdict"]) == {"blocked"}
    again = LivePolicy(["examplebot"], over=robosieve.Policy(path))
    assert again.judge(urls)["verdict"].count("blocked") > 200


def test_it_reads_the_clock_at_each_call() -> None:
    live, choices = LivePolicy(["examplebot"]), Choices(max_age=32, on_stale="block")
    now = datetime.now(timezone.utc)
    live.put(Answer("https://a.example/robots.txt", 404, fetched_at=now - timedelta(seconds=30)))
    url = "https://a.example/"
    # It changes once.
    while live.allowed(url, choices=choices) or live.judge(url, choices=choices)["verdict"] != ["blocked"]:
        pass
    assert live.judge(url, choices=choices, explain=True)["reason"] == ["stale"]
    assert live.allowed(url, choices=Choices(max_age=32, on_stale="block", now=now))


def test_threads_put_judge_write_and_rebase_at_once(tmp_path: Path) -> None:
    """Half of the hosts redirect to the other half, so a judge of all finds no two apart."""
    live = LivePolicy(AGENTS)
    pairs = [(f"https://from{number}.example", f"https://to{number}.example") for number in range(6)]
    for source, target in pairs:
        live.put(moved(source, target, 1))
        live.put(robots(target, CLOSED, 1))
    urls = [host + "/" for pair in pairs for host in pair]
    done = threading.Event()

    def putting(first: int) -> None:
        for at in range(2, 150):
            source, target = pairs[at % 3 * 2 + first]
            body = "" if at % 2 else CLOSED
            live.put(robots(target, body, at))
            assert live.allowed(source, "*") == (body == ""), at

    def judging() -> None:
        while not done.is_set():
            for out in (live.judge(urls, "*"), live.judge(urls, "*", explain=True), live.judge(urls, agents=AGENTS)):
                verdicts = out["verdict"]
                assert verdicts[::2] == verdicts[1::2]
            live.needed()
            live.state(urls[0])

    def writing() -> None:
        while not done.is_set():
            live.rebase(live.write(tmp_path / "policy.rsv"))

    with ThreadPoolExecutor(4) as pool:
        others = [pool.submit(judging), pool.submit(writing)]
        puts = [pool.submit(putting, first) for first in (0, 1)]
        try:
            for put in puts:
                put.result()
        finally:
            done.set()
        for other in others:
            other.result()
    assert set(live.judge(urls, "*")["verdict"]) == {"allowed", "blocked"}


def test_tasks_of_asyncio_share_it(tmp_path: Path) -> None:
    live = LivePolicy(["examplebot"])
    hosts = [f"https://{number}.example" for number in range(40)]

    async def fetched(number: int) -> list[str]:
        before = live.judge(hosts[number])["verdict"][0]
        await asyncio.to_thread(live.put, robots(hosts[number], CLOSED if number % 2 else ""))
        return [before, live.judge(hosts[number])["verdict"][0]]

    async def main() -> list[list[str]]:
        saving = asyncio.to_thread(lambda: live.rebase(live.write(tmp_path / "policy.rsv")))
        *verdicts, _ = await asyncio.gather(*(fetched(number) for number in range(len(hosts))), saving)
        return verdicts  # type: ignore[return-value]

    both = itertools.cycle([["deferred", "allowed"], ["deferred", "blocked"]])
    assert asyncio.run(main()) == list(itertools.islice(both, len(hosts)))
