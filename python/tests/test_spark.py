"""Spark with two executor processes: same verdicts, same policies, one policy per host, a wheel that travels."""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from pyspark import SparkFiles, cloudpickle
from pyspark.sql import Column, DataFrame, SparkSession, functions

import robosieve
import robosieve.spark
import robosieve.spark.compiling
import robosieve.spark.policies
import robosieve.spark.shipping

from . import archives
from .archives import answer, redirect, revisit
from .conftest import AGENTS, ROOT, Program


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for all processes' temporary files, so that staged files are this test's own."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def spark(temporary: Path) -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("TMPDIR", str(temporary))
        patch.setenv("SPARK_WORKER_DIR", str(temporary / "work"))
        patch.setattr(tempfile, "tempdir", None)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("robosieve")
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
            "spark.executor.heartbeatInterval": "10s",
            # Less than a policy may have.
            "spark.driver.maxResultSize": "4m",
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        session: SparkSession = builder.getOrCreate()
        yield session
        session.stop()
        patch.setattr(tempfile, "tempdir", None)


@pytest.fixture(scope="module")
def frame(spark: SparkSession, lines: list[str]) -> DataFrame:
    """The lines, in eight partitions."""
    return spark.createDataFrame(list(enumerate(lines)), "id long, url string").repartition(8)


def reports(frame: DataFrame, policy_file: Path, archive: str | None = None) -> list[Any]:
    """Judge, and report how each worker maps the policy. It may map others, too, for tests before."""
    checksum = robosieve.spark.policies.add_policy(frame.sparkSession, robosieve.Policy(policy_file))
    policy_of = robosieve.spark.shipping.shipped(archive, "robosieve.spark.policies", "policy_of")

    def workers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        from pathlib import Path

        import pyarrow as pa

        for batch in batches:
            policy_of(checksum).judge(batch["url"], "*", threads=1)
            # Only here, because it may arrive with the archive.
            import robosieve

            sizes: dict[str, int] = {}
            path, file = "", ""
            for line in Path("/proc/self/smaps").read_text().splitlines():
                words = line.split()
                if not words[0].endswith(":"):
                    path = words[-1]
                elif path.endswith(f"{checksum}.rsv") and words[0] in ("Rss:", "Pss:"):
                    file = path
                    sizes[words[0]] = sizes.get(words[0], 0) + int(words[1])
            told = {
                "executor": os.getcwd(),
                "path": file,
                "package": robosieve.__file__,
                "rss": sizes["Rss:"],
                "pss": sizes["Pss:"],
            }
            yield pa.RecordBatch.from_pylist([told])

    return frame.mapInArrow(workers, "executor string, path string, package string, rss long, pss long").collect()


# This test must be the first, because workers are reused and keep the package they imported.
@pytest.mark.skipif("ROBOSIEVE_WHEEL" not in os.environ, reason="SKIPPED: ROBOSIEVE_WHEEL names no wheel")
def test_a_wheel_travels(spark: SparkSession, frame: DataFrame, policy_file: Path, tmp_path: Path) -> None:
    archive = robosieve.spark.ship_wheel(spark, os.environ["ROBOSIEVE_WHEEL"])
    sources = [ROOT / "datasets/sites", ROOT / "datasets/origins.jsonl"]
    robosieve.spark.compile(spark, sources, AGENTS, tmp_path / "policy.rsv", archive=archive)
    assert (tmp_path / "policy.rsv").read_bytes() == policy_file.read_bytes()
    assert {archive in row["package"] for row in reports(frame, policy_file, archive)} == {True}


def test_urls_may_be_in_parts(spark: SparkSession, policy: robosieve.Policy, policy_file: Path) -> None:
    names = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"]
    rows = [
        ("https", "shop.example", None, "/cart", None),
        ("https", "shop.example", 443, "/", "x"),
        (None, "x", 1, "/", ""),
    ]
    kinds = "url_protocol string, url_host_name string, url_port int, url_path string, url_query string"
    frame = spark.createDataFrame(rows, kinds)
    judged = robosieve.spark.judge(frame, policy=policy_file, agent="examplebot", columns=["verdict"])
    expected = ["blocked", "allowed", None]
    assert [row["verdict"] for row in judged.select(*names, "verdict").collect()] == expected
    assert (
        policy.judge(["https://shop.example/cart", "https://shop.example:443/?x", None], "examplebot")["verdict"]
        == expected
    )
    robots = robosieve.spark.judge_udf(spark, policy=policy_file, agent="examplebot")
    assert [row[0]["verdict"] for row in frame.select(robots(functions.struct(*names))).collect()] == expected
    wrong = frame.withColumn("url_port", frame["url_port"].cast("string"))
    with pytest.raises(TypeError, match='"url_port" is of type string; expected integers'):
        robosieve.spark.judge(wrong, policy=policy_file, agent="examplebot")
    for without in (frame.drop("url_path"), frame):
        with pytest.raises(robosieve.Error, match='url: the frame has no column "url"'):
            robosieve.spark.judge(without, url=None if without is not frame else "url", policy=policy_file, agent="*")


