from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, TypedDict, TypeVar, final, overload

import pandas
import polars
import pyarrow

from robosieve._filter import Progress, SupportsWrite
from robosieve._live import LiveStatistics, Needed, OriginReport, Put
from robosieve._origin import Origin
from robosieve._receipt import Receipt
from robosieve._types import Several, StrPath

__all__ = [
    "DIALECTS",
    "PREFERENCES",
    "URL_PARTS",
    "AgentError",
    "Answer",
    "Choices",
    "Error",
    "LivePolicy",
    "Policy",
    "PolicyError",
    "RobotsTxt",
    "RunError",
    "SourceError",
    "Stream",
    "UrlsError",
    "Verdicts",
    "__version__",
    "answer_columns",
    "compile",
    "compile_pages",
    "compile_part",
    "diff",
    "export",
    "filter",
    "inspect",
    "join",
    "keys",
    "line_sum",
    "lint",
    "main",
    "matched",
    "merge",
    "product_token",
    "unique",
    "verify",
]

_Item_co = TypeVar("_Item_co", covariant=True)
_Fallback = Literal["allow", "block", "defer", "use"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...

# A Dataset or a Scanner of pyarrow.
class _Scanned(Protocol):
    def count_rows(self, *args: Any, **options: Any) -> int: ...
    def to_batches(self, *args: Any, **options: Any) -> Iterable[pyarrow.RecordBatch]: ...

# A Dataset of Hugging Face.
class _Rows(Protocol):
    @property
    def column_names(self) -> list[str]: ...
    def with_format(self, *args: Any, **options: Any) -> Any: ...

# A list or a tuple: no set, which has no order, no dict, and no single str or bytes, which only know whether they have
# others.
class _Sequence(Protocol[_Item_co]):
    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> _Item_co: ...
    def __iter__(self) -> Iterator[_Item_co]: ...
    def __contains__(self, item: object, /) -> bool: ...

# No class of a library that may not be there: to a checker it would be anything, and so would be all arguments. Columns
# of pandas have items, and its frames are streams of Arrow.
# Of a mapping, columns that have no URLs may be of any type.
_Url = str | bytes | None
_Urls = _ArrowArray | _ArrowStream | _Sequence[_Url] | Iterator[_Url] | Mapping[str, object] | _Rows

_Time = float | datetime | str
_Text = str | bytes
_HeaderValue = _Text | Sequence[_Text] | None

# A mapping of headers, as HTTP clients have them.
class _HeaderItems(Protocol):
    def items(self) -> Iterable[tuple[_Text, _HeaderValue]]: ...

_Headers = Mapping[str, _HeaderValue] | _HeaderItems | Iterable[Sequence[Any]]

class _Explanation(TypedDict):
    allowed: bool
    rule: str | None
    line: int | None
    agent: str | None

class _LiveExplanation(TypedDict):
    verdict: Literal["allowed", "blocked", "deferred", "invalid"]
    reason: str
    rule: str | None
    line: int | None
    agent: str | None
    captured: int | None
    status: int | None

class _Line(TypedDict):
    line: int
    text: str

class _FindingWithAll(TypedDict):
    kind: str
    severity: Literal["error", "warning", "note"]
    line: int
    text: str
    reason: str
    document: str
    section: str
    borrowed: bool

class _Finding(_FindingWithAll, total=False):
    proposal: str
    related: _Line

class _Report(TypedDict):
    findings: list[_Finding]
    left_off: int
    not_searched: int
    undecided: int

class _Checked(TypedDict):
    path: str
    role: Literal["output", "list", "extra"]
    lines: int | None
    bytes: int | None
    problem: str | None
    skipped: int

class _Verification(TypedDict):
    proven: bool
    files: list[_Checked]
    contradictions: list[str]

__version__: str
DIALECTS: list[str]
URL_PARTS: list[str]
PREFERENCES: list[str]

class Error(Exception): ...
class AgentError(Error): ...
class PolicyError(Error): ...
class RunError(Error): ...
class SourceError(Error): ...
class UrlsError(Error): ...

@final
class Answer:
    def __new__(
        cls,
        url: str,
        status: int | None,
        body: str | bytes | None = None,
        fetched_at: _Time | None = None,
        location: str | None = None,
        *,
        expires: _Time | None = None,
        unreachable_since: _Time | None = None,
        headers: _Headers | None = None,
    ) -> Answer: ...
    @property
    def url(self) -> str: ...
    @property
    def status(self) -> int | None: ...
    @property
    def body(self) -> bytes | None: ...
    @property
    def fetched_at(self) -> int | None: ...
    @property
    def location(self) -> str | None: ...
    @property
    def expires(self) -> int | None: ...
    @property
    def unreachable_since(self) -> int | None: ...
    @property
    def headers(self) -> list[tuple[str, str]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[..., Answer], tuple[Any, ...]]: ...

_Sources = Several[StrPath | Answer] | Mapping[str, str | bytes] | _ArrowArray | _ArrowStream

@final
class Choices:
    def __new__(
        cls,
        *,
        on_unfetched: Literal["allow", "block", "defer"] = "defer",
        on_unreachable: _Fallback = "defer",
        on_html: _Fallback = "use",
        on_stale: _Fallback | None = None,
        max_age: int | timedelta | str | None = None,
        unreachable_as_unavailable: int | timedelta | str | None = None,
        statuses: Mapping[int | str, Literal["allow", "block", "defer"]] | StrPath | None = None,
        www_fallback: bool = False,
        require: str | None = None,
        content_signal: Literal["group", "everybody"] = "group",
        now: _Time | None = None,
    ) -> Choices: ...
    @property
    def on_unfetched(self) -> Literal["allow", "block", "defer"]: ...
    @property
    def on_unreachable(self) -> _Fallback: ...
    @property
    def on_html(self) -> _Fallback: ...
    @property
    def on_stale(self) -> _Fallback: ...
    @property
    def max_age(self) -> int | Literal["dialect"] | None: ...
    @property
    def unreachable_as_unavailable(self) -> int | None: ...
    @property
    def statuses(self) -> dict[str, Literal["allow", "block", "defer"]]: ...
    @property
    def www_fallback(self) -> bool: ...
    @property
    def require(self) -> str | None: ...
    @property
    def content_signal(self) -> Literal["group", "everybody"]: ...
    @property
    def now(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[..., Choices], tuple[Any, ...]]: ...

@final
class Policy:
    def __new__(cls, path: StrPath | Several[StrPath | Policy], overrides: StrPath | None = None) -> Policy: ...
    @classmethod
    def from_bytes(cls, bytes: bytes) -> Policy: ...
    def to_bytes(self) -> bytes: ...
    @property
    def agents(self) -> list[str]: ...
    @property
    def dialect(self) -> str: ...
    @property
    def origins(self) -> int: ...
    @property
    def checksum(self) -> str: ...
    @overload
    def judge(
        self,
        urls: _Scanned,
        agent: str | None = None,
        *,
        agents: Several[str] | None = None,
        column: str | None = None,
        columns: Several[str] | None = None,
        explain: bool = False,
        dictionary: bool = False,
        choices: Choices | None = None,
        threads: int = 0,
    ) -> Stream: ...
    @overload
    def judge(
        self,
        urls: _Urls,
        agent: str | None = None,
        *,
        agents: Several[str] | None = None,
        column: str | None = None,
        columns: Several[str] | None = None,
        explain: bool = False,
        dictionary: bool = False,
        choices: Choices | None = None,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
    ) -> Verdicts: ...
    def allowed(self, url: str | bytes, agent: str | None = None, *, choices: Choices | None = None) -> bool: ...
    def origin(self, url: str | bytes, agent: str | None = None) -> Origin | None: ...
    @classmethod
    def _reopened(
        cls, path: StrPath | Sequence[StrPath | Policy], overrides: StrPath | None, checksum: str
    ) -> Policy: ...
    def __reduce__(self) -> tuple[Callable[..., Policy], tuple[Any, ...]]: ...

@final
class LivePolicy:
    def __new__(
        cls,
        agents: Several[str],
        *,
        dialect: str = "rfc9309",
        over: Policy | None = None,
        memory: int | None = None,
    ) -> LivePolicy: ...
    @property
    def agents(self) -> list[str]: ...
    @property
    def dialect(self) -> str: ...
    def put(self, answer: Answer | Mapping[str, Any]) -> Put: ...
    def put_overrides(self, path: StrPath) -> None: ...
    def judge(
        self,
        urls: str | bytes | _Urls,
        agent: str | None = None,
        *,
        agents: Several[str] | None = None,
        column: str | None = None,
        columns: Several[str] | None = None,
        explain: bool = False,
        dictionary: bool = False,
        choices: Choices | None = None,
    ) -> Verdicts: ...
    def allowed(self, url: str | bytes, agent: str | None = None, *, choices: Choices | None = None) -> bool: ...
    def explain(
        self, url: str | bytes, agent: str | None = None, *, choices: Choices | None = None
    ) -> _LiveExplanation: ...
    def state(self, url: str | bytes) -> OriginReport | None: ...
    def needed(self, now: _Time | None = None, n: int = 100) -> list[Needed]: ...
    def _next_fetch(self, url: str | bytes) -> tuple[str, int | None] | None: ...
    def write(self, path: StrPath) -> Policy: ...
    def rebase(self, policy: Policy) -> None: ...
    def statistics(self) -> LiveStatistics: ...

@final
class Verdicts:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...
    def __getitem__(self, column: str, /) -> list[Any]: ...
    def __contains__(self, column: str, /) -> bool: ...
    def __iter__(self) -> NoReturn: ...
    @property
    def columns(self) -> list[str]: ...
    def to_pyarrow(self) -> pyarrow.Table: ...
    def to_polars(self) -> polars.DataFrame: ...
    def to_pandas(self, **options: Any) -> pandas.DataFrame: ...

@final
class Stream:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __iter__(self) -> Iterator[pyarrow.RecordBatch]: ...
    @property
    def columns(self) -> list[str]: ...
    def reader(self) -> pyarrow.RecordBatchReader: ...
    def to_pyarrow(self) -> pyarrow.Table: ...
    def to_polars(self) -> polars.DataFrame: ...
    def to_pandas(self, **options: Any) -> pandas.DataFrame: ...

@final
class RobotsTxt:
    def __new__(
        cls, body: str | bytes, agent: str = "*", *, dialect: str = "rfc9309", verbatim: bool = False
    ) -> RobotsTxt: ...
    def allowed(self, url: str | bytes) -> bool: ...
    def explain(self, url: str | bytes) -> _Explanation: ...
    @property
    def flaw(self) -> Literal["incomplete", "not-text"] | None: ...
    @property
    def crawl_delay(self) -> float | None: ...
    @property
    def sitemaps(self) -> list[str]: ...
    def records(self, key: str) -> list[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[..., RobotsTxt], tuple[Any, ...]]: ...

def compile(
    sources: _Sources,
    agents: Several[str],
    out: StrPath | None = None,
    *,
    dialect: str = "rfc9309",
    overrides: StrPath | None = None,
    origin: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    fetched_at: _Time | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Policy: ...
def answer_columns(names: Several[str], columns: Mapping[str, str | None] | None) -> list[tuple[str, int]]: ...
def compile_pages(
    archives: Several[StrPath],
    pages: Set[int],
    agents: Several[str],
    out: StrPath,
    *,
    dialect: str,
    fetched_at: _Time | None,
    memory: int,
) -> set[int]: ...
def compile_part(
    sources: Several[StrPath],
    agents: Several[str],
    out: StrPath,
    *,
    dialect: str,
    columns: Mapping[str, str | None] | None,
    fetched_at: _Time | None,
    memory: int,
) -> tuple[set[int], list[Path], int]: ...
def merge(policies: Several[StrPath], out: StrPath, *, overrides: StrPath | None = None) -> Policy: ...
@overload
def inspect(
    policy: Policy,
    origin: None = None,
    *,
    agent: str | None = None,
    now: _Time | None = None,
    top: int | None = None,
) -> dict[str, Any]: ...
@overload
def inspect(
    policy: Policy,
    origin: str | bytes,
    *,
    agent: str | None = None,
    now: _Time | None = None,
    top: None = None,
    choices: Choices | None = None,
) -> dict[str, Any] | None: ...
def export(
    policy: Policy,
    what: Literal["delays", "sitemaps", "agents", "status", "access", "access-summary", "preferences"],
    *,
    agent: str | None = None,
    choices: Choices | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Stream: ...
def diff(
    before: Policy,
    after: Policy,
    agents: Several[str] | None = None,
    *,
    only: Several[str] | None = None,
    paths: int = 3,
    summary: bool = False,
    choices: Choices | None = None,
) -> Stream: ...
def lint(body: str | bytes, *, dialect: str = "rfc9309") -> _Report: ...
def verify(directory: StrPath, *, inputs: bool = False, threads: int = 0) -> _Verification: ...
def join(shards: Several[StrPath], out: StrPath, *, concat: bool = False, force: bool = False) -> Receipt: ...
def filter(
    policy: Policy,
    lists: Several[StrPath],
    out: StrPath | None,
    agents: Several[str] | None,
    *,
    files_from: StrPath | None,
    overrides: StrPath | None,
    only: list[str] | None,
    file: SupportsWrite | None,
    shard: str | None,
    column: str | None,
    delimiter: str | None,
    header: bool,
    format: str,
    compress: str | None,
    split_size: int | None,
    explain: bool,
    verdicts: bool,
    preferences: str | None,
    blocked_for: bool,
    allowed_if: str | None,
    against: Policy | None,
    only_changed: bool,
    per_input: bool,
    path_columns: str,
    unique: str | None,
    seen: StrPath | None,
    keys: StrPath | None,
    force: bool,
    resume: bool,
    skip_bad: bool,
    threads: int,
    memory: int | None,
    choices: Choices | None,
    progress: Callable[[Progress], object] | None,
) -> str: ...
def unique(
    urls: _Urls | _Scanned,
    *,
    unique: str = "fetched",
    seen: StrPath | None = None,
    column: str | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Verdicts: ...
def keys(
    lists: list[str],
    out: StrPath,
    *,
    unique: str,
    shard: str | None,
    column: str | None,
    delimiter: str | None,
    header: bool,
    skip_bad: bool,
    threads: int,
    memory: int | None,
) -> tuple[int, str]: ...
def line_sum(lines: _Urls | _Scanned, *, column: str | None = None) -> int: ...
def product_token(user_agent: str) -> str: ...
def main() -> int: ...
def matched(paths: Sequence[StrPath]) -> list[Path]: ...
