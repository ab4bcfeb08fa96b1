"""Scrapy: real crawls of servers on the loopback address."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

import robosieve
from robosieve.scrapy import RobotParser, RobotsMiddleware

ROBOTS = (
    b"User-agent: examplebot\nDisallow: /*.pdf$\nDisallow: /private\nCrawl-delay: 0.1\n\nUser-agent: *\nDisallow: /\n"
)
PAGES = ["/", "/a.html", "/b.pdf", "/private/c", "/d.pdf?x"]

SPIDER = """
import json, sys, scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = json.loads(sys.argv[1])
    got = []
    def parse(self, response):
        self.got.append(response.url)
"""

CRAWL = (
    SPIDER
    + """
process = CrawlerProcess({
    "USER_AGENT": "examplebot/1.0 (+https://example.com/bot)",
    "ROBOTSTXT_OBEY": True,
    "ROBOTSTXT_PARSER": "robosieve.scrapy.RobotParser",
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    # Of requests that wait for the same robots.txt, Scrapy 2.19 asks its parser about two, whichever parser it is.
    "CONCURRENT_REQUESTS": 1,
})
process.crawl(Pages)
process.start()
print(json.dumps(sorted(Pages.got)))
"""
)


class Pages(BaseHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        body = ROBOTS if self.path == "/robots.txt" else b"<p>a page</p>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    Pages.asked.clear()
    server = HTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_crawl_obeys(site: str, tmp_path: Path) -> None:
    (tmp_path / "crawl.py").write_text(CRAWL)
    urls = [site + page for page in PAGES]
    command = [sys.executable, str(tmp_path / "crawl.py"), json.dumps(urls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    allowed = ["/", "/a.html", "/d.pdf?x"]
    assert json.loads(done.stdout) == sorted(site + page for page in allowed)
    assert sorted(Pages.asked) == sorted([*allowed, "/robots.txt"])


def test_it_is_a_parser_of_scrapy() -> None:
    crawler = get_crawler(settings_dict={"ROBOSIEVE_DIALECT": "original-1994"})
    parser = RobotParser.from_crawler(crawler, ROBOTS)
    assert parser.allowed(b"http://a/b.pdf", b"examplebot"), "there were no wildcards in 1994"
    assert not RobotParser(ROBOTS).allowed("http://a/b.pdf", "Mozilla/5.0 (compatible; examplebot/1.0)")
    assert not RobotParser(ROBOTS).allowed("http://a/", "otherbot")
    assert RobotParser(ROBOTS).crawl_delay("examplebot") == 0.1
    assert RobotParser(ROBOTS).crawl_delay("otherbot") is None


CRAWL_BY_MIDDLEWARE = (
    SPIDER
    + """
