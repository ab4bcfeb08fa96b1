"""The output of `filter --format parquet` as a dataset: libraries read it whole, or only the files of one verdict."""

import json
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset
import pyarrow.parquet
import pytest

from .conftest import Program

COLUMNS = ["url", "line", "reason"]


@pytest.fixture(scope="module")
def run(program: Program, policy_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run for two crawlers."""
    out = tmp_path_factory.mktemp("run") / "out"
    crawlers = ["--agent", "examplebot", "--agent", "*"]
    list_of_urls = Path(__file__).resolve().parents[2] / "datasets/urls.txt"
    program("filter", "--policy", policy_file, *crawlers, "--out", out, "--format", "parquet", list_of_urls)
    return out


@pytest.fixture(scope="module")
def counted(run: Path) -> dict[tuple[str, str], int]:
    """The number of lines per crawler and verdict, from the receipt."""
    partitions = json.loads((run / "receipt.json").read_text())["partitions"]
    names = {name: tuple(reversed(name.split("."))) for name in partitions}
    return {(names[name][0], names[name][1]): part["lines"] for name, part in partitions.items()}


def test_files_share_one_schema_without_what_their_folders_say(run: Path) -> None:
    files = sorted((run / "lines").rglob("*.parquet"))
    assert len(files) == 8
    schemas = [pyarrow.parquet.ParquetFile(file).schema_arrow for file in files]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert schemas[0].names == COLUMNS


def test_pyarrow(run: Path, counted: dict[tuple[str, str], int]) -> None:
    table = pyarrow.parquet.read_table(run / "lines")
    found = Counter(zip(table["crawler"].to_pylist(), table["verdict"].to_pylist(), strict=True))
    assert found == counted
    dataset = pyarrow.dataset.dataset(run / "lines", partitioning="hive")
    blocked = list(dataset.get_fragments(pyarrow.dataset.field("verdict") == "blocked"))
    assert {Path(fragment.path).parent.name for fragment in blocked} == {"verdict=blocked"}


def test_pandas(run: Path, counted: dict[tuple[str, str], int]) -> None:
    frame = pd.read_parquet(run / "lines")
    assert list(frame.columns) == [*COLUMNS, "crawler", "verdict"]
    assert frame.groupby(["crawler", "verdict"], observed=True).size().to_dict() == counted
    blocked = pd.read_parquet(run / "lines", filters=[("verdict", "==", "blocked"), ("crawler", "==", "default")])
    assert len(blocked) == counted["default", "blocked"]


def test_polars(run: Path, counted: dict[tuple[str, str], int]) -> None:
    frame = pl.read_parquet(run / "lines")
    rows = frame.group_by("crawler", "verdict").len().iter_rows()
    assert {(crawler, verdict): lines for crawler, verdict, lines in rows} == counted
    blocked = pl.scan_parquet(run / "lines").filter(pl.col("verdict") == "blocked", pl.col("crawler") == "default")
    plan = blocked.explain()
    assert "crawler=default/verdict=blocked" in plan, plan
    assert "verdict=allowed" not in plan, plan
    assert blocked.collect().height == counted["default", "blocked"]


def test_duckdb(run: Path, counted: dict[tuple[str, str], int]) -> None:
    for path in (run / "lines", run / "lines/**/*.parquet"):
        rows = duckdb.execute(f"select crawler, verdict, count(*) from read_parquet('{path}') group by all").fetchall()
        assert {(crawler, verdict): lines for crawler, verdict, lines in rows} == counted
    query = f"from read_parquet('{run}/lines/**/*.parquet') where verdict = 'blocked' and crawler = 'default'"
    [(_, plan)] = duckdb.execute(f"explain analyze {query}").fetchall()
    assert "Scanning Files: 1/8" in plan, plan
