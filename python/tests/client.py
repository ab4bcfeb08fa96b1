"""A client that uses everything, for the checkers of types; nothing runs it."""

import asyncio
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, functions

import robosieve
import robosieve.duckdb
import robosieve.polars
import robosieve.spark
from robosieve import (
    Answer,
    Choices,
    LivePolicy,
    LiveStatistics,
    Needed,
    Origin,
    OriginReport,
    Policy,
    Progress,
    Put,
    Receipt,
    RobotsTxt,
    Stream,
    Verdicts,
)
from robosieve.compat.protego import Protego
from robosieve.compat.urllib import RobotFileParser


class Counter:
    """A line of progress, as tqdm has one."""

    done = 0

    def __call__(self, progress: Progress) -> None:
        self.done = progress["lines"]
        if (share := progress["share"]) is not None:
            print(f"{share:.0%}, {progress['bytes'] / progress['seconds']:.0f} bytes a second")


def choices() -> Choices:
    given = Choices(
        on_unfetched="allow",
        on_unreachable="use",
        on_html="block",
        on_stale="defer",
        max_age=timedelta(days=7),
        unreachable_as_unavailable="30d",
        statuses={403: "defer", "4xx": "allow"},
        www_fallback=True,
        require="train-ai!=n",
        content_signal="everybody",
        now=datetime.now(timezone.utc),
    )
    assert given == Choices(statuses="common-crawl") or hash(given)
    print(given.on_unfetched == "block", given.on_unreachable == "use", given.on_html, given.on_stale)
    seconds = (given.unreachable_as_unavailable or 0) + (given.now or 0)
    assert given.max_age == "dialect" or given.max_age is None or given.max_age + seconds
    print(given.statuses["403"] == "defer", given.www_fallback, given.require, given.content_signal)
    return given


def compiled(folder: Path, agents: Sequence[str]) -> Policy:
    headers: Mapping[str, Sequence[str]] = {"Content-Encoding": ["gzip"]}
    answers = [
        Answer("https://a.example/robots.txt", 200, b"Disallow: /", 1_768_204_800, headers=headers),
        Answer("https://b.example/robots.txt", 301, None, "2026-01-12T08:00:00Z", "/robots", expires=1.5),
        Answer("https://c.example/robots.txt", None, unreachable_since=datetime.now(timezone.utc)),
    ]
    first = answers[0]
    print(first.url, first.status == 200, first.body, first.fetched_at, first.location, first.expires)
    print(first.unreachable_since, [name for name, _ in first.headers])
    columns = {"url": "address", "fetched_at": None}
    policies = [
        robosieve.compile(
            [folder, "log.jsonl"], agents, folder / "policy.rsv", overrides="overrides.toml", progress=Counter()
        ),
        robosieve.compile(answers, ["*"], dialect=robosieve.DIALECTS[0], memory=1 << 30),
        robosieve.compile((answer for answer in answers), agents=("examplebot", "*")),
        robosieve.compile({"https://a.example": "Disallow: /"}, {"examplebot"}, fetched_at="mtime"),
        robosieve.compile([folder], iter(agents), origin="https://a.example"),
        robosieve.compile(pa.table({"address": ["https://a.example"]}), ["*"], columns=columns),
        robosieve.compile(pd.DataFrame({"url": ["https://a.example"]}), ["*"]),
        robosieve.compile(pl.DataFrame({"url": ["https://a.example"]}), ["*"]),
        robosieve.merge([folder / "policy.rsv", "today.rsv"], folder / "all.rsv", overrides=None),
        Policy("policy.rsv", overrides=Path("overrides.toml")),
        Policy([folder / "policy.rsv", Policy("today.rsv")]),
        Policy.from_bytes(Policy("policy.rsv").to_bytes()),
    ]
    policy = policies[0]
    print(policy.agents, policy.dialect, policy.origins + 1, policy.checksum)
    return policy


