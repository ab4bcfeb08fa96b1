"""Write lists of URLs with other programs."""

import bz2
import csv
import gzip
import json
import shutil
import subprocess
import sys

import duckdb
import polars
import pyarrow
import pyarrow.parquet

# The command with which each tool compresses a file to standard output.
TOOLS = {
    "gzip-1.gz": ("gzip", "-1", "-c"),
    "gzip-9.gz": ("gzip", "-9", "-c"),
    "pigz.gz": ("pigz", "-p2", "-b128", "-c"),
    "pigz-independent.gz": ("pigz", "-p2", "-b128", "--independent", "-c"),
    "bgzip.gz": ("bgzip", "-c"),
    "zstd-3.zst": ("zstd", "-3", "-q", "-c"),
    "zstd-19.zst": ("zstd", "-19", "-q", "-c"),
    "zstd-threads.zst": ("zstd", "-3", "-T2", "-q", "-c"),
    "zstd-long.zst": ("zstd", "-10", "--long=27", "--no-check", "-q", "-c"),
    "bzip2-1.bz2": ("bzip2", "-1", "-c"),
    "bzip2-9.bz2": ("bzip2", "-9", "-c"),
}

# The options with which pyarrow writes a table.
TABLES = {
    "snappy": {"compression": "snappy"},
    "zstd": {"compression": "zstd", "row_group_size": 100},
    "gzip": {"compression": "gzip", "data_page_version": "2.0"},
    "none": {"compression": "none", "use_dictionary": False, "row_group_size": 1},
    "delta": {"use_dictionary": False, "column_encoding": {"url": "DELTA_BYTE_ARRAY"}},
    "length": {"use_dictionary": False, "column_encoding": {"url": "DELTA_LENGTH_BYTE_ARRAY"}},
    "pages": {"data_page_size": 64, "write_page_checksum": True},
}


def write_all(folder, plain, urls):
    """Write all forms; yield their paths and the options they need."""
    yield from compressed(folder, plain)
    yield from delimited(folder, urls)
    yield index(folder, urls)
    yield from tables(folder, urls)


def compressed(folder, plain):
    """The text compressed by each tool, and in several members."""
    for name, command in TOOLS.items():
        if shutil.which(command[0]) is None:
            print(f"SKIPPED: {command[0]} is missing, so {name} is not checked", file=sys.stderr)
            continue
        path = folder / name
        with open(path, "wb") as out:
            subprocess.run([*command, str(plain)], stdout=out, check=True)
        yield path, []
    text = plain.read_bytes()
    parts = [text[at : at + 1000] for at in range(0, len(text), 1000)]
    for name, module in (("members.gz", gzip), ("streams.bz2", bz2)):
        (folder / name).write_bytes(b"".join(map(module.compress, parts)))
        yield folder / name, []


def delimited(folder, urls):
    """CSV and TSV by Python's csv module, with a header and without."""
    for name, dialect, options in (
        ("excel.csv", csv.excel, ["--delimiter", ",", "--column", "url"]),
        ("unix.csv", csv.unix_dialect, ["--delimiter", ",", "--column", "2", "--header"]),
    ):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, dialect)
            writer.writerow(["number", "url", 'a "title", or two'])
            writer.writerows([number, url, f'"{number}", or so'] for number, url in enumerate(urls))
        yield folder / name, options
    with open(folder / "semicolons.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([url, number] for number, url in enumerate(urls))
    yield folder / "semicolons.csv", ["--delimiter", ";"]


def index(folder, urls):
    """CDXJ, with escapes for everything beyond ASCII."""
    path = folder / "index.cdxj"
    lines = (f"x)/ 20240101000000 {json.dumps({'mime': 'text/html', 'url': url, 'n': [1]})}\n" for url in urls)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path, []


def tables(folder, urls):
    """Parquet: the URL in a column, in every encoding."""
    for name, options in TABLES.items():
        path = folder / f"{name}.parquet"
        table = pyarrow.table({"number": pyarrow.array(range(len(urls))), "url": pyarrow.array(urls, pyarrow.string())})
        pyarrow.parquet.write_table(table, path, **options)
        yield path, []
    frame = polars.DataFrame({"number": range(len(urls)), "url": urls})
    frame.write_parquet(folder / "polars.parquet", row_group_size=1000)
    yield folder / "polars.parquet", []
    for name, version in (("duckdb", "V1"), ("duckdb-v2", "V2")):
        path = folder / f"{name}.parquet"
        duckdb.sql(f"copy frame to '{path}' (format parquet, compression zstd, parquet_version {version})")
        yield path, []
    path = folder / "large.parquet"
    table = pyarrow.table({"page": pyarrow.array(urls, pyarrow.large_string()).dictionary_encode()})
    pyarrow.parquet.write_table(table, path)
    yield path, ["--column", "page"]