def test_verdicts_are_those_of_a_run(
    frame: DataFrame, lines: list[str], policy: robosieve.Policy, policy_file: Path, program: Program, tmp_path: Path
) -> None:
    judged = robosieve.spark.judge(frame, policy=policy_file, agent="examplebot")
    judged.write.partitionBy("verdict").parquet(str(tmp_path / "dataset"))
    (tmp_path / "list.txt").write_text("".join(line + "\n" for line in lines))
    # As in columns, tabs are parts of URLs.
    options = ("--agent", "examplebot", "--delimiter", "none", "--out", tmp_path / "out")
    program("filter", "--policy", policy_file, *options, tmp_path / "list.txt")
    receipt = json.loads((tmp_path / "out" / "receipt.json").read_text())
    for name, partition in receipt["partitions"].items():
        verdict = name.split(".")[-1]
        table = pyarrow.dataset.dataset(tmp_path / "dataset" / f"verdict={verdict}").to_table()
        assert table.num_rows == partition["lines"], name
        assert f"{robosieve.line_sum(table['url']):032x}" == partition["sum"], name
        assert Counter(table["reason"].to_pylist()) == Counter(partition["reasons"]), name
    assert frame.sparkSession.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "65536"


def test_what_spark_writes_is_a_list(
    frame: DataFrame, lines: list[str], policy: robosieve.Policy, policy_file: Path, program: Program, tmp_path: Path
) -> None:
    frame.write.parquet(str(tmp_path / "lists"))
    lists = sorted((tmp_path / "lists").glob("*.parquet"))
    assert len(lists) > 1
    program("filter", "--policy", policy_file, "--agent", "examplebot", "--out", tmp_path / "out", *lists)
    receipt = json.loads((tmp_path / "out" / "receipt.json").read_text())
    found = {name: partition["lines"] for name, partition in receipt["partitions"].items() if partition["lines"]}
    assert found == Counter(policy.judge(lines, "examplebot")["verdict"])


# Columns of all kinds that Spark has; a fifth of the values are null.
OF_SPARK = {
    "flag": "n % 3 = 0",
    "tiny": "cast(n % 100 as tinyint)",
    "double": "n / 7d",
    "decimal": "cast(n as decimal(20, 2))",
    "large": "cast(n as decimal(38, 10))",
    "bytes": "cast(concat('b', n) as binary)",
    "day": "date_add(date'2020-01-01', cast(n as int))",
    "moment": "timestamp_micros(1600000000000000 + n)",
    "local": "cast(timestamp_micros(n) as timestamp_ntz)",
    "few": "concat('v', n % 4)",
    "tags": "transform(sequence(0, n % 4), t -> if(t = 2, null, concat('t', t)))",
    "deep": "transform(sequence(0, n % 3), t -> sequence(0, t))",
    "record": "named_struct('a', n, 'b', if(n % 2 = 0, null, named_struct('c', array(cast(n as string)))))",
    "map": "map('k', n, 'l', null)",
}


@pytest.mark.parametrize("timestamps", ["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"])
def test_columns_of_spark_come_out_as_spark_wrote_them(
    spark: SparkSession, frame: DataFrame, policy_file: Path, program: Program, tmp_path: Path, timestamps: str
) -> None:
    spark.conf.set("spark.sql.parquet.outputTimestampType", timestamps)
    columns = [f"if(n % 5 = 3, null, {value}) as {name}" for name, value in OF_SPARK.items()]
    made = frame.selectExpr("cast(id as bigint) as n", "url").selectExpr("n", "url", *columns)
    made.coalesce(1).write.parquet(str(tmp_path / "list"))
    (path,) = (tmp_path / "list").glob("*.parquet")
    options = ("--format", "parquet", "--verdicts", "--out", tmp_path / "out")
    program("filter", "--policy", policy_file, "--agent", "examplebot", *options, path)
    out = tmp_path / "out" / "verdicts" / "part-0001.parquet"
    given, written = pyarrow.parquet.read_table(path), pyarrow.parquet.read_table(out)
    assert written.column_names == [*given.column_names, "verdict", "reason"]
    for name in given.column_names:
        assert given[name].cast(written[name].type).to_pylist() == written[name].to_pylist(), name
    # INT96 becomes nanoseconds, which Spark refuses to read.
    if timestamps != "INT96":
        before, after = (spark.read.parquet(str(file)) for file in (path, out))
        assert after.dtypes[: len(before.dtypes)] == before.dtypes
        assert after.select(before.columns).sort("n").collect() == before.sort("n").collect()


def test_spark_takes_a_run_as_a_dataset(
    spark: SparkSession, policy_file: Path, program: Program, tmp_path: Path
) -> None:
    out, path = tmp_path / "out", Path("datasets/urls.txt").resolve()
    program("filter", "--policy", policy_file, "--agent", "*", "--out", out, "--format", "parquet", path)
    receipt = json.loads((out / "receipt.json").read_text())
    frame = spark.read.parquet(str(out / "lines"))
    assert frame.columns == ["url", "line", "reason", "verdict"]
    found = {row["verdict"]: row["count"] for row in frame.groupBy("verdict").count().collect()}
    assert found == {name: part["lines"] for name, part in receipt["partitions"].items()}
    files = frame.where("verdict = 'blocked'").select("_metadata.file_path").distinct().collect()
    assert ["/lines/verdict=blocked/" in row["file_path"] for row in files] == [True]


def test_several_agents_have_lists(frame: DataFrame, policy: robosieve.Policy, policy_file: Path) -> None:
    names = ["verdict", "blocked_for", "rule", "line"]
    judged = robosieve.spark.judge(frame, policy=policy_file, agents=["examplebot", "*"], columns=names)
    rows = sorted(judged.collect(), key=lambda row: int(row["id"]))
    out = policy.judge([row["url"] for row in rows], agents=["examplebot", "*"], explain=True)
    for name in names:
        assert [row[name] for row in rows] == out[name], name


