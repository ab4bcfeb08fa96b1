"""What a policy knows of one origin."""

from dataclasses import dataclass
from typing import Literal

State = Literal[
    "robots-txt",
    "unavailable",
    "forbidden",
    "unreachable",
    "redirect-unresolved",
    "unfetched",
    "incomplete",
    "not-modified",
    "not-text",
]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a policy knows of an origin, and the group of its robots.txt that applies to a crawler.

    Times are in seconds of Unix time; None where they are unknown.
    """

    origin: str
    """The origin in canonical form."""
    state: State
    """The state after the last answer, as in `robosieve inspect`."""
    status: int | None
    """The HTTP status of the robots.txt itself, before redirects; None if nobody answered."""
    fetched_at: int | None
    """When the last answer was fetched."""
    expires: int | None
    """The server's `Expires` for it."""
    unreachable_since: int | None
    """Since when the origin has been unreachable."""
    last_good: State | None
    """After a failure, the state of the earlier answer that is kept; None if there is none."""
    usable_until: int | None
    """Until when the answer in use is valid by the dialect's lifetime."""
    html_page: bool
    """Whether the robots.txt in use looks like an HTML page."""
    ruling: Literal["allow-all", "forbid-all", "robots-txt"] | None
    """The operator's ruling in place of the robots.txt."""
    paused_until: int | None
    """Until when the operator has paused the origin."""
    agent: str
    """The crawler."""
    group: Literal["own", "everybody", "none"]
    """Whose group applies: the crawler's own, that of "*", or none."""
    user_agents: list[str]
    """The values of the `User-agent` lines for which the group was chosen."""
    rules: list[str]
    """The rules of the group, such as "Disallow: /cart", in the order of the file."""
    crawl_delay: float | None
    """The seconds between two fetches that the file or the operator requests, if the dialect obeys that."""
    sitemaps: list[str]
    """The sitemaps, which belong to no group."""
