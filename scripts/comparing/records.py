"""Measurements as data: one JSON object a line, of which tables and plots are made.

The first line of a file is the `settings` of the run. A file without the line `finished` is continued by a run with the
same settings: what it holds is not measured again.
"""

import csv
import hashlib
import io
import json
import os
from datetime import UTC, datetime

from comparing import note

#: What tells one measurement from another.
KEY = ("table", "program", "kind", "title", "threads", "list", "short", "round")


def digest_of(value):
    """A digest of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


class Unreadable(Exception):
    """A file that has no records; the message says why."""


def read(path):
    """All records of a file; a line that was cut off is the end of it."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError as error:
            if found:
                break
            raise Unreadable(f"{path}, line {number}: no record: {error}") from error
    if not found or found[0].get("record") != "settings":
        raise Unreadable(f"{path}: its first line is not the record of the settings")
    return found


class Records:
    """The records of one run, in memory, and in a file if it has one."""

    def __init__(self, path=None, settings=None, facts=None, fresh=True):
        self.path, self.all, self.index = path, [], {}
        settings = settings or {}
        key = digest_of(settings)
        if path is not None and path.exists() and not fresh:
            self.continued(key)
        if not self.all:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
            self.add({"record": "settings", "key": key, "settings": settings, "facts": facts or {}})
        self.index = {self.key_of(record): record for record in self.all}

    def continued(self, key):
        """Take what an earlier run with the same settings has left, unless it had ended."""
        try:
            found = read(self.path)
        except (OSError, Unreadable):
            return
        if found[0]["key"] != key or any(record["record"] == "finished" for record in found):
            return
        self.all = found
        # Written again, as its last line may have been cut off.
        self.path.write_text(as_lines(found))
        note(f"continued: {len(found) - 1} measurements are kept in {self.path}")

    @staticmethod
    def key_of(record):
        """What tells this record from others."""
        return (record["record"], *(record.get(name) for name in KEY))

    def find(self, record):
        """The measurement that has been made already, or None."""
        return self.index.get(self.key_of(record))

    def add(self, record):
        """Keep a record: it is on the disk when this returns."""
        record = record | {"time": datetime.now(UTC).isoformat(timespec="seconds")}
        self.all.append(record)
        self.index[self.key_of(record)] = record
        if self.path is not None:
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(as_lines([record]))
                out.flush()
                os.fsync(out.fileno())
        return record

    def measured(self, what, measure):
        """The record of one measurement: an earlier one, or what `measure` returns, which is kept."""
        return self.find(what) or self.add(what | measure())


def of_table(records, table):
    """The measurements of one table."""
    return [record for record in records if record["record"] == "measurement" and record["table"] == table]


def as_lines(records):
    """The records as they are kept, for a folder of results."""
    return "".join(json.dumps(record) + "\n" for record in records)


def as_csv(records):
    """The measurements as CSV, a column for each name."""
    rows = [record for record in records if record["record"] == "measurement"]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        nested = {name: json.dumps(value) for name, value in row.items() if isinstance(value, dict | list)}
        writer.writerow(row | nested)
    return out.getvalue()