def test_what_sites_say_stands_in_columns(spark: SparkSession, tmp_path: Path) -> None:
    bodies = {
        "usage": "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok train-ai=y\nDisallow: /no\n",
        "signal": "User-agent: examplebot\nContent-Signal: search=yes, ai-train=no\nDisallow:\n",
        "silent": "User-agent: *\nDisallow: /no\n",
    }
    robots = [robosieve.Answer(f"http://{host}.example/robots.txt", 200, body) for host, body in bodies.items()]
    policy = robosieve.compile(robots, AGENTS, tmp_path / "policy.rsv")
    urls = [f"http://{host}.example/{path}" for host in [*bodies, "unknown"] for path in ("", "ok", "no")]
    frame = spark.createDataFrame([(url,) for url in [*urls, None]], "url string").repartition(3)
    names = ["train_ai", "verdict", "search", "search_content_signal"]
    for agents in ({"agent": "examplebot"}, {"agents": AGENTS}):
        options: dict[str, Any] = {"policy": tmp_path / "policy.rsv", "columns": names, **agents}
        judged = robosieve.spark.judge(frame, **options)
        kind = "string" if "agent" in agents else "array<string>"
        assert judged.dtypes == [("url", "string"), *((name, kind) for name in names)]
        udf = robosieve.spark.judge_udf(spark, **options)
        out = policy.judge([*urls, None], columns=names, **agents)
        rows = zip(*(out[name] for name in names), strict=True)
        expected = dict(zip([*urls, None], rows, strict=True))
        assert expected["http://signal.example/"][2] == ("y" if "agent" in agents else ["y", None])
        for found in (judged, frame.select("url", udf("url").alias("robots")).select("url", "robots.*")):
            assert {row["url"]: tuple(row[name] for name in names) for row in found.collect()} == expected


def test_verdicts_are_a_column(
    spark: SparkSession, frame: DataFrame, policy: robosieve.Policy, policy_file: Path
) -> None:
    robots = robosieve.spark.judge_udf(spark, policy=policy_file, agent="examplebot", columns=["verdict", "line"])
    nested = frame.selectExpr("id", "named_struct('url', url) as page")
    rows = nested.withColumn("robots", robots("page.url")).orderBy("id").collect()
    out = policy.judge([row["page"]["url"] for row in rows], "examplebot", explain=True)
    assert [row["robots"]["verdict"] for row in rows] == out["verdict"]
    assert [row["robots"]["line"] for row in rows] == out["line"]

    spark.udf.register("robots", robots)
    nested.createOrReplaceTempView("pages")
    counted = spark.sql("select robots(page.url).verdict as verdict, count(*) from pages group by 1").collect()
    assert dict(map(tuple, counted)) == Counter(out["verdict"])
    nothing = spark.sql("select robots(null) as robots, robots(cast('https://shop.example/' as binary)) as binary")
    assert nothing.collect()[0]["robots"] == (None, None)
    assert nothing.collect()[0]["binary"]["verdict"] == "allowed"

    several = robosieve.spark.judge_udf(spark, policy=policy_file, agents=AGENTS, columns=["verdict", "blocked_for"])
    rows = frame.select("url", several("url").alias("robots")).collect()
    out = policy.judge([row["url"] for row in rows], agents=AGENTS)
    assert [(row["robots"]["verdict"], row["robots"]["blocked_for"]) for row in rows] == list(
        zip(out["verdict"], out["blocked_for"], strict=True)
    )


def test_urls_may_be_fields_and_expressions(
    spark: SparkSession, frame: DataFrame, lines: list[str], policy: robosieve.Policy, policy_file: Path
) -> None:
    rows = list(enumerate([*lines[:500], None]))
    schema = "id long, page struct<url: string, deep: struct<`the url`: binary>>, host string, `page.uri` string"
    given = [
        (at, (url, (None if url is None else bytearray(url, "utf-8"),)), "shop.example", "https://shop.example/cart")
        for at, url in rows
    ]
    nested = spark.createDataFrame(given, schema).coalesce(1)
    expected = policy.judge([url for _, url in rows], "examplebot")["verdict"]
    put_together = functions.concat(functions.lit("https://"), "host", functions.lit("/cart"))
    urls: list[tuple[str | Column, list[str | None]]] = [
        ("page.url", expected),
        ("page.deep.`the url`", expected),
        (functions.col("page.url"), expected),
        (nested["page"]["url"], expected),
        (functions.expr("page.deep").getField("the url"), expected),
        (put_together, ["blocked"] * len(rows)),
        # A column with such a name comes before a field with such a path.
        ("page.uri", ["blocked"] * len(rows)),
        (functions.lit(None), [None] * len(rows)),
    ]
    for url, verdicts in urls:
        judged = robosieve.spark.judge(nested, url, policy=policy_file, agent="examplebot", columns=["verdict"])
        assert [row["verdict"] for row in judged.collect()] == verdicts, url
    wrong: list[tuple[Any, type[Exception], str]] = [
        (5, TypeError, "url: expected the name of a column, the path of a field, or a Column, not 5"),
        ("page", TypeError, 'url: the column "page" is of type struct<.*>; expected string or binary; name one of its'),
        ("page.id", robosieve.Error, 'url: the field "page.id": .*id'),
        ("site.url", robosieve.Error, 'url: the frame has no column "site.url"; its columns are id, page'),
        (functions.col("uri"), robosieve.Error, "url: the Column: .*uri"),
        (functions.col("id"), TypeError, "url: the Column is of type bigint; expected string or binary"),
        (functions.col("page.*"), robosieve.Error, "url: the Column is 2 columns; give one"),
    ]
    for given_url, kind, message in wrong:
        with pytest.raises(kind, match=message):
            robosieve.spark.judge(nested, given_url, policy=policy_file, agent="examplebot")


