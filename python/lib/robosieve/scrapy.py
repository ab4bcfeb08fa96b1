"""Scrapy: a middleware that obeys robots.txt by a live policy, and a parser for Scrapy's own middleware.

The middleware takes the place of Scrapy's own in the settings of a project:

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "robosieve.scrapy.RobotsMiddleware": 100,
    }

The parser is `ROBOTSTXT_PARSER = "robosieve.scrapy.RobotParser"`, which Scrapy tells neither URL, status nor time of a
robots.txt. `ROBOSIEVE_DIALECT` selects a dialect other than RFC 9309's for either.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy.robotstxt
from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from robosieve._live import Put
from robosieve._robosieve import Answer, Choices, LivePolicy, Policy, product_token
from robosieve.compat._rules import Rules, path

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# Puts between two looks at who still waits, which forget those that do not.
_PUTS = 1000


class RobotsMiddleware:
    """Drops requests that robots.txt forbids. All requests of a host wait for its robots.txt.

    Settings: `ROBOSIEVE_AGENT`, the crawler's product token, by default that of `ROBOTSTXT_USER_AGENT` or
    `USER_AGENT`; `ROBOSIEVE_DIALECT`; `ROBOSIEVE_POLICY`, a policy file from which it starts, if it is there, and which
    is written when the spider is closed; `ROBOSIEVE_MEMORY`, the bytes of answers beyond which it is written before;
    `ROBOSIEVE_OVERRIDES`, a file with the operator's own verdicts; and `ROBOSIEVE_CHOICES`, a dict of arguments of
    `robosieve.Choices`.
    """

    DOWNLOAD_PRIORITY = 1000

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        assert crawler.stats is not None
        self._crawler, self._stats = crawler, crawler.stats
        user_agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
        self._agent: str = settings.get("ROBOSIEVE_AGENT") or product_token(_text(user_agent))
        # An answer that is too old is fetched again.
        self._choices = Choices(**{"on_stale": "defer", **settings.getdict("ROBOSIEVE_CHOICES")})
        file = settings.get("ROBOSIEVE_POLICY")
        self._file = Path(file) if file else None
        self.live = LivePolicy(
            [self._agent],
            dialect=settings.get("ROBOSIEVE_DIALECT", "rfc9309"),
            over=Policy(self._file) if self._file and self._file.exists() else None,
            memory=settings.getint("ROBOSIEVE_MEMORY") or None,
        )
        if overrides := settings.get("ROBOSIEVE_OVERRIDES"):
            self.live.put_overrides(overrides)
        # The requests that wait for each robots.txt that is being fetched.
        self._waiting: dict[str, list[Deferred[bool]]] = {}
        self._writing = threading.Lock()
        self._puts = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        """A middleware with the settings of this crawler."""
        made = cls(crawler)
        crawler.signals.connect(made._close, signal=signals.spider_closed)
        return made

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Waits until there is a verdict; raises `IgnoreRequest` unless it is "allowed"."""
        is_of_web = urlparse_cached(request).scheme in ("http", "https")
        if request.meta.get("dont_obey_robotstxt") or not is_of_web:
            return
        verdict, reason = self._judge(request)
        while verdict == "deferred" and await self._learn(request.url):
            verdict, reason = self._judge(request)
        if verdict == "allowed":
            return
        extra = {"spider": self._crawler.spider}
        if verdict == "deferred":
            self._stats.inc_value("robotstxt/deferred")
            self._stats.inc_value(f"robotstxt/deferred_reason_count/{reason}")
            logger.debug("Deferred (%s): %s", reason, request, extra=extra)
            raise IgnoreRequest(f"There is no verdict of a robots.txt: {reason}")
        self._stats.inc_value("robotstxt/forbidden")
        logger.debug("Forbidden (%s): %s", reason, request, extra=extra)
        raise IgnoreRequest(f"Forbidden: {reason}")

    def _judge(self, request: Request) -> tuple[str, str]:
        out = self.live.judge(request.url, self._agent, choices=self._choices)
        return out["verdict"][0], out["reason"][0]

    async def _learn(self, url: str) -> bool:
        """Waits for the next answer on the way to a verdict on a URL; returns whether one came."""
        fetch = self.live._next_fetch(url)
        if fetch is None:
            return False
        robots_url, may_be_at = fetch
        if robots_url in self._waiting:
            # Each request has a Deferred of its own, because the first callback takes the result of one.
            waiter: Deferred[bool] = Deferred()
            self._waiting[robots_url].append(waiter)
            return await maybe_deferred_to_future(waiter)
        if may_be_at is not None and time.time() < may_be_at:
            return False
        is_news, waiting = False, self._waiting.setdefault(robots_url, [])
        try:
            is_news = await self._put(await self._answer(robots_url))
        finally:
            del self._waiting[robots_url]
            for waiter in waiting:
                waiter.callback(is_news)
        return is_news

    async def _answer(self, url: str) -> Answer:
        """Fetches a robots.txt. Whatever fails is an answer, too."""
        meta = {"dont_obey_robotstxt": True, "dont_redirect": True, "dont_cache": True, "allow_offsite": True}
        request = Request(url, priority=self.DOWNLOAD_PRIORITY, callback=NO_CALLBACK, dont_filter=True, meta=meta)
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self._download(request)
        except Exception as error:
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
                logger.warning("Cannot fetch %s: %s", url, error, extra={"spider": self._crawler.spider})
            return Answer(url, None, fetched_at=time.time())
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        status, location = response.status, response.headers.get("Location")
        if 200 <= status < 300 and "dataloss" in response.flags:
            status = 206  # Incomplete: its lines are not used.
        return Answer(
            url,
            status,
            response.body,
            time.time(),
            location.decode(errors="replace") if location else None,
            headers=response.headers,
        )

    async def _download(self, request: Request) -> Response:
        engine = self._crawler.engine
        assert engine is not None
        # Before Scrapy 2.14.
        if not hasattr(engine, "download_async"):
            return await maybe_deferred_to_future(engine.download(request))
        return await engine.download_async(request)

    async def _put(self, answer: Answer) -> bool:
        """Takes an answer; returns whether it is news. If there is no memory, the policy is written first."""
        put = self.live.put(answer)
        if put.effect == "full" and self._file is not None:
            put = await _in_thread(self._put_after_writing, answer)
        if put.effect == "full":
            logger.error(
                "%s: no memory for more answers; set ROBOSIEVE_POLICY to write them, or raise ROBOSIEVE_MEMORY",
                answer.url,
                extra={"spider": self._crawler.spider},
            )
        self._puts += 1
        if self._puts % _PUTS == 0:
            self.live.needed(n=0)
        return put.effect == "changed"

    def _put_after_writing(self, answer: Answer) -> Put:
        assert self._file is not None
        with self._writing:
            put = self.live.put(answer)
            if put.effect == "full":
                self.live.rebase(self.live.write(self._file))
                put = self.live.put(answer)
            return put

    def _close(self) -> None:
        if self._file is not None:
            with self._writing:
                self.live.write(self._file)


async def _in_thread(work: Callable[[Answer], Put], answer: Answer) -> Put:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # A reactor of Twisted without asyncio.
        from twisted.internet.threads import deferToThread

        return await deferToThread(work, answer)
    return await asyncio.to_thread(work, answer)


class RobotParser(scrapy.robotstxt.RobotParser):
    """One robots.txt, for Scrapy's middleware."""

    def __init__(self, body: bytes, dialect: str = "rfc9309") -> None:
        self._rules = Rules(body, dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> RobotParser:
        """A parser for this robots.txt."""
        dialect = crawler.settings.get("ROBOSIEVE_DIALECT", "rfc9309") if crawler else "rfc9309"
        return cls(robotstxt_body, dialect)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL."""
        return self._rules.of(product_token(_text(user_agent))).allowed(path(_text(url)))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds that the crawler should wait."""
        return self._rules.of(product_token(_text(user_agent))).crawl_delay


def _text(given: str | bytes) -> str:
    return given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")
