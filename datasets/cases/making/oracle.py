"""A naive reading of RFC 9309, against which every case is checked before it is written.

It tries every rule on every URL, and shares nothing with any matcher. Where the RFC leaves open what "the most octets"
counts, it answers for each reading, so that a case that depends on one can be refused.
"""

from functools import lru_cache
from urllib.parse import urlsplit

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED = frozenset(b":/?#[]@!$&'()*+,;=")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEX = frozenset(b"0123456789ABCDEFabcdef")


def lines_of(robots):
    """The lines of a file: CR, LF and CRLF each end one (2.2, NL)."""
    text = robots.removeprefix(BYTE_ORDER_MARK)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def groups_of(robots):
    """All groups in file order, as (tokens, rules); rules before the first group are ignored (2.2.2)."""
    groups, in_agents = [], False
    for line in lines_of(robots):
        key, colon, value = line.split(b"#")[0].partition(b":")
        key, value = key.strip(b" \t").lower(), value.strip(b" \t")
        if not colon:
            continue
        if key == b"user-agent":
            if not in_agents:
                groups.append(([], []))
            groups[-1][0].append(value.lower())
            in_agents = True
        elif key in (b"allow", b"disallow") and groups:
            groups[-1][1].append((key == b"allow", value))
            in_agents = False
    return groups


@lru_cache(maxsize=1 << 12)
def rules_for(robots, agent):
    """The rules of all groups that name the product token, else those of `*` (2.2.1)."""
    groups, token = groups_of(robots), agent.encode().lower()
    own = [rules for tokens, rules in groups if token in tokens]
    chosen = own or [rules for tokens, rules in groups if b"*" in tokens]
    return [rule for rules in chosen for rule in rules if rule[1][:1] in (b"/", b"*")]


def pieces_of(text):
    """The bytes of a path in the form to compare (2.2.2); a byte that stays escaped is a piece of three."""
    pieces, at = [], 0
    while at < len(text):
        escaped = text[at : at + 1] == b"%" and len(text) > at + 2 and set(text[at + 1 : at + 3]) <= HEX
        byte = int(text[at + 1 : at + 3], 16) if escaped else text[at]
        at += 3 if escaped else 1
        as_it_is = byte in UNRESERVED or byte in b"*$" or (byte in RESERVED and not escaped)
        pieces.append(bytes([byte]) if as_it_is else b"%%%02X" % byte)
    return pieces


@lru_cache(maxsize=1 << 16)
def pattern_of(value):
    """A rule's path as a list of pieces, where None is `*`, and whether `$` ends it (2.2.3)."""
    anchored = value.endswith(b"$")
    pieces = []
    for number, part in enumerate(value[: len(value) - anchored].split(b"*")):
        pieces += ([None] if number else []) + pieces_of(part)
    return pieces, anchored


def ends_of(pattern, path):
    """All places in `path` where a match of the pattern can end."""
    reached = {0}
    for piece in pattern:
        if piece is None:
            reached = set(range(min(reached), len(path) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(path) and path[at] == piece}
    return reached


def without_dots(path):
    """A path without the segments `.` and `..` (RFC 3986, 5.2.4)."""
    kept = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments):
        plain = segment.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
        if plain in (".", "..") and number == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def target_of(url):
    """What a client asks for: path and query, without dot segments and fragment."""
    parts = urlsplit(url.partition("#")[0])
    query = "?" in url.partition("#")[0]
    asked = without_dots(parts.path or "/") + ("?" + parts.query if query else "")
    return asked.encode("utf-8", "surrogateescape")


def byte_counts(pattern, anchored, ends, path):
    """How long a match is, by each reading: of the rule, and of the shortest and longest part of the path it matches."""
    rule = anchored + sum(1 if piece is None else len(piece) for piece in pattern)
    lengths = [sum(map(len, path[:end])) for end in (min(ends), max(ends))]
    return [rule, *lengths]


def verdicts(robots, agent, url):
    """Whether the agent may fetch the URL, by each reading of "the most octets" (2.2.2)."""
    path = pieces_of(target_of(url))
    if path == pieces_of(b"/robots.txt"):
        return [True]
    best = {True: [0, 0, 0], False: [0, 0, 0]}
    for allow, value in rules_for(robots, agent):
        pattern, anchored = pattern_of(value)
        ends = ends_of(pattern, path)
        if anchored:
            ends &= {len(path)}
        if ends:
            best[allow] = list(map(max, best[allow], byte_counts(pattern, anchored, ends, path)))
    return [allow >= disallow for allow, disallow in zip(best[True], best[False], strict=True)]
