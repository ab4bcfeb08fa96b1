"""Datasets and Scanners of pyarrow: verdicts as a stream."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import robosieve

from .conftest import ROOT


@pytest.fixture
def folder(tmp_path: Path, lines: list[str]) -> Path:
    """A dataset of several files and row groups, with a column that is not to be read."""
    for number in range(4):
        some = lines[number::4]
        table = pyarrow.table({"id": range(len(some)), "url": some, "html": ["x" * 100] * len(some)})
        pyarrow.parquet.write_table(table, tmp_path / f"{number}.parquet", row_group_size=100)
    return tmp_path


@pytest.mark.parametrize("is_scanner", [False, True])
def test_verdicts_come_in_the_order_of_the_rows(policy: robosieve.Policy, folder: Path, is_scanner: bool) -> None:
    dataset = pyarrow.dataset.dataset(folder)
    urls = dataset.to_table()["url"]
    given = dataset.scanner(columns=["url", "id"], batch_size=64) if is_scanner else dataset
    stream = policy.judge(given, "examplebot", column="url", explain=True)
    assert isinstance(stream, robosieve.Stream)
    assert stream.columns == ["verdict", "reason", "rule", "line"]
    batches = list(stream)
    assert len(batches) > 4
    expected = policy.judge(urls, "examplebot", explain=True).to_pyarrow()
    assert pyarrow.Table.from_batches(batches).to_pylist() == expected.to_pylist()
    if is_scanner:
        assert max(batch.num_rows for batch in batches) <= 64


def test_batches_are_read_only_when_they_are_wanted(policy: robosieve.Policy) -> None:
    read = 0

    def many() -> Iterator[pyarrow.RecordBatch]:
        nonlocal read
        for _ in range(10_000):
            read += 1
            yield pyarrow.record_batch({"url": ["https://shop.example/cart", None]})

    schema = pyarrow.schema({"url": pyarrow.string()})
    scanner = pyarrow.dataset.Scanner.from_batches(many(), schema=schema, use_threads=False)
    reader = policy.judge(scanner, agents=["examplebot", "*"], threads=1).reader()
    for _ in range(50):
        assert reader.read_next_batch().column("verdict").to_pylist() == [["blocked", "blocked"], None]
    assert read < 10_000


def test_only_the_urls_of_a_dataset_are_read(policy: robosieve.Policy, folder: Path) -> None:
    """A column that cannot be read does no harm."""
    damaged = (folder / "0.parquet").read_bytes()
    group = pyarrow.parquet.ParquetFile(folder / "0.parquet").metadata.row_group(0).column(2)
    place = group.dictionary_page_offset or group.data_page_offset
    (folder / "0.parquet").write_bytes(damaged[:place] + b"\xff" * 20 + damaged[place + 20 :])
    dataset = pyarrow.dataset.dataset(folder)
    with pytest.raises((OSError, pyarrow.ArrowException)):
        dataset.to_table()
    assert policy.judge(dataset, "*", column="url").to_pyarrow().num_rows == 3111
    assert robosieve.line_sum(dataset, column="url") == robosieve.line_sum(dataset.to_table(columns=["url"]))


def test_what_cannot_be_judged_is_told_at_once(policy: robosieve.Policy, folder: Path) -> None:
    dataset = pyarrow.dataset.dataset(folder)
    with pytest.raises(robosieve.Error, match=r"column: the table has several \(id, url, html\); name one"):
        policy.judge(dataset, "*")
    with pytest.raises(robosieve.Error, match='column: there is no column "uri"; the columns are id, url, html'):
        policy.judge(dataset, "*", column="uri")
    with pytest.raises(TypeError, match="urls: Int64 is not a type for URLs"):
        policy.judge(dataset, "*", column="id")
    with pytest.raises(robosieve.AgentError):
        policy.judge(dataset, "otherbot", column="url")


def test_an_error_of_the_reader_ends_the_stream(policy: robosieve.Policy) -> None:
    schema = pyarrow.schema({"url": pyarrow.string()})

    def failing() -> Iterator[pyarrow.RecordBatch]:
        yield pyarrow.record_batch({"url": ["https://shop.example/cart"]})
        raise ValueError("a disk is gone")

    scanner = pyarrow.dataset.Scanner.from_batches(failing(), schema=schema)
    with pytest.raises((ValueError, OSError), match="a disk is gone"):
        policy.judge(scanner, "*").to_pyarrow()


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: peak memory is read as on Linux")
def test_memory_is_bounded(policy_file: Path) -> None:
    code = f"""
import resource, pyarrow, pyarrow.dataset, robosieve
policy = robosieve.Policy({str(policy_file)!r})
batch = pyarrow.record_batch({{"url": ["https://shop.example/cart/" + "x" * 1000] * 1000}})
def batches(number):
    return (pyarrow.record_batch([pyarrow.concat_arrays([batch.column(0)])], schema=batch.schema) for _ in range(number))
def judge(number):
    scanner = pyarrow.dataset.Scanner.from_batches(batches(number), schema=batch.schema, use_threads=False)
    assert sum(some.num_rows for some in policy.judge(scanner, "*", threads=1)) == number * 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
judge(1)
before = judge(20)
assert judge(200) < before + 100_000, before
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=300)


def test_threads_may_share_an_iterator(policy: robosieve.Policy, tmp_path: Path) -> None:
    """A reader of a C stream would end the interpreter."""
    table = pyarrow.table({"url": ["https://shop.example/cart", "https://shop.example/"] * 20_000})
    pyarrow.parquet.write_table(table, tmp_path / "urls.parquet", row_group_size=500)
    batches = iter(policy.judge(pyarrow.dataset.dataset(tmp_path / "urls.parquet"), "*"))
    with ThreadPoolExecutor(4) as pool:
        taken = pool.map(lambda _: sum(batch["verdict"].to_pylist().count("blocked") for batch in batches), range(4))
    assert sum(taken) == 20_000
    assert next(batches, None) is None
