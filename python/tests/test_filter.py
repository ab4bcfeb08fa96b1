"""`robosieve.filter`: whole runs, and how they end."""

import io
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import robosieve
from robosieve import Progress

from .conftest import Program

LIST = "datasets/urls.txt"


def test_a_run_is_that_of_the_program(
    policy: robosieve.Policy, policy_file: Path, program: Program, tmp_path: Path
) -> None:
    receipt = robosieve.filter(policy, ["datasets/urls.t?t"], tmp_path / "python", "examplebot")
    program("filter", "--policy", policy_file, "--agent", "examplebot", "--out", tmp_path / "program", LIST)
    names = sorted(path.name for path in (tmp_path / "program").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "python").iterdir())
    for name in set(names) - {"receipt.json"}:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    assert (receipt["input"]["lines"], receipt["balanced"], receipt["agents"]) == (3111, True, ["examplebot"])
    program("verify", tmp_path / "python")


def test_a_folder_of_columns_is_a_table_and_a_null_url_an_invalid_line(
    policy: robosieve.Policy, tmp_path: Path
) -> None:
    urls = ["https://shop.example/cart", None]
    for day in ("30", "31"):
        (tmp_path / f"table/day=2026-01-{day}").mkdir(parents=True)
        pq.write_table(pa.table({"url": urls}), tmp_path / f"table/day=2026-01-{day}/a.parquet")
    assert policy.judge(urls, "examplebot")["verdict"] == ["blocked", None]
    tables: list[Path | str] = [tmp_path / "table", f"{tmp_path}/table/*", f"{tmp_path}/table/**"]
    for number, lists in enumerate(tables):
        out = tmp_path / f"out{number}"
        receipt = robosieve.filter(policy, [lists], out, "examplebot", format="parquet")
        assert receipt["partitions"]["invalid"]["reasons"] == {"empty": 2}
        rows = pq.read_table(out / "lines/verdict=blocked/part-0001.parquet", partitioning=None)
        assert rows["day"].to_pylist() == ["2026-01-30", "2026-01-31"]
    iceberg = pa.schema([("url", pa.string())], metadata={"iceberg.schema": "{}"})
    pq.write_table(pa.table({"url": urls}, schema=iceberg), tmp_path / "iceberg.parquet")
    with pytest.warns(UserWarning, match='iceberg.parquet: its metadata "iceberg.schema" is not kept'):
        robosieve.filter(policy, [tmp_path / "iceberg.parquet"], tmp_path / "kept", "examplebot", format="parquet")
    options = {"format": "parquet", "path_columns": "folders"}
    robosieve.filter(policy, [tmp_path / "table"], tmp_path / "folders", "examplebot", **options)  # type: ignore[arg-type]
    assert (tmp_path / "folders/lines/verdict=blocked/day=2026-01-30/part-0001.parquet").exists()
    with pytest.raises(robosieve.Error, match="path_columns: text has no columns"):
        robosieve.filter(policy, [LIST], tmp_path / "text", "examplebot", path_columns="folders")
    with pytest.raises(robosieve.Error, match="day=2026-01-31; for the lists in it, give a pattern"):
        robosieve.filter(policy, ["datasets/sites"], tmp_path / "text", "examplebot")


def test_sums_of_lines_are_those_of_the_receipt(policy: robosieve.Policy, urls: list[bytes], tmp_path: Path) -> None:
    receipt = robosieve.filter(policy, [LIST], tmp_path / "out", "*", delimiter="none")
    assert f"{robosieve.line_sum(urls):032x}" == receipt["input"]["sum"]
    verdicts = policy.judge(urls, "*")["verdict"]
    for name, partition in receipt["partitions"].items():
        of_partition = [url for url, verdict in zip(urls, verdicts, strict=True) if name.endswith(verdict)]
        assert f"{robosieve.line_sum(reversed(of_partition)):032x}" == partition["sum"], name


@pytest.mark.parametrize(("unique", "kept"), [(False, 3), (True, 1), ("fetched", 1), ("bytes", 2)])
def test_urls_that_are_the_same_stay_once(
    policy: robosieve.Policy, tmp_path: Path, unique: bool | str, kept: int
) -> None:
    urls = tmp_path / "urls"
    urls.write_text("http://a.example/x\nhttp://a.example/x\nhttp://A.example/%78#f\n")
    receipt = robosieve.filter(policy, [urls], agents=["*"], count=True, unique=unique)
    assert receipt["options"].get("unique") == ("fetched" if unique is True else unique or None)
    assert receipt.get("duplicates", {}).get("lines", 0) == 3 - kept
    with pytest.raises(robosieve.Error, match='unique: "some"'):
        robosieve.filter(policy, [urls], agents=["*"], count=True, unique="some")