def judged(policy: Policy, urls: Sequence[str | None]) -> Iterator[Verdicts]:
    yield policy.judge(urls, "examplebot")
    yield policy.judge(["https://a.example/", None, "https://b.example/"], agents=["examplebot", "*"], explain=True)
    yield policy.judge([b"https://a.example/", None], columns=["verdict", "train_ai"], dictionary=True, threads=1)
    yield policy.judge(("https://a.example/", "https://b.example/"), choices=choices(), progress=print)
    yield policy.judge({"id": [1, None], "url": ["https://a.example/", None]}, column="url", progress=Counter())
    yield policy.judge(url for url in urls if url)
    yield policy.judge(pa.array(urls))
    yield policy.judge(pa.chunked_array([urls]))
    yield policy.judge(pa.table({"url": urls}), column="url")
    yield policy.judge(pl.Series(urls))
    yield policy.judge(pl.DataFrame({"url": urls}))
    yield policy.judge(pd.Series(list(urls)))
    yield policy.judge(pd.DataFrame({"url": urls}), column="url")
    yield robosieve.unique(urls, unique="bytes", seen="seen.rss", progress=Counter())
    yield robosieve.unique({"url": urls}, column="url")


def read(policy: Policy, urls: Sequence[str | None]) -> None:
    out = policy.judge(urls, "examplebot")
    table: pa.Table = out.to_pyarrow()
    frames: tuple[pl.DataFrame, pd.DataFrame] = (out.to_polars(), out.to_pandas(split_blocks=True))
    first: str | None = out["verdict"][0]
    print(table, frames, first, len(out), "reason" in out, out.columns)
    streams: list[Stream] = [
        robosieve.export(policy, "delays", agent="examplebot", progress=Counter()),
        robosieve.export(policy, "access", choices=choices()),
        robosieve.diff(Policy("old.rsv"), policy, ["examplebot"], only=["came"], paths=1, choices=choices()),
        robosieve.diff(Policy("old.rsv"), policy, summary=True),
    ]
    for stream in streams:
        print(stream.columns, list[pa.RecordBatch](stream), stream.reader())
    if policy.allowed("https://a.example/", "examplebot", choices=choices()) and policy.allowed(b"https://a.example/"):
        print(robosieve.line_sum([b"https://a.example/", None]) + robosieve.line_sum({"url": urls}, column="url"))
    origin: Origin | None = policy.origin("https://a.example", agent="*")
    if origin is not None and origin.state == "robots-txt" and origin.status and origin.fetched_at:
        print(origin.origin, origin.group, origin.rules[0], origin.crawl_delay, origin.sitemaps, origin.last_good)
    print(robosieve.inspect(policy, now="2026-01-12T08:00:00Z", top=5)["origins"])
    found = robosieve.inspect(policy, "https://a.example", agent="examplebot", choices=choices())
    print(found["origin_status"] if found else None)


def filtered(policy: Policy, lists: list[Path], agents: list[str]) -> Receipt:
    lines = io.BytesIO()
    robosieve.filter(policy, lists, lines, "examplebot", only=["allowed"], preferences="train-ai", progress=Counter())
    robosieve.filter(policy, ["urls.txt"], sys.stdout.buffer, agents=agents, verdicts=True, explain=True)
    robosieve.filter(policy, files_from="names.txt", count=True, unique=True, seen=Path("seen.rss"))
    robosieve.filter(policy, lists, agents=("a", "b"), blocked_for=True, delimiter="tab", column="url", header=True)
    robosieve.filter(policy, lists, lines, against=Policy("old.rsv"), only_changed=True, only=("blocked",))
    keys = robosieve.keys(lists, "keys/1.rss", shard="1/2", unique="fetched", memory=1 << 30)
    print(keys["urls"] + 1, keys["checksum"], keys["shard"])
    receipt = robosieve.filter(
        policy,
        lists,
        "out",
        agents=iter(agents),
        overrides="overrides.toml",
        format="parquet",
        compress="zstd",
        path_columns="folders",
        split_size=1 << 30,
        allowed_if="any",
        per_input=True,
        keys="keys",
        force=True,
        resume=True,
        shard="1/2",
        skip_bad=True,
        threads=2,
        memory=1 << 30,
        choices=choices(),
        progress=lambda progress: print(progress["lines"]),
    )
    whole = robosieve.join(["out", Path("out2")], "all", concat=True, force=True)
    verified = robosieve.verify("all", inputs=True, threads=1)
    print(verified["proven"], [file["problem"] for file in verified["files"] if file["role"] == "output"])
    lost: int = receipt["input"]["lines"] - sum(part["lines"] for part in receipt["partitions"].values())
    reasons: dict[str, int] = receipt["partitions"]["deferred"]["reasons"]
    files = [file["name"] for part in whole["partitions"].values() for file in part.get("files", [])]
    print(lost, reasons, files, whole.get("balanced"), receipt["options"]["on_html"], receipt["lists"][0]["format"])
    return receipt


