"""Scrapy: a real crawl of a server on the loopback address."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from robosieve.scrapy import RobotParser

ROBOTS = (
    b"User-agent: examplebot\nDisallow: /*.pdf$\nDisallow: /private\nCrawl-delay: 0.1\n\nUser-agent: *\nDisallow: /\n"
)
PAGES = ["/", "/a.html", "/b.pdf", "/private/c", "/d.pdf?x"]

CRAWL = """
import json, sys, scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = json.loads(sys.argv[1])
    got = []
    def parse(self, response):
        self.got.append(response.url)

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