def test_rows_stay_as_they_are(spark: SparkSession, policy_file: Path) -> None:
    """Also columns whose names are special: those of two tables, and ours."""
    rows = [(at, f"https://shop.example/{'cart' if at % 3 else ''}", [at], "x", None) for at in range(100)]
    frame = spark.createDataFrame(rows, "id long, url string, list array<long>, robosieve string, void void")
    other = spark.range(100).withColumnRenamed("id", "Robosieve_").select("Robosieve_", functions.lit(1).alias("a.b"))
    both = frame.join(other, functions.col("id") == functions.col("Robosieve_")).coalesce(1).sort("id")
    both = both.select("*", functions.col("list").alias("id"))
    judged = robosieve.spark.judge(both, policy=policy_file, agent="examplebot")
    assert judged.schema.fields[: len(both.schema.fields)] == both.schema.fields
    assert judged.dtypes[len(both.dtypes) :] == [("verdict", "string"), ("reason", "string")]
    found = [tuple(row) for row in judged.collect()]
    assert [row[:-2] for row in found] == [tuple(row) for row in both.collect()]
    assert [row[-2] for row in found] == ["blocked" if at % 3 else "allowed" for at in range(100)]


USES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "all": lambda judged: judged,
    "filter": lambda judged: judged.filter("verdict = 'allowed'"),
    "filter by both": lambda judged: judged.filter("verdict = 'allowed' and reason = 'rules' and id < 10"),
    "columns of columns": lambda judged: (
        judged.withColumn("a", functions.concat("verdict", "reason")).filter("a <> verdict").select("a", "verdict")
    ),
    "groups": lambda judged: judged.filter("verdict <> 'allowed'").groupBy("verdict", "reason").count(),
    "a join": lambda judged: judged.join(judged.sparkSession.range(10), "id").filter("verdict = 'allowed'"),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_each_url_is_judged_once(
    spark: SparkSession, frame: DataFrame, policy_file: Path, use: Callable[[DataFrame], DataFrame]
) -> None:
    def plan(df: DataFrame) -> str:
        return str(df._jdf.queryExecution().optimizedPlan().toString())

    wide = frame.withColumn("wide", functions.col("id") * 2)
    judged = use(robosieve.spark.judge(wide, policy=policy_file, agent="examplebot"))
    # Only the URL goes through Python.
    assert re.findall(r"EvalPython \[\w+\(([^)]*)\)", re.sub(r"#\d+", "", plan(judged))) == ["url"]
    assert "MapInArrow" not in plan(judged)
    robots = robosieve.spark.judge_udf(spark, policy=policy_file, agent="examplebot")
    once = use(wide.withColumn("r", robots.asNondeterministic()("url")).select("*", "r.*"))
    assert plan(once).count("EvalPython [") == 1


def test_a_function_may_be_asked_again_for_a_filter(spark: SparkSession, frame: DataFrame, policy_file: Path) -> None:
    """As docs/spark.md says; `asNondeterministic` is the way out of it."""
    robots = robosieve.spark.judge_udf(spark, policy=policy_file, agent="examplebot")
    filtered = frame.withColumn("robots", robots("url")).filter("robots.verdict = 'allowed'")
    assert filtered._jdf.queryExecution().optimizedPlan().toString().count("EvalPython [") == 2


def test_policies_and_choices_of_python_travel(spark: SparkSession, tmp_path: Path) -> None:
    def answers(rule: str) -> list[robosieve.Answer]:
        return [robosieve.Answer("http://a.example/robots.txt", 200, f"User-agent: *\nDisallow: {rule}", 1)]

    urls = ["http://a.example/x", "http://a.example/y", "http://b.example/x", None]
    frame = spark.createDataFrame([(url,) for url in urls], "url string").coalesce(1)
    overrides = tmp_path / "overrides.toml"
    overrides.write_text('["http://a.example"]\nverdict = "forbid-all"\n')
    path = tmp_path / "policy.rsv"
    of_file = robosieve.compile(answers("/x"), ["*"], path)
    newer = robosieve.compile({"http://b.example": "User-agent: *\nDisallow: /x"}, ["*"])
    choices = robosieve.Choices(on_unfetched="allow")
    policies: dict[str, tuple[robosieve.Policy | Path, robosieve.Policy]] = {
        "a path": (path, of_file),
        "of a file": (robosieve.Policy(path), of_file),
        "in memory": (newer, newer),
        "layers": (robosieve.Policy([path, newer]),) * 2,
        "with overrides": (robosieve.Policy(path, overrides),) * 2,
    }
    expected = {name: policy.judge(urls, choices=choices)["verdict"] for name, (_, policy) in policies.items()}
    assert len(set(map(str, expected.values()))) == 4
    # Now another policy has the name that the first was opened from, and the first is still mapped.
    replaced = robosieve.Policy(path)
    robosieve.compile(answers("/y"), ["*"], path)
    policies["replaced"], expected["replaced"] = (replaced, replaced), expected["a path"]
    policies["a path"], expected["a path"] = (path, of_file), ["allowed", "blocked", "allowed", None]
    policies["unlinked"], expected["unlinked"] = (robosieve.Policy(path),) * 2, expected["a path"]
    for name, (policy, _) in policies.items():
        if name == "unlinked":
            path.unlink()
        judged = robosieve.spark.judge(frame, policy=policy, choices=choices)
        assert [row["verdict"] for row in judged.collect()] == expected[name], name
        robots = robosieve.spark.judge_udf(spark, policy=policy, choices=choices)
        rows = frame.select(robots("url").alias("robots")).collect()
        assert [row["robots"]["verdict"] for row in rows] == expected[name], name


