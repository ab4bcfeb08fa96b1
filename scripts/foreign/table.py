"""Write answers as Parquet files, with pyarrow."""

from datetime import datetime, timedelta, timezone

import pyarrow
import pyarrow.parquet

START = datetime(2026, 1, 10, tzinfo=timezone.utc)

# Name, column names, types of status, body and time, and options for writing.
FORMS = (
    ("plain", "url status body fetched_at location", pyarrow.int16(), pyarrow.binary(), pyarrow.timestamp("us", "UTC"), {}),
    ("zstd", "url status body fetched_at location", pyarrow.int64(), pyarrow.binary(), pyarrow.timestamp("ns"), {"compression": "zstd"}),
    ("gzip", "url status body fetched_at location", pyarrow.uint32(), pyarrow.large_binary(), pyarrow.timestamp("s"), {"compression": "gzip"}),
    ("none", "url status body fetched_at location", pyarrow.uint16(), pyarrow.binary(), pyarrow.int64(), {"compression": "none", "use_dictionary": False}),
    ("text", "uri code content date target", pyarrow.int32(), pyarrow.binary(), pyarrow.string(), {"data_page_version": "2.0"}),
    ("old", "url status body fetched_at location", pyarrow.int32(), pyarrow.binary(), pyarrow.timestamp("ms"), {"version": "1.0", "use_deprecated_int96_timestamps": True}),
    ("delta", "url status body fetched_at location", pyarrow.int32(), pyarrow.binary(), pyarrow.int64(), {"use_dictionary": False, "column_encoding": {"url": "DELTA_BYTE_ARRAY", "body": "DELTA_LENGTH_BYTE_ARRAY", "status": "DELTA_BINARY_PACKED"}}),
)


def write_all(folder, answers):
    """Write one file per form; yield its path and the options it needs."""
    for name, columns, status, body, time, options in FORMS:
        path = folder / f"{name}.parquet"
        url, code, content, date, target = columns.split()
        arrays = {
            url: pyarrow.array([answer.url for answer in answers], pyarrow.string()),
            code: pyarrow.array([int(answer.status[:3]) for answer in answers], status),
            content: pyarrow.array([answer.plain or answer.body for answer in answers], body),
            date: pyarrow.array([moment(answer, time) for answer in answers], time),
            target: pyarrow.array([answer.location for answer in answers], pyarrow.string()),
        }
        pyarrow.parquet.write_table(pyarrow.table(arrays), path, row_group_size=7, **options)
        names = f"url={url},status={code},body={content},fetched_at={date},location={target}"
        yield path, ["--columns", names]


def moment(answer, form):
    """The time of an answer in one of several forms."""
    time = START + timedelta(seconds=answer.second)
    if pyarrow.types.is_string(form):
        return time.isoformat()
    if pyarrow.types.is_integer(form):
        return int(time.timestamp())
    return time if form.tz else time.replace(tzinfo=None)