def test_urls_of_earlier_runs_are_left_out(policy: robosieve.Policy, tmp_path: Path) -> None:
    seen = tmp_path / "seen.rss"
    (tmp_path / "urls").write_text("http://escapes.test/x\nhttp://escapes.test/%78\nhttp://unknown.example/\n")
    for lines, urls in [(0, 1), (1, 1)]:
        receipt = robosieve.filter(policy, [tmp_path / "urls"], agents=["*"], count=True, seen=seen)
        assert (receipt["seen"]["lines"], receipt["seen_file"]["urls"]) == (lines, urls)
        assert (receipt["options"]["unique"], receipt["duplicates"]["lines"]) == ("fetched", 1)


def test_options_are_those_of_the_program(policy: robosieve.Policy, tmp_path: Path) -> None:
    receipt = robosieve.filter(
        policy,
        [LIST],
        tmp_path / "out",
        agents=["examplebot", "*"],
        format="parquet",
        explain=True,
        unique=True,
        threads=1,
        choices=robosieve.Choices(on_unfetched="block"),
    )
    assert receipt["options"]["on_unfetched"] == "block"
    assert (tmp_path / "out" / "lines" / "crawler=default" / "verdict=blocked" / "part-0001.parquet").exists()
    with pytest.raises(robosieve.RunError, match="out"):
        robosieve.filter(policy, [LIST], tmp_path / "out", "*")
    robosieve.filter(policy, [LIST], tmp_path / "out", "*", force=True, verdicts=True, compress="zstd")
    robosieve.filter(policy, [LIST], tmp_path / "out", "*", resume=True, verdicts=True, compress="zstd")
    robosieve.filter(policy, [LIST], tmp_path / "out", "*", force=True, split_size=50_000)
    parts = list((tmp_path / "out").glob("allowed.*.txt"))
    assert len(parts) > 1
    assert all(part.stat().st_size <= 50_000 for part in parts)
    with pytest.raises(robosieve.Error, match='format: "csv" is unknown; expected text or parquet'):
        robosieve.filter(policy, [LIST], tmp_path / "other", "*", format="csv")
    with pytest.raises(robosieve.Error, match="delimiter: "):
        robosieve.filter(policy, [LIST], tmp_path / "other", "*", delimiter="ab")


def test_what_cannot_begin_is_told(policy: robosieve.Policy, tmp_path: Path) -> None:
    with pytest.raises(robosieve.Error, match=r"lists: the pattern nothing/\* matches no file"):
        robosieve.filter(policy, ["nothing/*"], tmp_path / "out", "*")
    with pytest.raises(robosieve.RunError, match="nowhere"):
        robosieve.filter(policy, ["nowhere.txt"], tmp_path / "out", "*")
    with pytest.raises(robosieve.AgentError, match="several crawlers"):
        robosieve.filter(policy, [LIST], tmp_path / "out")
    with pytest.raises(TypeError, match="not both"):
        robosieve.filter(policy, [LIST], tmp_path / "out", "*", agents=["*"])


def long_list(tmp_path: Path) -> Path:
    """A pipe that writes lines until its reader closes it."""
    path = tmp_path / "list"
    os.mkfifo(path)
    return path


def feeder(path: Path) -> "subprocess.Popen[bytes]":
    code = "import itertools\nfor i in itertools.count(): print(f'https://shop.example/{i}')"
    with_pipe = f'{sys.executable} -c "{code}" > {path} 2>/dev/null'
    return subprocess.Popen(["bash", "-c", with_pipe], start_new_session=True)