async def crawled(urls: list[str]) -> None:
    live = LivePolicy(["examplebot"], dialect="google", over=Policy("crawl.rsv"), memory=1 << 30)
    put: Put = live.put(Answer("https://a.example/robots.txt", 404, fetched_at=1))
    live.put({"url": "https://a.example/robots.txt", "status": 404, "fetched_at": 2})
    if put.effect == "full" or put.ask or put.problem:
        live.rebase(await asyncio.to_thread(live.write, "crawl.rsv"))
    live.put_overrides("overrides.toml")
    for out in (live.judge(urls), live.judge(urls[0], "examplebot"), live.judge(b"https://a.example/", agents=["*"])):
        print(out["verdict"], live.allowed(urls[0]), live.explain(urls[0], choices=choices())["rule"])
    state: OriginReport | None = live.state(urls[0])
    needed: list[Needed] = live.needed(n=5)
    statistics: LiveStatistics = live.statistics()
    print(state.usable_until if state else None, [(one.url, one.lines + 1) for one in needed])
    print(statistics.bytes + 1, live.agents, live.dialect)


def of_one_file(body: str) -> None:
    rules = RobotsTxt(body, agent="examplebot", dialect="google", verbatim=False)
    print(rules.allowed("/"), rules.explain("/")["line"], rules.flaw == "not-text", rules.crawl_delay, rules.sitemaps)
    print([finding["severity"] for finding in robosieve.lint(body.encode())["findings"]], rules.records("host"))
    print(Protego.parse(body).can_fetch("https://a.example/", "examplebot"), robosieve.__version__)
    parser = RobotFileParser("https://a.example/robots.txt", dialect="google")
    parser.parse(body.splitlines())
    print(parser.can_fetch("examplebot", "https://a.example/"))


def in_tables(policy: Policy, con: duckdb.DuckDBPyConnection) -> list[pl.Expr]:
    robosieve.duckdb.register(con, policy, agents=["*"], explain=True, name="robots", choices=choices(), parts=True)
    robosieve.duckdb.register(con, policy, "examplebot", columns=["verdict"])
    return [
        robosieve.polars.judge("url", policy, "examplebot"),
        robosieve.polars.judge(pl.col("url"), policy, agents=["*"], columns=["verdict"], choices=choices()),
        robosieve.polars.judge(None, policy, explain=True),
    ]


def in_spark(spark: SparkSession, df: DataFrame, policy: Policy) -> Column:
    archive: str = robosieve.spark.ship_wheel(spark, "robosieve.whl")
    frames: list[DataFrame] = [
        robosieve.spark.judge(df, policy=policy),
        robosieve.spark.judge(df, "page.url", policy="policy.rsv", agent="examplebot", choices=choices()),
        robosieve.spark.judge(df, functions.col("url"), policy=Path("policy.rsv"), agents=["*"], columns=["verdict"]),
        robosieve.spark.judge(df, url=None, policy=policy, choices={"on_html": "block"}, batch_rows=1, archive=archive),
    ]
    robots = robosieve.spark.judge_udf(spark, policy=policy, agent="examplebot", choices=choices())
    key = robosieve.spark.key(spark, unique="bytes")
    df = frames[0].withColumn("robots", robots.asNondeterministic()("page.url")).withColumn("key", key("url"))
    robosieve.spark.compile(spark, [os.fspath("sites")], ["*"], "policy.rsv", tasks=2, overrides="overrides.toml")
    robosieve.spark.compile(spark, df, ("examplebot",), Path("policy.rsv"), columns={"url": "address"})
    print(robosieve.spark.staged("policy.rsv", policy.checksum))
    return robots(functions.col("page")["url"])


def failed(policy: Policy) -> str:
    try:
        policy.judge(["https://a.example/"], "otherbot")
    except robosieve.AgentError as error:
        return str(error)
    except (robosieve.PolicyError, robosieve.SourceError, robosieve.UrlsError, robosieve.RunError) as error:
        return str(error)
    except robosieve.Error:
        raise
    return ""
