"""A made-up crawl in the layout of Common Crawl: its columnar index, flat and nested, and robots.txt in WARC files."""

import gzip
import json
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

CRAWL = "CC-MAIN-2026-40"
TABLE = Path("cc-index/table/cc-main/warc")
SEGMENT = Path(f"crawl-data/{CRAWL}/segments/1790000000000.00")
SUBSETS = ("warc", "crawldiagnostics")

# The columns of the flat index, each with its type in Spark and its value for row `n`, whose host has number `h`.
FLAT = (
    ("url_surtkey", "string", "'com,site' || h || ')' || path || coalesce('?' || query, '')"),
    (
        "url",
        "string",
        "'https://www.site' || h || '.com' || coalesce(':' || port, '') || path || coalesce('?' || query, '')",
    ),
    ("url_host_name", "string", "'www.site' || h || '.com'"),
    ("url_host_tld", "string", "'com'"),
    ("url_host_2nd_last_part", "string", "'site' || h"),
    ("url_host_3rd_last_part", "string", "'www'"),
    ("url_host_4th_last_part", "string", "cast(null as varchar)"),
    ("url_host_5th_last_part", "string", "cast(null as varchar)"),
    ("url_host_registry_suffix", "string", "'com'"),
    ("url_host_registered_domain", "string", "'site' || h || '.com'"),
    ("url_host_private_suffix", "string", "'com'"),
    ("url_host_private_domain", "string", "'site' || h || '.com'"),
    ("url_host_name_reversed", "string", "'com.site' || h || '.www'"),
    ("url_protocol", "string", "'https'"),
    ("url_port", "integer", "port"),
    ("url_path", "string", "path"),
    ("url_query", "string", "query"),
    ("fetch_time", "timestamp", "cast(make_timestamp(1790000000000000 + n * 1000000) as timestamp_ms)"),
    ("fetch_status", "short", "cast(case when n % 50 = 0 then 404 else 200 end as smallint)"),
    ("fetch_redirect", "string", "cast(null as varchar)"),
    ("content_digest", "string", "upper(substr(sha1(cast(n as varchar)), 1, 32))"),
    ("content_mime_type", "string", "'text/html'"),
    ("content_mime_detected", "string", "case when n % 3 = 0 then 'application/xhtml+xml' else 'text/html' end"),
    ("content_charset", "string", "'UTF-8'"),
    ("content_languages", "string", "case when n % 4 = 0 then 'deu,eng' else 'eng' end"),
    ("content_truncated", "string", "case when n % 1000 = 0 then 'length' end"),
    ("warc_filename", "string", f"'{SEGMENT}/warc/CC-MAIN-20260921-' || printf('%05d', n % 100) || '.warc.gz'"),
    ("warc_record_offset", "integer", "cast(n * 17 % 1000000000 as integer)"),
    ("warc_record_length", "integer", "cast(1000 + n % 50000 as integer)"),
    ("warc_segment", "string", "'1790000000000.00'"),
)

# The groups of the nested index.
GROUPS = ("url", "fetch", "content", "warc")

REQUIRED = {"url_surtkey", "url", "url_host_name", "url_protocol", "url_path", "fetch_time", "fetch_status"}

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


