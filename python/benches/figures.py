"""Figures of the Python package; each checks its answer before it reports a time.

    python python/benches/figures.py LIST POLICY ROBOTS [--only judge,calls,live,frames,peers,memory,spark] [--lines N]

LIST is a text list of URLs, POLICY a policy file for it, ROBOTS the folder of robots.txt files named by host from which
the policy was compiled. Prints a table of medians; times are for one thread, with the inputs in memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.robotparser
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

import robosieve

ROUNDS = 5


def median(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of the work in seconds, after a warm-up run."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def tell(name: str, lines: int, seconds: float, note: str = "") -> None:
    print(f"{name:<52} {lines / seconds / 1e6:10.3f} million URLs a second  {note}", flush=True)


def lines_of(path: Path, most: int) -> list[bytes]:
    lines = path.read_bytes().removesuffix(b"\n").split(b"\n")
    return lines[:most] if most else lines


def program() -> Path:
    return Path(sys.executable).parent / "robosieve"


def judge(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Compare `judge` on an array with `filter --count` on the same lines."""
    lines = lines_of(arguments.list, arguments.lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list.txt"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        command = [program(), "filter", "--policy", arguments.policy, "--agent", agent, "--threads", "1"]
        command += ["--quiet", "--count", "--json", path]

        def count() -> dict[str, object]:
            return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # type: ignore[no-any-return]

        array = pa.array(lines, pa.binary())
        receipt = count()
        verdicts = policy.judge(array, agent, threads=1).to_pyarrow()["verdict"]
        counts = {row["values"]: row["counts"] for row in pc.value_counts(verdicts).to_pylist()}
        for name, partition in receipt["partitions"].items():  # type: ignore[attr-defined]
            assert counts.get(name, 0) == partition["lines"], name
        # The receipt's seconds exclude starting the process and opening the policy.
        count()
        theirs = statistics.median(float(count()["seconds"]) for _ in range(ROUNDS))  # type: ignore[arg-type]
    tell("filter --count, one thread", len(lines), theirs)
    plain = median(lambda: policy.judge(array, agent, threads=1))
    small = median(lambda: policy.judge(array, agent, threads=1, dictionary=True))
    tell("judge, dictionaries", len(lines), small, f"{theirs / small:.2f} of its speed")
    tell("judge, string columns", len(lines), plain, f"{theirs / plain:.2f}; making them: {plain - small:.3f} s")
    for name, kind in (("string_view", pa.binary_view()), ("large_string", pa.large_binary())):
        other = pa.array(lines, kind)
        tell(
            f"judge, dictionaries, of {name}",
            len(lines),
            median(partial(policy.judge, other, agent, threads=1, dictionary=True)),
        )


def calls(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Call `allowed` for one URL, and `judge` for few."""
    urls = [line.decode() for line in lines_of(arguments.list, 20_000) if line.isascii()]
    allowed = [verdict == "allowed" for verdict in policy.judge(urls, agent)["verdict"]]
    assert [policy.allowed(url, agent) for url in urls] == allowed

    def each() -> None:
        for url in urls:
            policy.allowed(url, agent)

    print(f"{'allowed, a call':<52} {median(each) / len(urls) * 1e6:10.3f} us")
    for count in (1, 10, 100, 1000):
        few = urls[:count]

        def judged(few: list[str] = few) -> None:
            for _ in range(1000):
                policy.judge(few, agent, threads=1)

        print(f"{f'judge of {count} in a list, a call':<52} {median(judged) * 1000:10.3f} us")


def live(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Put the files into a live policy, and judge single URLs by it."""
    files = sorted(path for path in arguments.robots.iterdir() if path.is_file())[:5000]
    names = [unquote(path.name) for path in files]
    origins = [name if "://" in name else f"https://{name}" for name in names]
    robots = [
        robosieve.Answer(f"{origin}/robots.txt", 200, path.read_bytes(), 1)
        for origin, path in zip(origins, files, strict=True)
    ]
    urls = [line.decode() for line in lines_of(arguments.list, 20_000) if line.isascii()]
    expected = robosieve.compile(robots, policy.agents).judge(urls, agent)["verdict"]

    def put() -> robosieve.LivePolicy:
        made = robosieve.LivePolicy(policy.agents)
        for answer in robots:
            made.put(answer)
        return made

    print(f"{'LivePolicy.put, a file':<52} {median(put) / len(robots) * 1e6:10.3f} us")
    made = put()
    assert made.judge(urls, agent)["verdict"] == expected
    assert [made.allowed(url, agent) for url in urls] == [verdict == "allowed" for verdict in expected]

    def each() -> None:
        for url in urls:
            made.allowed(url, agent)

    print(f"{'LivePolicy.allowed, a call':<52} {median(each) / len(urls) * 1e6:10.3f} us")


def frames(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Judge a million URLs in frames of other libraries: seconds, and those of the processor, of all threads."""
    import duckdb
    import pandas as pd
    import polars as pl

    import robosieve.duckdb
    import robosieve.polars

    lines = [line.decode(errors="replace") for line in lines_of(arguments.list, arguments.lines or 1_000_000)]
    expected = policy.judge(lines, agent)["verdict"].count("allowed")
    series, lazy = pd.Series(lines, index=range(len(lines), 0, -1)), pl.DataFrame({"url": lines}).lazy()
    con = duckdb.connect()
    con.register("given", pa.table({"url": lines}))
    con.execute("create table urls as select url from given")
    robosieve.duckdb.register(con, policy, agent)

    def by_pandas() -> int:
        return int((policy.judge(series, agent).to_pandas()["verdict"] == "allowed").sum())

    def by_polars() -> int:
        verdict = robosieve.polars.judge("url", policy, agent).struct["verdict"]
        return int(lazy.select((verdict == "allowed").sum()).collect().item())

    def by_duckdb() -> int:
        [(found,)] = con.sql("select count(*) from urls where robots(url).verdict = 'allowed'").fetchall()
        return int(found)

    for name, work in (("pandas", by_pandas), ("polars", by_polars), ("DuckDB", by_duckdb)):
        assert work() == expected, name
        before = time.process_time()
        seconds = median(work)
        spent = (time.process_time() - before) / (ROUNDS + 1)
        share = len(lines) / 1e6
        print(f"{name + ', a million URLs':<52} {seconds / share:10.3f} s, {spent / share:.3f} s of the processor")


def peers(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Judge one URL at a time, with known origins and cached parsers, as users do."""
    lines = [
        line.decode() for line in lines_of(arguments.list, min(arguments.lines or 50_000, 50_000)) if line.isascii()
    ]
    hosts = {
        path.name: path.read_bytes().decode(errors="replace") for path in arguments.robots.iterdir() if path.is_file()
    }
    known = [line for line in lines if line.count("/") > 2 and line.split("/")[2] in hosts]
    assert len(known) > 1000, "the list is of other hosts than the robots.txt files"
    expected = policy.judge(known, agent)["verdict"]

    def parsed(body: str, make: str) -> Callable[[str], bool]:
        if make == "urllib.robotparser":
            standard = urllib.robotparser.RobotFileParser()
            standard.parse(body.splitlines())
            return lambda url: standard.can_fetch(agent, url)
        if make == "protego":
            from protego import Protego

            theirs = Protego.parse(body)
            return lambda url: theirs.can_fetch(url, agent)
        if make == "robotspy":
            from robots import RobotsParser

            spy = RobotsParser.from_string(body)
            return lambda url: spy.can_fetch(agent, url)
        return robosieve.RobotsTxt(body, agent).allowed

    # fastrobots and reppy have no wheel for this Python; gpyrobotstxt fails with a TypeError on real files.
    other = ["robotspy"] if importlib.util.find_spec("robots") else []
    if not other:
        print("robotspy is left out: pip install robotspy")
    for make in ("robosieve.RobotsTxt", "protego", "urllib.robotparser", *other):
        cache = {host: parsed(hosts[host], make) for host in {url.split("/")[2] for url in known}}
        ask = lambda: [cache[urlsplit(url).netloc](url) for url in known]  # noqa: B023, E731
        same = sum(got == (verdict == "allowed") for got, verdict in zip(ask(), expected, strict=True))
        assert same > 0.8 * len(known), f"{make}: {same} of {len(known)} verdicts"
        tell(
            f"{make}, a call a URL", len(known), median(ask, 3), f"{100 * same / len(known):.2f} % of verdicts the same"
        )
    array = pa.array(known)
    tell("judge, one thread", len(known), median(lambda: policy.judge(array, agent, threads=1)))


def share(path: str, agent: str, lines: list[bytes], connection: Any) -> None:
    """A worker: maps the policy, judges, and reports its PSS and that of the policy in KiB."""
    policy = robosieve.Policy(path)
    policy.judge(lines, agent, threads=1)
    connection.send("ready")
    connection.recv()
    of_all = of_policy = 0
    is_policy = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            is_policy = words[-1] == str(Path(path).resolve())
        elif words[0] == "Pss:":
            of_all += int(words[1])
            of_policy += int(words[1]) if is_policy else 0
    connection.send((of_all, of_policy))
    connection.recv()


def memory(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Measure eight processes with one policy."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(8)]
    lines = lines_of(arguments.list, 100_000)
    target = (str(arguments.policy), agent, lines)
    workers = [context.Process(target=share, args=(*target, theirs)) for _, theirs in pipes]
    for worker in workers:
        worker.start()
    for ours, _ in pipes:
        assert ours.recv() == "ready"
    sizes = []
    for ours, _ in pipes:
        ours.send("tell")
        sizes.append(ours.recv())
    for (ours, _), worker in zip(pipes, workers, strict=True):
        ours.send("end")
        worker.join()
    size = os.path.getsize(arguments.policy) / 2**20
    of_all, of_policy = (sum(column) / 1024 for column in zip(*sizes, strict=True))
    assert of_policy < 1.5 * size, "the workers do not share it"
    print(f"eight workers, a policy of {policy.origins} origins and {size:.0f} MiB:", end=" ")
    print(f"PSS {of_all:.0f} MiB together, {of_policy:.0f} MiB of it the policy")


def processor_seconds() -> float:
    """The seconds that this process, those that it started, and those that these started took of processors."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number], ticks[number] = int(fields[1]), sum(map(int, fields[11:15]))
    own = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(ticks.get(number, 0) for number in own) / os.sysconf("SC_CLK_TCK")


def spark(arguments: argparse.Namespace, policy: robosieve.Policy, agent: str) -> None:
    """Judge the rows of a narrow and of a wide frame, also in a function that takes all columns through Python."""
    from pyspark.sql import DataFrame, SparkSession

    import robosieve.spark

    path = str(arguments.policy.resolve())

    def all_columns(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        opened = robosieve.Policy(path)
        for batch in batches:
            out = opened.judge(batch["url"], agent, threads=1).to_pyarrow().combine_chunks()
            names = [*batch.schema.names, *out.schema.names]
            yield pa.RecordBatch.from_arrays([*batch.columns, *(column.combine_chunks() for column in out)], names)

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .getOrCreate()
    )
    lines = [line.decode(errors="replace") for line in lines_of(arguments.list, arguments.lines or 1_000_000)]
    counts = pc.value_counts(policy.judge(lines, agent).to_pyarrow()["verdict"]).to_pylist()
    expected = {row["values"]: row["counts"] for row in counts}
    robots = robosieve.spark.judge_udf(session, policy=policy, agent=agent)

    def counted(df: DataFrame) -> DataFrame:
        return df.groupBy("verdict").count()

    def run(df: DataFrame) -> tuple[float, float]:
        started, spent = time.perf_counter(), processor_seconds()
        df.write.format("noop").mode("overwrite").save()
        return time.perf_counter() - started, processor_seconds() - spent

    table = pa.table({"url": lines})
    for width in ("narrow", "wide"):
        if width == "wide":
            # As many as Common Crawl's index has, which are mostly short texts.
            for number in range(20):
                values = [f"{number} {line[-20:]}" for line in lines] if number % 4 else range(len(lines))
                table = table.append_column(f"column_{number}", pa.array(values))
        with tempfile.TemporaryDirectory() as folder:
            pa.parquet.write_table(table, f"{folder}/urls.parquet", row_group_size=1 << 16)
            frame = session.read.parquet(f"{folder}/urls.parquet")
            judged = robosieve.spark.judge(frame, policy=policy, agent=agent)
            column = frame.withColumn("robots", robots("url"))
            for df, verdict in ((judged, "verdict"), (column, "robots.verdict")):
                assert {row[0]: row["count"] for row in df.groupBy(verdict).count().collect()} == expected
            whole = frame.mapInArrow(all_columns, judged.schema)
            work = {
                "not judged": frame,
                "all columns through Python": whole,
                "judge": judged,
                "judge_udf": column,
                "judge, allowed rows": judged.filter("verdict = 'allowed'"),
                "judge_udf, allowed rows": column.filter("robots.verdict = 'allowed'"),
                "all columns through Python, counts of verdicts": counted(whole),
                "judge, counts of verdicts": counted(judged),
                "judge_udf, counts of verdicts": counted(column.selectExpr("robots.verdict")),
            }
            # By turns, because what else the machine does changes; the first turn warms up.
            turns = [[run(df) for df in work.values()] for _ in range(ROUNDS + 1)][1:]
            for name, times in zip(work, zip(*turns, strict=True), strict=True):
                seconds, spent = (statistics.median(each) / len(lines) * 1e6 for each in zip(*times, strict=True))
                told = f"{seconds:10.2f} s a million rows, {spent:.2f} s of the processor"
                print(f"{f'Spark, {width}, {name}':<52} {told}", flush=True)
    session.stop()


PARTS = {
    "judge": judge,
    "calls": calls,
    "live": live,
    "frames": frames,
    "peers": peers,
    "memory": memory,
    "spark": spark,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("policy", type=Path)
    parser.add_argument("robots", type=Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--lines", type=int, default=0, help="so many lines of the list, not all")
    arguments = parser.parse_args()
    policy = robosieve.Policy(arguments.policy)
    print(f"robosieve {robosieve.__version__}, Python {sys.version.split()[0]}, pyarrow {pa.__version__}, {policy!r}")
    for part in arguments.only.split(","):
        print(f"\n{part}: {PARTS[part].__doc__}")
        PARTS[part](arguments, policy, policy.agents[0])


if __name__ == "__main__":
    main()
