"""Write lists by Spark, and read what was made of them, in a Python with PySpark: `spark_rows.py write|read FOLDER`."""

import datetime
import decimal
import os
import sys
from pathlib import Path

os.environ["PYSPARK_PYTHON"] = sys.executable

from pyspark.sql import SparkSession
from pyspark.sql import types as t

KINDS = ("INT96", "TIMESTAMP_MICROS")
OURS = ["verdict", "reason", "rule", "rule_line", "agent", "captured"]


def started():
    """Spark, in this process, in a time zone that is not UTC."""
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.session.timeZone", "America/New_York").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def write(spark, folder, urls):
    """Lists with columns of the types of Spark, some nested, and metadata of fields."""
    record = t.StructType(
        [
            t.StructField("a", t.StringType(), True, {"comment": "inner"}),
            t.StructField("b", t.ArrayType(t.IntegerType())),
        ]
    )
    schema = t.StructType(
        [
            t.StructField("url", t.StringType(), True, {"comment": "the page", "weight": 1.1}),
            t.StructField("when", t.TimestampType()),
            t.StructField("naive", t.TimestampNTZType()),
            t.StructField("price", t.DecimalType(20, 2)),
            t.StructField("record", record),
            t.StructField("map", t.MapType(t.StringType(), t.DateType())),
            t.StructField("records", t.ArrayType(record)),
            t.StructField("span", t.DayTimeIntervalType()),
            t.StructField("bytes", t.BinaryType()),
        ]
    )
    start = datetime.datetime(2020, 1, 1, 1, 2, 3, 456789)
    day, span = datetime.date(2020, 1, 1), datetime.timedelta(hours=5)
    rows = [
        (url, start, start, decimal.Decimal("1.50"), ("x", [1]), {"k": day}, [("y", [2, None])], span, b"\1")
        for url in urls
    ]
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    for kind in KINDS:
        spark.conf.set("spark.sql.parquet.outputTimestampType", kind)
        frame.write.parquet(str(folder / kind))


def read(spark, folder):
    """Compare the lists with what was made of them."""
    wrong = 0
    for kind in KINDS:
        given, made = (spark.read.parquet(str(folder / name)) for name in (kind, f"{kind}-out/verdicts"))
        known = len(given.schema.fields)
        problem = None
        if made.schema.fields[:known] != given.schema.fields or made.schema.names[known:] != OURS:
            problem = made.schema.simpleString()
        elif made.select(*given.columns).collect() != given.collect():
            problem = "its rows"
        elif {row.verdict for row in made.collect()} != {"allowed", "blocked", "deferred", "invalid"}:
            problem = "its verdicts"
        print(f"spark {spark.version} {kind}" if problem is None else f"WRONG: spark {spark.version} {kind}: {problem}")
        wrong += problem is not None
    return wrong


def main():
    """Write or read."""
    what, folder = sys.argv[1], Path(sys.argv[2])
    spark = started()
    if what == "write":
        write(spark, folder, (folder / "urls").read_text().split("\n"))
        sys.exit(0)
    sys.exit(1 if read(spark, folder) else 0)


if __name__ == "__main__":
    main()