def hosts_of(rows):
    """The number of hosts of a crawl with this many rows."""
    return max(8, rows // 50)


def rows_of(rows, first):
    """The rows of a file as a relation: hosts, paths and queries."""
    return f"""select n, n * 7919 % {hosts_of(rows)} as h,
        case when n % 5 = 0 then '/private/' || n else '/page/' || n end as path,
        case when n % 7 = 0 then 'q=' || n end as query, cast(case when n % 11 = 0 then 443 end as integer) as port
        from range({first}, {first + rows}) as numbers(n)"""


def nested_name(name):
    """The group of a flat column, the group in it if there is one, and its name there."""
    group, _, rest = name.partition("_")
    if name == "url":
        return "url", None, "url"
    return (group, "host", rest.removeprefix("host_")) if rest.startswith("host_") else (group, None, rest)


def nested_sql():
    """The columns of the nested index."""
    groups = {group: {} for group in GROUPS}
    for name, _, value in FLAT:
        group, inner, own = nested_name(name)
        place = groups[group] if inner is None else groups[group].setdefault(inner, {})
        place[own] = value

    def packed(fields):
        parts = (f'"{name}" := {packed(value) if isinstance(value, dict) else value}' for name, value in fields.items())
        return f"struct_pack({', '.join(parts)})"

    return ", ".join(f"{packed(fields)} as {group}" for group, fields in groups.items())


def spark_fields(kinds):
    """What Spark says of columns, whose files it writes with their descriptions."""
    return [
        {"name": name, "type": kind, "nullable": name not in REQUIRED, "metadata": {"description": f"about {name}"}}
        for name, kind in kinds
    ]


def spark_row(nested):
    """What Spark says of the rows of an index."""
    if not nested:
        return {"type": "struct", "fields": spark_fields((name, kind) for name, kind, _ in FLAT)}
    fields = []
    for group in GROUPS:
        of_group, of_host = [], []
        for name, kind, _ in FLAT:
            place, inner, own = nested_name(name)
            if place == group:
                (of_group if inner is None else of_host).append((own, kind))
        inner = spark_fields(of_group)
        if of_host:
            host = {"type": "struct", "fields": spark_fields(of_host)}
            at = next(i for i, (name, _) in enumerate(of_group) if name == "protocol")
            inner.insert(at, {"name": "host", "type": host, "nullable": False, "metadata": {}})
        fields.append({"name": group, "type": {"type": "struct", "fields": inner}, "nullable": True, "metadata": {}})
    return {"type": "struct", "fields": fields}


def write_index(folder, rows, nested=False):
    """Write the index of a crawl: of each subset two files, as Spark writes them."""
    columns = nested_sql() if nested else ", ".join(f"{value} as {name}" for name, _, value in FLAT)
    row = json.dumps(spark_row(nested))
    parts = [(subset, part) for subset in SUBSETS for part in range(2)]
    for number, (subset, part) in enumerate(parts):
        place = folder / TABLE / f"crawl={CRAWL}" / f"subset={subset}"
        place.mkdir(parents=True, exist_ok=True)
        table = duckdb.sql(f"select {columns} from ({rows_of(rows // len(parts), number * (rows // len(parts)))})")
        table = table.to_arrow_table().replace_schema_metadata(
            {"org.apache.spark.version": "3.5.9", "org.apache.spark.sql.parquet.row.metadata": row}
        )
        path = place / f"part-{part:05d}-made-up.c000.gz.parquet"
        pyarrow.parquet.write_table(table, path, compression="gzip", store_schema=False, row_group_size=200_000)


def host_of(number):
    """The kind of the answer for the robots.txt of a host: with rules, missing, or none in the crawl."""
    return ("rules", "rules", "missing", "none")[number % 4]


def write_robots(folder, rows):
    """Write the robots.txt of the crawl: WARC files of the subset robotstxt, each record compressed by itself."""
    place = folder / SEGMENT / "robotstxt"
    place.mkdir(parents=True, exist_ok=True)
    count = hosts_of(rows // (2 * len(SUBSETS)))
    for part in range(2):
        with open(place / f"CC-MAIN-20260921-{part:05d}.warc.gz", "wb") as archive:
            for number in range(part, count, 2):
                if host_of(number) == "none":
                    continue
                status, body = ("200 OK", ROBOTS) if host_of(number) == "rules" else ("404 Not Found", b"")
                http = (
                    f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                head = (
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-09-21T00:00:00Z\r\n"
                    f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
                    f"WARC-Target-URI: https://www.site{number}.com/robots.txt\r\n"
                    "Content-Type: application/http; msgtype=response\r\n"
                    f"Content-Length: {len(http)}\r\n\r\n"
                )
                archive.write(gzip.compress(head.encode() + http + b"\r\n\r\n", 1))


def expected(rows):
    """The verdicts on the rows of the subset warc, counted by a plain reading of the made-up sites."""
    counts = {"allowed": 0, "blocked": 0, "deferred": 0}
    of_file = rows // (2 * len(SUBSETS))
    for n in range(2 * of_file):
        kind = host_of(n * 7919 % hosts_of(of_file))
        verdict = "deferred" if kind == "none" else "blocked" if kind == "rules" and n % 5 == 0 else "allowed"
        counts[verdict] += 1
    return counts