def test_functions_travel_to_executors_without_the_package(spark: SparkSession, policy_file: Path) -> None:
    choices = robosieve.Choices(now=1_768_219_200, statuses="common-crawl")
    functions_sent = [
        robosieve.spark.judge_udf(spark, policy=policy_file, agents=iter(AGENTS), choices=choices, archive="wheel"),
        robosieve.spark.key(spark, archive="wheel"),
    ]
    code = "import sys; sys.modules['robosieve'] = None; from pyspark import cloudpickle as c; c.load(sys.stdin.buffer)"
    for function in functions_sent:
        sent: bytes = cloudpickle.dumps((function.func, function.returnType))  # type: ignore[no-untyped-call]
        subprocess.run([sys.executable, "-c", code], input=sent, check=True)


def test_another_policy_is_never_judged_by(policy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robosieve.spark.policies, "staged", lambda source, checksum: str(policy_file))
    monkeypatch.setattr(SparkFiles, "get", lambda name: name)
    with pytest.raises(robosieve.PolicyError, match=r"policy\.rsv: its checksum is \w+, and the job's policy has abc"):
        robosieve.spark.policies.policy_of("abc")


def test_urls_that_are_the_same_have_one_key(spark: SparkSession) -> None:
    urls = ["http://a.example/x", "http://A.example/%78#f", "http://a.example/y", "no url", None]
    frame = spark.createDataFrame([(url,) for url in urls], "url string").repartition(3)
    for unique in ("fetched", "bytes"):
        keyed = frame.withColumn("key", robosieve.spark.key(spark, unique=unique)("url"))
        expected = dict(zip(urls, robosieve.unique(urls, unique=unique)["key"], strict=True))
        found = {row["url"]: None if row["key"] is None else bytes(row["key"]) for row in keyed.collect()}
        assert found == expected
        left = keyed.filter("key is not null").dropDuplicates(["key"])
        assert left.count() == len(set(expected.values())) - 1
    with pytest.raises(robosieve.Error, match='unique: "some"'):
        robosieve.spark.key(spark, unique="some")


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"agent": "otherbot"}, robosieve.AgentError, "agent: the policy was not compiled for otherbot"),
        ({"agent": "*", "columns": "verdict"}, TypeError, r"columns: expected a list; write \['verdict'\]"),
        ({"agent": "*", "columns": ["verdikt"]}, robosieve.Error, 'columns: there is no "verdikt"'),
        ({"agent": "*", "choices": {"on_stale": "maybe"}}, robosieve.Error, "on_stale: "),
    ],
    ids=str,
)
def test_a_column_is_checked_by_the_driver(
    spark: SparkSession, policy_file: Path, given: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        robosieve.spark.judge_udf(spark, policy=policy_file, **given)


def test_choices_travel(spark: SparkSession, policy_file: Path) -> None:
    df = spark.createDataFrame([("https://never.example/",), (None,)], "url string")
    judged = robosieve.spark.judge(df, policy=policy_file, agent="*", choices={"on_unfetched": "allow"})
    assert {(row["verdict"], row["reason"]) for row in judged.collect()} == {("allowed", "unfetched"), (None, None)}


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"agent": "otherbot"}, robosieve.AgentError, "agent: the policy was not compiled for otherbot"),
        ({}, robosieve.AgentError, "agent: the policy has several crawlers"),
        ({"agents": "*"}, TypeError, "agents: expected a list"),
        ({"agent": "*", "choices": {"on_stale": "maybe"}}, robosieve.Error, "on_stale: "),
        ({"agent": "*", "choices": {"on_odd": "use"}}, TypeError, "on_odd"),
        (
            {"agent": "*", "choices": 5},
            TypeError,
            "choices: expected robosieve.Choices or a dict of its arguments, not 5",
        ),
        ({"policy": robosieve.LivePolicy(["*"])}, TypeError, "policy: .* give what its write"),
        ({"agent": "*", "columns": "verdict"}, TypeError, r"columns: expected a list; write \['verdict'\]"),
        ({"agent": "*", "columns": []}, robosieve.Error, "columns: the list is empty"),
        ({"agent": "*", "columns": ["verdikt"]}, robosieve.Error, 'columns: there is no "verdikt"; .* verdict, reason'),
        ({"agent": "*", "columns": ["blocked_for"]}, robosieve.Error, 'columns: there is no "blocked_for"'),
        ({"agent": "*", "columns": ["verdict"] * 2}, robosieve.Error, 'columns: "verdict" is given twice'),
        ({"agent": "*", "columns": ["reason"]}, robosieve.Error, 'columns: the frame already has a column "reason"'),
        ({"agent": "*", "url": "uri", "columns": ["verdict"]}, robosieve.Error, 'url: the frame has no column "uri"'),
        ({"agent": "*", "url": "id", "columns": ["verdict"]}, TypeError, 'url: the column "id" is of type bigint'),
    ],
    ids=str,
)
def test_arguments_are_checked_by_the_driver(
    frame: DataFrame, policy_file: Path, given: dict[str, Any], kind: type[Exception], message: str
) -> None:
    named = frame.withColumn("Reason", frame["id"])
    with pytest.raises(kind, match=message):
        robosieve.spark.judge(named, **{"policy": policy_file, **given})


