"""WARC archives, written as crawlers write them: each record a gzip member."""

import gzip
from pathlib import Path


def answer(url: str, second: int, head: str = "200 OK", body: str = "") -> bytes:
    """A server's answer, in this second."""
    return _record("response", url, second, f"<urn:{url}:{second}>", f"HTTP/1.1 {head}\r\n\r\n{body}")


def redirect(url: str, second: int, location: str) -> bytes:
    return answer(url, second, f"301 Moved\r\nLocation: {location}")


def revisit(url: str, second: int, original: int) -> bytes:
    """The same answer again; `original` is the second of the first one."""
    return _record("revisit", url, second, "<urn:revisit>", "", f"WARC-Refers-To: <urn:{url}:{original}>\r\n")


def _record(kind: str, url: str, second: int, number: str, block: str, fields: str = "") -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-10T00:00:{second:02}Z\r\n"
        f"WARC-Record-ID: {number}\r\n{fields}Content-Length: {len(block.encode())}\r\n\r\n"
    )
    return f"{head}{block}\r\n\r\n".encode()


def write(path: Path, *records: bytes) -> Path:
    path.write_bytes(b"".join(gzip.compress(record) for record in records))
    return path
