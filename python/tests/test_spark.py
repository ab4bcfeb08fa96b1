"""Spark with two executor processes: same verdicts, one policy per host, a wheel that travels."""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pytest
from pyspark.sql import DataFrame, SparkSession

import robosieve
import robosieve.spark

from .conftest import Program


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
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("robosieve")  # type: ignore[attr-defined]
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "4",
            "spark.executor.heartbeatInterval": "10s",
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
    """Judge, and report which policies each worker maps."""
    checksum = robosieve.spark._add_policy(frame.sparkSession, policy_file)
    mapped = robosieve.spark._mapper(checksum, archive, "url", ("verdict",), {"agent": "*"}, {})

    def workers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        from pathlib import Path

        import pyarrow as pa

        for _ in mapped(batches):
            # Only here, because it may arrive with the archive.
            import robosieve

            sizes: dict[str, int] = {}
            path, file = "", ""
            for line in Path("/proc/self/smaps").read_text().splitlines():
                words = line.split()
                if not words[0].endswith(":"):
                    path = words[-1]
                elif path.endswith(".rsv") and words[0] in ("Rss:", "Pss:"):
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
def test_a_wheel_travels(spark: SparkSession, frame: DataFrame, policy_file: Path) -> None:
    archive = robosieve.spark.ship_wheel(spark, os.environ["ROBOSIEVE_WHEEL"])
    assert {archive in row["package"] for row in reports(frame, policy_file, archive)} == {True}


def test_verdicts_are_those_of_a_run(
    frame: DataFrame, lines: list[str], policy: robosieve.Policy, policy_file: Path, program: Program, tmp_path: Path
) -> None:
    judged = robosieve.spark.judge(frame, policy=policy_file, agent="examplebot")
    judged.write.partitionBy("verdict").parquet(str(tmp_path / "dataset"))
    (tmp_path / "list.txt").write_text("".join(line + "\n" for line in lines))
    program(
        "filter", "--policy", policy_file, "--agent", "examplebot", "--out", tmp_path / "out", tmp_path / "list.txt"
    )
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


def test_choices_travel(spark: SparkSession, policy_file: Path) -> None:
    df = spark.createDataFrame([("https://never.example/",), (None,)], "url string")
    judged = robosieve.spark.judge(df, policy=policy_file, agent="*", choices={"on_unfetched": "allow"})
    assert {(row["verdict"], row["reason"]) for row in judged.collect()} == {("allowed", "unfetched"), (None, None)}


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