ANSWERS = "url string, status int, body string, fetched_at timestamp"


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"sources": "sites"}, TypeError, r"sources: expected a list; write \['sites'\]"),
        ({"sources": Path("sites")}, TypeError, r"sources: expected a list; write \[PosixPath"),
        ({"sources": []}, robosieve.Error, "sources: the list is empty"),
        ({"sources": ["sites", 5]}, TypeError, "sources: item 1 is 5; expected a path"),
        ({"sources": {"https://a.example": ""}}, TypeError, "sources: expected files and folders"),
        (
            {"sources": "url string, status int"},
            robosieve.SourceError,
            'sources: the table has no column "body"; its columns are',
        ),
        (
            {"sources": ANSWERS.replace("int", "string")},
            TypeError,
            'sources: the column "status" is of type string; expected integers',
        ),
        (
            {"sources": ANSWERS.replace("body string", "body int")},
            TypeError,
            '"body" is of type int; expected text or bytes',
        ),
        (
            {"sources": ANSWERS.replace("timestamp", "date")},
            TypeError,
            '"fetched_at" is of type date; expected time stamps',
        ),
        (
            {"sources": ANSWERS + ", headers int"},
            TypeError,
            '"headers" is of type int; expected maps, structs, arrays of pairs',
        ),
        ({"sources": ANSWERS, "fetched_at": "mtime"}, robosieve.Error, "fetched_at: no file has the answers"),
        ({"fetched_at": "ctime"}, robosieve.Error, "fetched_at: .*expected one, or mtime"),
        ({"sources": ANSWERS, "tasks": 2}, TypeError, "tasks: a DataFrame has a task for each partition"),
        ({"agents": "*"}, TypeError, r"agents: expected a list; write \['\*'\]"),
        ({"agents": ["Mozilla/5.0 (x)"]}, robosieve.AgentError, "agent: "),
        ({"agents": []}, robosieve.AgentError, "agent: "),
        ({"dialect": "rfc"}, robosieve.Error, "dialect: "),
        ({"columns": {"uri": "u"}}, robosieve.Error, "columns: "),
        ({"memory": 0}, ValueError, "memory: expected a number of bytes above 0"),
        ({"tasks": 0}, robosieve.Error, "tasks: 0 is too few"),
        ({"tasks": "2"}, TypeError, "tasks: expected a number"),
        ({"archive": 5}, TypeError, "archive: expected the result of ship_wheel"),
        ({"overrides": "nowhere.toml"}, robosieve.Error, "overrides: "),
    ],
    ids=str,
)
def test_compile_checks_its_arguments_on_the_driver(
    spark: SparkSession, tmp_path: Path, given: dict[str, Any], kind: type[Exception], message: str
) -> None:
    if str(given.get("sources")).startswith("url string"):
        given = given | {"sources": spark.createDataFrame([], given["sources"])}
    spark.sparkContext.setJobGroup(str(given), "none")
    arguments: dict[str, Any] = {"sources": ["sites"], "agents": ["*"], "out": tmp_path / "policy.rsv"}
    with pytest.raises(kind, match=message):
        robosieve.spark.compile(spark, **arguments | given)
    assert not spark.sparkContext.statusTracker().getJobIdsForGroup(str(given))
    assert not (tmp_path / "policy.rsv").exists()


def test_files_go_with_the_session(spark: SparkSession, frame: DataFrame, policy_file: Path) -> None:
    folders = set(Path(tempfile.gettempdir()).glob("robosieve-*"))
    other = policy_file.with_name("other.rsv")
    robosieve.compile(["datasets/sites"], agents=["*"], out=other)
    judged = robosieve.spark.judge(frame, policy=other, columns=["verdict"])
    assert judged.filter("verdict = 'blocked'").count() > 0
    own = {f"robosieve-{os.geteuid()}"}
    new = set(Path(tempfile.gettempdir()).glob("robosieve-*")) - folders
    assert {folder.name for folder in new} <= own
    assert list(Path(SparkFiles.getRootDirectory()).glob("robosieve-*/robosieve-*.rsv"))


def test_each_executor_gets_a_policy_once(spark: SparkSession, frame: DataFrame, policy_file: Path) -> None:
    opened = robosieve.Policy(policy_file)
    name = f"robosieve-{opened.checksum}.rsv"

    def files(_: Any) -> Iterator[tuple[str, int]]:
        from pathlib import Path

        from pyspark import SparkFiles

        (path,) = Path(SparkFiles.getRootDirectory()).resolve().rglob(name)
        yield str(path), path.stat().st_mtime_ns

    def received() -> set[tuple[str, int]]:
        return set(spark.sparkContext.parallelize(range(8), 8).mapPartitions(files).collect())

    robosieve.spark.judge(frame, policy=policy_file, agent="*").write.format("noop").mode("overwrite").save()
    first = received()
    assert len({Path(path).parent for path, _ in first}) == len(first) == 2
    for policy in (policy_file, opened, robosieve.Policy.from_bytes(opened.to_bytes())):
        robosieve.spark.judge(frame, policy=policy, agent="examplebot").groupBy("verdict").count().collect()
        robots = robosieve.spark.judge_udf(spark, policy=policy, agent="examplebot")
        frame.select(robots("url")).write.format("noop").mode("overwrite").save()
    assert received() == first
    assert len([path for path in spark.sparkContext.listFiles if path.endswith(name)]) == 1


def test_workers_of_a_host_share_one_policy(frame: DataFrame, policy_file: Path, temporary: Path) -> None:
    reports(frame, policy_file)
    # Now the workers of both executors have it mapped.
    rows = reports(frame, policy_file)
    assert len({row["executor"] for row in rows}) == 2
    checksum = robosieve.Policy(policy_file).checksum
    staged = list(temporary.glob(f"*/{checksum}.rsv"))
    assert {row["path"] for row in rows} == {str(path) for path in staged}
    assert len(staged) == 1
    # A page mapped by two processes counts half for each.
    assert all(0 < row["pss"] < row["rss"] for row in rows)


