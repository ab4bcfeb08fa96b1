"""Splits URL lists by robots.txt: a mapped policy, Arrow in, Arrow out.

>>> import robosieve
>>> policy = robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot", "*"])
>>> policy.judge(["https://shop.example/cart", "https://shop.example/"], agent="examplebot")["verdict"]
['blocked', 'allowed']
"""

from robosieve._filter import Progress, filter, keys
from robosieve._live import LiveStatistics, Needed, OriginReport, Put
from robosieve._origin import Origin
from robosieve._receipt import Receipt
from robosieve._robosieve import (
    DIALECTS,
    AgentError,
    Answer,
    Choices,
    Error,
    LivePolicy,
    Policy,
    PolicyError,
    RobotsTxt,
    RunError,
    SourceError,
    Stream,
    UrlsError,
    Verdicts,
    __version__,
    compile,
    diff,
    export,
    inspect,
    join,
    line_sum,
    lint,
    merge,
    unique,
    verify,
)

__all__ = [
    "DIALECTS",
    "AgentError",
    "Answer",
    "Choices",
    "Error",
    "LivePolicy",
    "LiveStatistics",
    "Needed",
    "Origin",
    "OriginReport",
    "Policy",
    "PolicyError",
    "Progress",
    "Put",
    "Receipt",
    "RobotsTxt",
    "RunError",
    "SourceError",
    "Stream",
    "UrlsError",
    "Verdicts",
    "__version__",
    "compile",
    "diff",
    "export",
    "filter",
    "inspect",
    "join",
    "keys",
    "line_sum",
    "lint",
    "merge",
    "unique",
    "verify",
]
