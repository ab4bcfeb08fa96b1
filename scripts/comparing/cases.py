"""The public cases in datasets/cases, and folders of robots.txt files made of them."""

import base64
import hashlib
import json
import shutil
from dataclasses import dataclass

#: What a case rests on: a requirement of RFC 9309, a statement of it without such a word, RFC 3986, or nothing.
LEVELS = ("MUST", "SHOULD", "MAY", "stated", "RFC 3986", "silence")


class Damaged(Exception):
    """Files of cases that are not as their checksums say."""


@dataclass(frozen=True)
class Case:
    """One question, and its answer."""

    id: str
    topic: str
    kind: str
    agent: str
    url: bytes
    host: str
    robots: bytes
    expect: str
    level: str  # what the case rests on, one of LEVELS
    open: str  # the other reading, if one can be defended
    caller: bool  # about the way from a URL to a path
    where: str  # the file and the line, for links
    source: str  # document, section and sentence


def bytes_of(record):
    """The bytes of a record's robots.txt."""
    if "robots_b64" in record:
        return base64.b64decode(record["robots_b64"])
    if "robots_parts" in record:
        return "".join(text * times for text, times in record["robots_parts"]).encode()
    return record["robots"].encode()


def host_of(url):
    """The host of a case's URL, as a file is named: in lower case, without user information and port."""
    authority = url.split("://", 1)[1].replace("?", "/").replace("#", "/").split("/")[0]
    return authority.rpartition("@")[2].partition(":")[0].lower()


def read_file(path):
    """The cases of one file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        record = json.loads(line)
        source = f"{record['text']}, {record['section']}: {record['sentence']}"
        found.append(
            Case(
                record["id"],
                record["topic"],
                record["kind"],
                record["agent"],
                record["url"].encode(),
                host_of(record["url"]),
                bytes_of(record),
                record["expect"],
                record["level"],
                record.get("open", ""),
                record.get("caller", False),
                f"{path.name}#L{number}",
                source,
            )
        )
    return found


def checksum(folder):
    """A checksum of all cases."""
    return hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest()[:16]


def read(folder):
    """All cases, by file, after comparing the files with their checksums."""
    found = []
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        expected, name = line.split("  ")
        path = folder / name
        if hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            raise Damaged(f"{path} is not what its checksum in SHA256SUMS says; datasets/cases/make makes it again")
        found += read_file(path)
    return found


def lay_out(cases, folder):
    """Write the robots.txt files and the list of some cases; return both places."""
    shutil.rmtree(folder, ignore_errors=True)
    robots, listed = folder / "robots", folder / "list.txt"
    robots.mkdir(parents=True)
    for host, text in {case.host: case.robots for case in cases}.items():
        (robots / host).write_bytes(text)
    listed.write_bytes(b"".join(case.url + b"\n" for case in cases))
    return robots, listed