def test_a_policy_is_staged_once(policy_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stage"
    code = "import sys; from robosieve.spark import staged; print(staged(*sys.argv[1:]))"
    command = [sys.executable, "-c", code, str(policy_file), "abc", str(folder)]
    racing = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert {process.communicate()[0].strip() for process in racing} == {str(folder / "abc.rsv")}
    assert (folder / "abc.rsv").read_bytes() == policy_file.read_bytes()
    number = (folder / "abc.rsv").stat().st_ino
    robosieve.spark.staged(str(policy_file), "abc", str(folder))
    assert (folder / "abc.rsv").stat().st_ino == number
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="only this user can write"):
        robosieve.spark.staged(str(policy_file), "abc", str(folder))


RULES = "User-agent: *\nDisallow: /no\n"


def crawl(folder: Path) -> list[Path]:
    """Archives whose redirects lead to each other, and other sources of answers for the same origins."""
    host = "http://{}.example/robots.txt".format
    sources = [
        archives.write(
            folder / "redirects.warc.gz",
            redirect(host("a"), 1, "https://www.a.example/robots.txt"),
            # Over pages of two other archives.
            redirect(host("b"), 1, "/first"),
            redirect(host("c"), 1, "http://b.example/lost"),
            answer(host("d"), 1, body=RULES),
            revisit(host("d"), 9, original=1),
        ),
        archives.write(
            folder / "first.warc.gz",
            redirect("http://b.example/first", 2, "http://b.example/second"),
            answer("http://nobody.example/", 2, body="<html>"),
            answer(host("d"), 5, "503 Busy"),
            answer(host("a"), 0, "404 Not Found"),
        ),
        archives.write(
            folder / "second.warc.gz",
            answer("http://b.example/second", 3, body=RULES),
            answer("https://www.a.example/robots.txt", 3, body=RULES + "Crawl-delay: 2\n"),
            answer("http://e.example/page", 3, body=RULES),
        ),
    ]
    (folder / "sites").mkdir()
    (folder / "sites" / "a.example").write_text("User-agent: *\nDisallow: /old\n")
    log = folder / "log.jsonl"
    log.write_text('{"url": "http://e.example/robots.txt", "status": 302, "location": "/page", "fetched_at": 9}\n')
    # So many that executors merge them.
    minutes = [folder / f"minute-{number}.jsonl" for number in range(15)]
    for number, minute in enumerate(minutes):
        answers = [
            {"url": host(f"m{number}"), "status": 200, "body": RULES, "fetched_at": number},
            {"url": host("m0"), "status": (200, 404, 503)[number % 3], "body": "", "fetched_at": 1000 - number},
        ]
        minute.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    return [*sources, folder / "sites", log, *minutes, ROOT / "datasets" / "sites", ROOT / "datasets" / "origins.jsonl"]


def test_executors_compile_what_one_machine_compiles(spark: SparkSession, tmp_path: Path) -> None:
    sources = crawl(tmp_path)
    agents, overrides = ["examplebot", "*"], tmp_path / "overrides.toml"
    overrides.write_text('["http://c.example"]\nverdict = "forbid-all"\n')
    expected = robosieve.compile(sources, agents, tmp_path / "one.rsv", overrides=overrides, dialect="google")
    judged = expected.judge([f"http://{host}.example/no" for host in "abcde"], "*")
    assert judged["reason"] == ["rules", "rules", "override", "rules", "rules"]
    parts = [tmp_path / f"part-{number}.rsv" for number in range(len(sources))]
    for source, part in zip(sources, parts, strict=True):
        robosieve.compile([source], agents, part, dialect="google")
    merged = robosieve.merge(parts, tmp_path / "merged.rsv", overrides=overrides)
    assert merged.judge(["http://b.example/no"], "*")["reason"] == ["redirect-unresolved"], "each knows its own pages"
    for tasks, fetched_at in ((None, None), (2, None), (1, None), (2, "mtime"), (None, 1_768_219_200.5)):
        out = tmp_path / f"many-{tasks}.rsv"
        options: dict[str, Any] = {"overrides": overrides, "dialect": "google", "fetched_at": fetched_at}
        if fetched_at is not None:
            expected = robosieve.compile(sources, agents, tmp_path / "one.rsv", **options)
        policy = robosieve.spark.compile(spark, sources, agents, out, tasks=tasks, **options)
        assert (tmp_path / "one.rsv").read_bytes() == out.read_bytes(), (tasks, fetched_at)
        assert policy.checksum == expected.checksum
    assert not list(tmp_path.glob(".*"))


def test_answers_of_a_frame_are_compiled(spark: SparkSession, tmp_path: Path) -> None:
    day = datetime(2026, 1, 10, tzinfo=timezone.utc)
    answers = [(f"http://h{number}.example/robots.txt", 200, bytearray(RULES, "utf-8"), day) for number in range(50)]
    answers.append(("http://h1.example/robots.txt", 301, bytearray(), day + timedelta(seconds=1)))
    schema = "address string, status int, body binary, fetched_at timestamp"
    frame = spark.createDataFrame(answers, schema).repartition(20)
    names = {"url": "address"}
    frame.write.parquet(str(tmp_path / "answers"))
    files = sorted((tmp_path / "answers").glob("*.parquet"))
    robosieve.compile(files, ["*"], tmp_path / "one.rsv", columns=names)
    robosieve.spark.compile(spark, frame, ["*"], tmp_path / "many.rsv", columns=names)
    assert (tmp_path / "one.rsv").read_bytes() == (tmp_path / "many.rsv").read_bytes()
    judged = robosieve.Policy(tmp_path / "many.rsv").judge([f"http://h{number}.example/no" for number in range(3)])
    assert judged["reason"] == ["rules", "redirect-unresolved", "rules"]
    with pytest.raises(robosieve.SourceError, match='^sources: the table has no column "url"'):
        robosieve.spark.compile(spark, frame, ["*"], tmp_path / "none.rsv")
    nothing = robosieve.spark.compile(spark, frame.where("status = 0"), ["*"], tmp_path / "none.rsv", columns=names)
    assert nothing.origins == 0


