"""The type of receipts, as docs/receipt.md describes them.

Keys that may be absent are in a class of their own, because Python 3.10 has no other way to tell.
"""

from typing import Literal, TypedDict

_Fallback = Literal["allow", "block", "defer", "use"]


class _Sums(TypedDict, total=False):
    sum: str
    order: str


class Part(_Sums):
    """Lines and bytes of a part, with their checksums if anything was written."""

    lines: int
    bytes: int


class _FileHead(TypedDict, total=False):
    head_bytes: int


class FilePart(Part, _FileHead):
    """A file of lines."""

    name: str
    file_bytes: int


class _Written(TypedDict, total=False):
    written: Part
    files: list[FilePart]


class PartitionPart(Part, _Written):
    """The lines of a partition, by their reasons, and the files that they were written to."""

    reasons: dict[str, int]


class VerdictsPart(Part):
    """All lines with their verdicts."""

    files: list[FilePart]


class SeenPart(TypedDict):
    """A file of seen URLs."""

    path: str
    urls: int
    checksum: str


class FileState(TypedDict):
    """The length of a list's file, and when it was modified."""

    length: int
    modified: str | None


class ListRange(TypedDict):
    """The bytes of a list that a shard read."""

    start: int
    end: int


class RowRange(TypedDict):
    """Rows of a table."""

    first: int
    count: int


class _SkippedPlace(TypedDict, total=False):
    at: int
    bytes: int
    rows: RowRange


class SkippedPart(_SkippedPlace):
    """A part of a list that could not be read."""

    problem: str


class TabbedLines(TypedDict):
    """How many lines of a list are invalid because of a tab, and the number of the first."""

    lines: int
    first: int


class DroppedKey(TypedDict):
    """A key of a table's metadata that the files of its rows do not have, and why."""

    key: str
    problem: str


class _LeftOut(TypedDict, total=False):
    duplicates: Part
    seen: Part
    unchanged: Part


class _ListState(_LeftOut, total=False):
    path_base64: str
    file: FileState
    range: ListRange
    compression: str
    head: Part
    skipped: list[SkippedPart]
    tabbed: TabbedLines
    dropped_metadata: list[DroppedKey]


class ListPart(Part, _ListState):
    """A list, and where its lines went."""

    path: str
    format: Literal["lines", "delimited", "cdxj", "json-lines", "parquet"]
    partitions: dict[str, Part]


class _UrlColumn(TypedDict, total=False):
    delimiter: str
    column: int | str


class UrlField(_UrlColumn):
    """Where in a line the URL is."""

    header: bool


class _OptionsGiven(TypedDict, total=False):
    statuses: dict[str, Literal["allow", "block", "defer"]]
    www_fallback: Literal[True]
    preferences: str
    content_signal: Literal["everybody"]
    require: str
    keys: str
    against: str
    only_changed: bool
    allowed_if: Literal["any", "all"]
    format: Literal["parquet"]
    explain: Literal[True]
    columns: list[str]
    path_columns: Literal["columns", "folders", "ignored"]
    compress: Literal["gzip", "zstd"]
    split_size: int
    unique: Literal["fetched", "bytes", "surt"]
    seen: str
    shard: str


class Options(_OptionsGiven):
    """The options of a run."""

    on_unfetched: _Fallback
    on_unreachable: _Fallback
    unreachable_as_unavailable: int | None
    on_html: _Fallback
    on_stale: _Fallback
    max_age: dict[str, int] | str | None
    now: str
    url_field: UrlField
    form: Literal["partitions", "verdicts", "blocked-for"]
    threads: int
    chunk_size: int
    per_input: bool


class CaptureCounts(TypedDict):
    """What became of the answers that were read, if the policy was made by the run."""

    read: int
    older: int
    same_time: int
    not_robots_txt: int
    unnamed_files: int
    empty_files: int
    damaged_files: int
    not_text: int
    damaged_bodies: int
    undecodable_bodies: int
    bad: int
    cut_sources: int
    without_time: int


class WarcCounts(TypedDict):
    """What became of the records that were read, likewise."""

    records: int
    other_pages: int
    revisits: int
    unresolved_revisits: int
    truncated: int
    incomplete: int
    not_http: int
    undecodable: int
    bad_records: int


class _PolicyMade(TypedDict, total=False):
    captures: CaptureCounts
    warc: WarcCounts


class PolicyStatistics(_PolicyMade):
    """How the policy was made."""

    origins: int
    overridden: int
    last_good: int
    other_urls: int
    answers: dict[str, int]
    automata: int
    constant: int
    dfa: int
    cursors: int
    automata_bytes: int
    notes: dict[str, int]


class Sample(TypedDict):
    """The progress of a run at one point in time."""

    seconds: float
    lines: int
    bytes: int


class _ReceiptGiven(_LeftOut, total=False):
    seen_file: SeenPart
    changes: dict[str, int]
    verdicts: VerdictsPart
    balanced: bool
    skipped: int
    www_fallbacks: int
    origins_needed: int
    robots_needed: FilePart
    shards: list[str]


class Receipt(_ReceiptGiven):
    """The receipt of a run: how many lines went in, where they went and why."""

    robosieve: str
    version: Literal[1]
    line_hash: str
    options: Options
    agents: list[str]
    dialect: str
    input: Part
    partitions: dict[str, PartitionPart]
    lists: list[ListPart]
    added_line_feeds: int
    urls_with_tabs: int
    dot_segments: int
    rewritten_paths: int
    normalised_paths: int
    policy_checksum: str
    policy: PolicyStatistics
    seconds: float
    urls_per_second: float
    speed: list[Sample]