process = CrawlerProcess({
    "USER_AGENT": "Mozilla/5.0 (compatible; examplebot/1.0; +https://example.com/bot)",
    "ROBOTSTXT_OBEY": True,
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "robosieve.scrapy.RobotsMiddleware": 100,
    },
    "CONCURRENT_REQUESTS": 50,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    **json.loads(sys.argv[2]),
})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
stats = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith("robotstxt/")}
print(json.dumps([sorted(Pages.got), stats]))
"""
)


class Site(BaseHTTPRequestHandler):
    """A site for each port, whose robots.txt is a status, and a body or the target of a redirect."""

    robots: dict[int, tuple[int, str]] = {}  # noqa: RUF012
    asked: list[tuple[int, str]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        port = int(self.headers["Host"].rsplit(":")[-1])
        self.asked.append((port, self.path))
        status, text = self.robots[port] if self.path == "/robots.txt" else (200, "<p>a page</p>")
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", text)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def sites() -> Iterator[list[str]]:
    """The origins of servers without a robots.txt."""
    Site.asked.clear()
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Site) for _ in range(12)]
    threads = [threading.Thread(target=server.serve_forever) for server in servers]
    for server, thread in zip(servers, threads, strict=True):
        Site.robots[server.server_port] = (404, "")
        thread.start()
    yield [f"http://127.0.0.1:{server.server_port}" for server in servers]
    for server, thread in zip(servers, threads, strict=True):
        server.shutdown()
        thread.join()
        server.server_close()


def serve(origin: str, status: int, text: str = "") -> None:
    Site.robots[int(origin.rsplit(":")[-1])] = (status, text)


def asked() -> Counter[str]:
    """How often each robots.txt was asked for since the last call, and the pages that were."""
    counts = Counter(f"http://127.0.0.1:{port}{path}" for port, path in Site.asked)
    Site.asked.clear()
    return counts


def crawl(folder: Path, urls: list[str], **settings: object) -> tuple[list[str], dict[str, Any]]:
    (folder / "crawl.py").write_text(CRAWL_BY_MIDDLEWARE)
    command = [sys.executable, str(folder / "crawl.py"), json.dumps(urls), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    got, stats = json.loads(done.stdout)
    return got, stats


CLOSED = "User-agent: *\nDisallow: /\n"


def test_all_requests_of_a_host_wait_for_its_robots_txt(sites: list[str], tmp_path: Path) -> None:
    site, moved, chain, down, mute, *_ = sites
    serve(site, 200, "User-agent: examplebot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n")
    serve(moved, 301, f"{site}/robots.txt")
    serve(chain, 302, f"{moved}/robots.txt")
    serve(down, 503)
    serve(mute, 0)
    open_pages = [f"{origin}/{number}" for origin in (site, moved, chain) for number in range(6)]
    private = [f"{origin}/private/{number}" for origin in (site, moved, chain) for number in range(6)]
    waiting = [f"{origin}/{number}" for origin in (down, mute) for number in range(4)]
    urls, policy = private + open_pages + waiting, tmp_path / "crawl.rsv"
    got, stats = crawl(tmp_path, urls, ROBOSIEVE_POLICY=str(policy), LOG_LEVEL="CRITICAL")
    assert got == sorted(open_pages)
    robots = [f"{origin}/robots.txt" for origin in (site, moved, chain, down, mute)]
    assert asked() == Counter([*open_pages, *robots]), "each once"
    assert stats["robotstxt/forbidden"] == len(private)
    assert stats["robotstxt/deferred"] == stats["robotstxt/deferred_reason_count/unreachable"] == len(waiting)
    assert (stats["robotstxt/request_count"], stats["robotstxt/response_count"]) == (5, 4)
    assert stats["robotstxt/response_status_count/200"] == stats["robotstxt/response_status_count/503"] == 1
    assert sum(value for name, value in stats.items() if "exception_count" in name) == 1

    # It starts again from the file: what has an answer is not asked for, nor what failed less than a minute ago.
    assert robosieve.Policy(policy).agents == ["examplebot"]
    got, stats = crawl(tmp_path, urls, ROBOSIEVE_POLICY=str(policy))
    assert got == sorted(open_pages)
    assert asked() == Counter(open_pages)
    assert (stats["robotstxt/forbidden"], stats["robotstxt/deferred"]) == (len(private), len(waiting))


def test_old_answers_are_fetched_again(sites: list[str], tmp_path: Path) -> None:
    site, moved, failing, *_ = sites
    serve(site, 200, CLOSED)
    serve(failing, 500)
    answers = [
        robosieve.Answer(f"{site}/robots.txt", 404, fetched_at=1_700_000_000),
        robosieve.Answer(f"{moved}/robots.txt", 301, location=f"{site}/robots.txt", fetched_at=1_700_000_000),
        robosieve.Answer(f"{failing}/robots.txt", 404, fetched_at=1_700_000_000),
    ]
    policy = tmp_path / "crawl.rsv"
    robosieve.compile(answers, ["examplebot"], policy)
    urls = [f"{origin}/{page}" for origin in (site, moved, failing) for page in "ab"]
    got, stats = crawl(tmp_path, urls, ROBOSIEVE_POLICY=str(policy))
    assert got == [f"{moved}/{page}" for page in "ab"], "it has no robots.txt by now"
    assert stats["robotstxt/forbidden"] == stats["robotstxt/deferred"] == 2
    assert asked() == Counter([*got, *(f"{origin}/robots.txt" for origin in (site, moved, failing))])


@pytest.mark.parametrize("reactor", ["asyncioreactor.AsyncioSelectorReactor", "selectreactor.SelectReactor"])
def test_beyond_its_memory_it_writes_the_policy(sites: list[str], tmp_path: Path, reactor: str) -> None:
    for number, origin in enumerate(sites):
        serve(origin, 200, f"User-agent: *\nDisallow: /{number}\n")
    urls = [f"{origin}/{number}" for number in range(len(sites)) for origin in sites]
    allowed = sorted(
        f"{sites[at]}/{number}"
        for at in range(len(sites))
        for number in range(len(sites))
        if not str(number).startswith(str(at))
    )
    policy = tmp_path / "crawl.rsv"
    got, _ = crawl(
        tmp_path,
        urls,
        ROBOSIEVE_POLICY=str(policy),
        ROBOSIEVE_MEMORY=8000,
        TWISTED_REACTOR=f"twisted.internet.{reactor}",
    )
    assert got == allowed
    assert robosieve.Policy(policy).origins == len(sites)
    assert asked() == Counter([*got, *(f"{origin}/robots.txt" for origin in sites)])
    got, stats = crawl(tmp_path, urls, ROBOSIEVE_MEMORY=3000, LOG_LEVEL="CRITICAL")
    assert set(got) < set(allowed), "without a file, what finds no room is closed"
    assert stats["robotstxt/deferred"] > 0


def test_choices_overrides_and_dialects_are_settings(sites: list[str], tmp_path: Path) -> None:
    site, down, *_ = sites
    serve(site, 200, "User-agent: *\nDisallow: /*.pdf\n")
    serve(down, 503)
    overrides = tmp_path / "overrides.toml"
    overrides.write_text(f'["{sites[2]}"]\nverdict = "forbid-all"\n')
    urls = [f"{origin}/a.pdf" for origin in sites[:3]]
    settings = {"ROBOSIEVE_OVERRIDES": str(overrides), "ROBOSIEVE_CHOICES": {"on_unreachable": "allow"}}
    got, stats = crawl(tmp_path, urls, **settings)
    assert (got, stats["robotstxt/forbidden"]) == ([urls[1]], 2)
    got, _ = crawl(tmp_path, urls, ROBOSIEVE_DIALECT="original-1994", ROBOSIEVE_AGENT="otherbot", **settings)
    assert got == sorted(urls[:2]), "there were no wildcards in 1994"


def test_it_obeys_only_if_the_project_does() -> None:
    with pytest.raises(NotConfigured):
        RobotsMiddleware.from_crawler(get_crawler(settings_dict={"ROBOTSTXT_OBEY": False}))
    obeying = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "examplebot/1.0"}
    middleware = RobotsMiddleware.from_crawler(get_crawler(settings_dict=obeying))
    assert middleware.live.agents == ["examplebot"]
    for request in (Request("data:,a"), Request("https://a.example/", meta={"dont_obey_robotstxt": True})):
        with pytest.raises(StopIteration):
            middleware.process_request(request).send(None)