@pytest.mark.parametrize(
    ("kind", "headers"),
    [
        ("map<string,string>", {"Content-Encoding": "deflate"}),
        ("map<string,array<string>>", {"Server": ["x"], "content-encoding": ["deflate"]}),
        ("struct<`Content-Encoding`:string>", ("deflate",)),
        ("array<struct<name:string,value:string>>", [("Server", "x"), ("Content-Encoding", "deflate")]),
        ("string", '[["Content-Encoding", "deflate"]]'),
    ],
)
def test_answers_of_a_frame_have_headers(spark: SparkSession, tmp_path: Path, kind: str, headers: Any) -> None:
    maker = zlib.compressobj(wbits=-15)
    body = bytearray(maker.compress(RULES.encode()) + maker.flush())
    rows: list[tuple[Any, ...]] = [
        ("http://a.example/robots.txt", 200, body, 1_768_219_200.75, headers),
        ("http://b.example/robots.txt", 200, bytearray(RULES, "utf-8"), None, None),
    ]
    schema = f"url string, status int, body binary, fetched_at double, headers {kind}"
    frame = spark.createDataFrame(rows, schema)
    policy = robosieve.spark.compile(spark, frame, ["*"], tmp_path / "policy.rsv", fetched_at="1970-01-01T00:00:07.9Z")
    assert policy.judge(["http://a.example/no", "http://b.example/no"])["verdict"] == ["blocked", "blocked"]
    origins = [policy.origin(f"http://{host}.example") for host in "ab"]
    assert [origin and origin.fetched_at for origin in origins] == [1_768_219_200, 7]


def large(folder: Path) -> list[Path]:
    """Two sources whose policy has more bytes than Spark passes to the driver at once."""
    sources = [folder / "one.jsonl", folder / "two.jsonl"]
    for source in sources:
        with source.open("w") as lines:
            for number in range(300):
                body = "User-agent: *\n" + "".join(f"Disallow: /{secrets.token_hex(100)}\n" for _ in range(50))
                answer = {"url": f"http://{source.stem}-{number}.example/robots.txt", "status": 200, "body": body}
                lines.write(json.dumps(answer) + "\n")
    return sources


def test_a_policy_may_be_large_and_tasks_may_run_twice(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = large(tmp_path)
    expected = robosieve.compile(sources, ["*"], tmp_path / "one.rsv")
    assert (tmp_path / "one.rsv").stat().st_size > 5 << 20
    with pytest.raises(Exception, match="spark.driver.maxResultSize"):
        robosieve.spark.compile(spark, sources, ["*"], tmp_path / "many.rsv")
    monkeypatch.setattr(robosieve.spark.compiling, "_FETCHED", 10)
    for lost in (False, True):
        if lost:
            # As if the executors were lost that have the results.
            monkeypatch.setattr(robosieve.spark.compiling._Work, "_keep", lambda work, results: results)
        policy = robosieve.spark.compile(spark, sources, ["*"], tmp_path / "many.rsv")
        assert policy.checksum == expected.checksum
        assert (tmp_path / "one.rsv").read_bytes() == (tmp_path / "many.rsv").read_bytes()


def test_what_executors_cannot_compile_is_told(spark: SparkSession, tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.jsonl", tmp_path / "policy.rsv"
    bad.write_text('{"url": "http://a.example/robots.txt", "status": 404}\n{\n')
    os.mkfifo(tmp_path / "pipe")
    for source, problem in (
        (bad, r"bad\.jsonl.*line 2"),
        (tmp_path / "nowhere", "nowhere"),
        (tmp_path / "pipe", "pipe: it is no file and no folder"),
    ):
        with pytest.raises(robosieve.SourceError, match=problem):
            robosieve.spark.compile(spark, [source], ["*"], out)
    with pytest.raises(robosieve.AgentError, match="examplebot is given twice"):
        robosieve.spark.compile(spark, [bad], ["examplebot", "examplebot"], out)
    with pytest.raises(robosieve.Error, match="columns: "):
        robosieve.spark.compile(spark, [bad], ["*"], out, columns={"code": "status"})
    with pytest.raises(robosieve.Error, match="tasks: 0 is too few"):
        robosieve.spark.compile(spark, [bad], ["*"], out, tasks=0)
    with pytest.raises(TypeError, match="tasks: a DataFrame has a task for each partition"):
        robosieve.spark.compile(spark, spark.range(1), ["*"], out, tasks=1)
    with pytest.raises(TypeError, match="sources: expected a list"):
        robosieve.spark.compile(spark, str(bad), ["*"], out)  # type: ignore[arg-type]
    with pytest.raises(robosieve.Error, match="overrides: "):
        robosieve.spark.compile(spark, [bad], ["*"], out, overrides=tmp_path / "nowhere")
    with pytest.raises(robosieve.Error, match=r"out: .*bad\.jsonl exists and is not a policy file"):
        robosieve.spark.compile(spark, [bad], ["*"], bad)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "pipe"]


def test_files_of_a_driver_that_was_killed_are_deleted_by_the_next(tmp_path: Path) -> None:
    out = tmp_path / "policy.rsv"
    with robosieve.spark.compiling._partial(out) as partial:
        partial.write_bytes(b"pieces")
        robosieve.compile(["datasets/sites"], ["*"], out)
        assert list(tmp_path.iterdir()) == [out]
