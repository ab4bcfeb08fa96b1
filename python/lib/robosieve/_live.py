"""What a live policy answers."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from robosieve._origin import State


class Put(NamedTuple):
    """What an answer did to a live policy."""

    effect: Literal["changed", "older", "tie", "full"]
    """Whether it is news; "full" if there was no memory for it, and nothing changed."""
    ask: str | None
    """The URL to fetch next, if the answer leads to one that was never requested."""
    problem: str | None = None
    """Why the body is no robots.txt, if it is none: its origin is deferred, and keeps its last good rules."""


class Needed(NamedTuple):
    """A robots.txt to fetch."""

    url: str
    """Its URL."""
    reason: str
    """Why the judged URLs wait."""
    lines: int
    """How many judged URLs wait for it."""
    status: int | None
    """The last status of the origin's robots.txt, if it was requested."""
    asked_at: int | None
    """When it was last requested, in seconds of Unix time; None for never."""


class LiveStatistics(NamedTuple):
    """What a live policy holds."""

    urls: int
    """URLs with answers, or overrides, that came after the policy beneath."""
    files: int
    """Distinct files among them."""
    bytes: int
    """The bytes that all of it takes, about."""
    waiting: int
    """Origins that judged URLs wait for."""
    not_noted: int
    """How often a judged URL waited for an origin that there was no memory to note."""


@dataclass(frozen=True, kw_only=True)
class OriginReport:
    """What a live policy knows of an origin.

    Times are in seconds of Unix time; None where they are unknown.
    """

    state: State
    """The state after the last answer, as in `robosieve inspect`."""
    status: int | None
    """The HTTP status of the last answer for the robots.txt itself, before redirects; None if nobody answered."""
    fetched_at: int | None
    """When the last answer was fetched."""
    expires: int | None
    """The server's `Expires` for it."""
    unreachable_since: int | None
    """Since when the origin has been unreachable, if that is longer than since `fetched_at`."""
    usable_until: int | None
    """Until when the answer in use is valid by the dialect's lifetime; after a failure, that is the last good one."""
    crawl_delay: float | None
    """The seconds between two fetches that the file or the operator requests; of several crawlers, the longest."""
    sitemaps: list[str]
    """The sitemaps."""
    is_overridden: bool
    """Whether the operator overrides the answers."""