def test_progress_is_told_and_can_end_the_run(policy: robosieve.Policy, tmp_path: Path) -> None:
    told: list[Progress] = []

    def tell(progress: Progress) -> None:
        told.append(progress)
        if progress["lines"] > 0:
            raise RuntimeError("enough")

    path = long_list(tmp_path)
    feeding = feeder(path)
    try:
        with pytest.raises(RuntimeError, match="enough"):
            robosieve.filter(policy, [path], tmp_path / "out", "*", progress=tell)
    finally:
        os.killpg(feeding.pid, signal.SIGKILL)
        feeding.wait()
    assert told[-1]["seconds"] > 0
    assert told[-1]["share"] is None
    assert not (tmp_path / "out" / "receipt.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_a_list_that_is_cut_short_ends_the_run_and_not_the_interpreter(policy_file: Path, tmp_path: Path) -> None:
    # Truncated while a worker reads the middle of a chunk.
    code = """
        import os, sys
        import robosieve

        path = sys.argv[2] + "/list"
        with open(path, "wb") as file:
            file.write(b"http://a.example/\\n" * 5_000_000)

        def cut(progress):
            if progress["lines"]:
                os.truncate(path, 4096)

        try:
            robosieve.filter(
                robosieve.Policy(sys.argv[1]), [path], sys.argv[2] + "/out", "examplebot", threads=1, progress=cut
            )
        except robosieve.RunError as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(policy_file), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "list was cut short" in done.stdout


def test_ctrl_c_ends_a_run(policy_file: Path, tmp_path: Path) -> None:
    path = long_list(tmp_path)
    code = f"""
        import robosieve
        def tell(progress):
            if progress["lines"]:
                print("running", flush=True)
        robosieve.filter(robosieve.Policy({str(policy_file)!r}), [{str(path)!r}], {str(tmp_path / "out")!r}, "*", progress=tell)
    """
    feeding = feeder(path)
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == b"running\n"
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
    finally:
        os.killpg(feeding.pid, signal.SIGKILL)
        feeding.wait()
    assert b"KeyboardInterrupt" in err
    assert running.returncode != 0


def test_the_program_is_there(program: Program) -> None:
    assert program("--version").stdout == f"robosieve {robosieve.__version__}\n"
    refused = program("filter", "--nonsense", check=False)
    assert (refused.returncode, "--nonsense" in refused.stderr) == (2, True)
    answer = program(
        "check", "--robots", "datasets/sites", "--agent", "examplebot", "https://shop.example/cart", check=False
    )
    assert (answer.returncode, answer.stdout.startswith("blocked\thttps://shop.example/cart")) == (1, True)


def test_policies_are_compared(policy: robosieve.Policy, program: Program, tmp_path: Path) -> None:
    (tmp_path / "older.jsonl").write_text('{"url": "https://shop.example/robots.txt", "status": 404}\n')
    older = robosieve.compile([tmp_path / "older.jsonl"], agents=["examplebot", "*"])
    agents = ["examplebot", "*"]
    receipt = robosieve.filter(policy, [LIST], tmp_path / "out", agents=agents, against=older, only_changed=True)
    assert sum(receipt["changes"].values()) > 0
    assert receipt["unchanged"]["lines"] + receipt["partitions"]["allowed.default"]["lines"] < receipt["input"]["lines"]
    program("verify", tmp_path / "out")
    lines = io.BytesIO()
    counts = robosieve.filter(policy, [LIST], lines, "examplebot", against=older, verdicts=True)["partitions"]
    now, was = zip(*(line.split(b"\t")[:2] for line in lines.getvalue().splitlines()[1:]), strict=True)
    for verdict in ("allowed", "blocked", "deferred"):
        found = [now.count(verdict.encode()), was.count(verdict.encode())]
        assert found == [counts[verdict]["lines"], counts[f"{verdict}.was"]["lines"]], verdict
    with pytest.raises(robosieve.Error, match="only_changed"):
        robosieve.filter(policy, [LIST], agent="*", count=True, only_changed=True)


def test_crawlers_are_named_or_taken_together(policy: robosieve.Policy) -> None:
    agents, lines = ["examplebot", "*"], io.BytesIO()
    robosieve.filter(policy, [LIST], lines, agents=agents, blocked_for=True)
    rows = [line.split(b"\t") for line in lines.getvalue().splitlines()[1:]]
    counts = robosieve.filter(policy, [LIST], agents=agents, count=True, allowed_if="all")["partitions"]
    assert sum(bool(row[0]) for row in rows) == counts["blocked"]["lines"] + counts["invalid"]["lines"]
    with pytest.raises(robosieve.Error, match='allowed_if: "some"'):
        robosieve.filter(policy, [LIST], agents=agents, count=True, allowed_if="some")
    with pytest.raises(robosieve.Error, match="blocked_for"):
        robosieve.filter(policy, [LIST], agents=agents, blocked_for=True, verdicts=True)


def test_shards_leave_out_what_earlier_ones_have(policy: robosieve.Policy, tmp_path: Path) -> None:
    choices = robosieve.Choices(now=0)
    (tmp_path / "urls").write_text("".join(f"http://a.example/{n % 70}\n" for n in range(200)))
    lists, shards = [tmp_path / "urls"], ["1/2", "2/2"]
    (tmp_path / "keys").mkdir()
    for shard in shards:
        written = robosieve.keys(lists, tmp_path / "keys" / shard[0], shard=shard)
        assert (written["urls"], written["shard"], len(written["checksum"])) == (70, shard, 32)
    left = 0
    for shard in shards:
        receipt = robosieve.filter(
            policy, lists, tmp_path / shard[0], "*", unique=True, keys=tmp_path / "keys", shard=shard, choices=choices
        )
        left += receipt["duplicates"]["lines"]
    assert left == 130
    joined = robosieve.join([tmp_path / "1", tmp_path / "2"], tmp_path / "all")
    assert joined["duplicates"]["lines"] == 130
    with pytest.raises(robosieve.RunError, match="write the keys of all shards first"):
        robosieve.filter(policy, lists, tmp_path / "out", "*", unique=True, shard="1/2", choices=choices)
    with pytest.raises(robosieve.Error, match="keys: it is for a run that writes a folder"):
        robosieve.filter(policy, lists, agents=["*"], count=True, unique=True, keys=tmp_path / "keys")
