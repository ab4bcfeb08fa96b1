"""Matchers: the files that describe them, and the commands that run them. docs/compare.md explains all keys."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

KEYS = {
    "name",
    "title",
    "language",
    "install",
    "protocol",
    "command",
    "calls",
    "prepare",
    "env",
    "known",
    "version_command",
    "tables",
    "dialect",
    "takes",
    "expected",
}
#: The dialects that have a reference, and what a matcher takes.
DIALECTS, TAKES = ("rfc9309", "google"), ("url", "path")
EXPECTED_KEYS = {"list", "agent", "allowed", "blocked", "digest", "wrong"}
TABLES = ("rightness", "speed")
INSTALL_KEYS = {"registry", "package", "version", "manifest", "targets", "alone", "variable", "requires"}
REGISTRIES = ("cargo", "pypi", "npm", "given", "none")
PROTOCOLS = ("files", "lines")
#: What commands may refer to in braces.
PLACES = {
    "agent",
    "robots",
    "list",
    "allowed",
    "blocked",
    "out",
    "threads",
    "here",
    "root",
    "bin",
    "python",
    "kept",
    "given",
}
BRACES = re.compile(r"\{(\w+)\}")


class Unusable(Exception):
    """A description that cannot be used; the message says why."""


@dataclass
class Matcher:
    """A program that judges lists, as described in a file."""

    name: str
    title: str
    path: Path
    install: dict
    protocol: str
    command: list
    language: str = ""
    calls: list = field(default_factory=list)
    prepare: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    known: list = field(default_factory=list)
    version_command: list = field(default_factory=list)
    tables: list = field(default_factory=lambda: list(TABLES))  # those in which it takes part
    dialect: str = "rfc9309"  # that it claims
    takes: str = "url"  # or the path, which its caller makes of the URL
    expected: dict = field(default_factory=dict)  # its partitions, by the checksum of the list
    places: dict = field(default_factory=dict)  # where it was installed
    version: str = ""

    @property
    def folder(self):
        """The folder of its description."""
        return self.path.parent

    def words(self, template, **places):
        """A command with its places filled in."""
        known = self.places | {"here": self.folder} | places
        return [BRACES.sub(lambda found: str(known[found[1]]), word) for word in template]

    def environment(self):
        """Its own environment variables."""
        return {key: self.words([value])[0] for key, value in self.env.items()}

    def threads(self):
        """The numbers of threads that it can be measured with."""
        return (1, 2) if any("{threads}" in word for word in self.command) else (1,)


def check_keys(path, table, known, what):
    """Refuse keys that mean nothing, which are misspelt ones."""
    unknown = set(table) - known
    if unknown:
        raise Unusable(f"{path}: unknown key {sorted(unknown)[0]} {what}; known are {', '.join(sorted(known))}")


def check_words(path, key, words):
    """Refuse a command that is no list of words, or that names a place that does not exist."""
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise Unusable(f"{path}: {key} must be a list of words")
    for word in words:
        for place in BRACES.findall(word):
            if place not in PLACES:
                raise Unusable(f"{path}: {key} has {{{place}}}; known are {', '.join(sorted(PLACES))}")


def load(path):
    """Read and check a description."""
    path = Path(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Unusable(f"{path}: {error}") from error
    check_keys(path, table, KEYS, "")
    for key in ("name", "command", "protocol"):
        if key not in table:
            raise Unusable(f"{path}: {key} is missing")
    if table["protocol"] not in PROTOCOLS:
        raise Unusable(f"{path}: protocol must be one of {', '.join(PROTOCOLS)}")
    install = table.get("install", {"registry": "none"})
    check_keys(path, install, INSTALL_KEYS, "in [install]")
    if install.get("registry") not in REGISTRIES:
        raise Unusable(f"{path}: registry must be one of {', '.join(REGISTRIES)}")
    if install["registry"] in ("cargo", "pypi", "npm") and not {"package", "version"} <= set(install):
        raise Unusable(f"{path}: [install] needs a package and its version")
    for key, values in (("dialect", DIALECTS), ("takes", TAKES)):
        if table.get(key, values[0]) not in values:
            raise Unusable(f"{path}: {key} must be one of {', '.join(values)}")
    for checksum, entry in table.get("expected", {}).items():
        check_keys(path, entry, EXPECTED_KEYS, f"in [expected.{checksum}]")
        missing = EXPECTED_KEYS - {"wrong"} - set(entry)
        if missing:
            raise Unusable(f"{path}: [expected.{checksum}] has no {sorted(missing)[0]}; --accept writes it again")
    if not set(table.get("tables", TABLES)) <= set(TABLES):
        raise Unusable(f"{path}: tables must be among {', '.join(TABLES)}")
    for key in ("command", "calls", "prepare", "version_command"):
        if key in table:
            check_words(path, key, table[key])
    if table["protocol"] == "files" and not any("{allowed}" in word or "{out}" in word for word in table["command"]):
        raise Unusable(
            f"{path}: with the protocol files, the command must be given {{allowed}} and {{blocked}}, or {{out}}"
        )
    fields = {"title": table["name"]} | table | {"install": install, "path": path.resolve()}
    return Matcher(**fields)


def choose(root, added, only):
    """The matchers of the repository and those added, in order of names, robosieve first; `only` selects by name."""
    found = {}
    for path in [*sorted((root / "benches" / "matchers").glob("*.toml")), *added]:
        matcher = load(path)
        if matcher.name in found:
            raise Unusable(f"{path}: there is another matcher with the name {matcher.name}")
        found[matcher.name] = matcher
    unknown = sorted(set(only) - set(found))
    if unknown:
        raise Unusable(f"no matcher has the name {unknown[0]}; there are {', '.join(found)}")
    chosen = [matcher for name, matcher in found.items() if not only or name in only]
    return sorted(chosen, key=lambda matcher: (not matcher.name.startswith("robosieve"), matcher.name))
