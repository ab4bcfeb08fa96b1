"""Read the tables that robosieve exports as Parquet with pyarrow, and compare them with its JSON Lines."""

import json
import subprocess
from datetime import datetime

import pyarrow.parquet

TABLES = ("delays", "sitemaps", "agents", "status", "access", "preferences")


def compare(program, sources, folder):
    """Compare all tables of a policy made from these sources; yield each table, whether it is equal, and its number of rows."""
    policy = folder / "policy.rsv"
    subprocess.run([program, "compile", "--agent", "examplebot", *sources, "-o", policy], check=True, stderr=subprocess.DEVNULL)
    for table in TABLES:
        export = [program, "export", policy, "--what", table, "--format"]
        path = folder / f"{table}.parquet"
        subprocess.run([*export, "parquet", "-o", path], check=True)
        lines = subprocess.run([*export, "jsonl"], check=True, stdout=subprocess.PIPE).stdout.splitlines()
        rows = pyarrow.parquet.read_table(path).to_pylist()
        found = [{name: told(value) for name, value in row.items() if value is not None} for row in rows]
        yield table, found == [json.loads(line) for line in lines], len(rows)


def told(value):
    """Convert a value to its form in JSON Lines."""
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value
