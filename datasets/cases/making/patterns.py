"""Topics: `*` and `$` (RFC 9309, 2.2.3), and percent-encoding (2.2.2)."""

from .kind import BOT, group, kind

STAR = "* Designates 0 or more instances of any character."
END = "$ Designates the end of the match pattern."
VERBATIM = 'If crawlers match special characters verbatim in the URI, crawlers SHOULD use "%" encoding.'
ENCODE = (
    "Octets in the URI and robots.txt paths outside the range of the ASCII coded character set [...] "
    "MUST be percent-encoded as defined "
    "by [RFC3986] prior to comparison."
)
DECODE = (
    "If a percent-encoded ASCII octet is encountered in the URI, it MUST be unencoded prior to "
    "comparison, unless it is a reserved "
    "character in the URI as defined by [RFC3986] or the character is outside the unreserved character range."
)
HEX = 'the hexadecimal digits within a percent-encoding triplet (e.g., "%3a" versus "%3A") are case-insensitive'


@kind("star", "2.2.3", STAR, "a star between two parts of the path", times=10)
def star_in_the_middle(words):
    one, two = words.several(2)
    robots = group("*", f"-/{one}*{two}")
    for path, allowed in (
        (f"/{one}{two}", False),
        (f"/{one}/{two}", False),
        (f"/{one}/x/y/{two}/z", False),
        (f"/{one}?a=/{two}", False),
        (f"/{one}", True),
        (f"/x/{one}/{two}", True),
        (f"/{two}/{one}", True),
    ):
        yield robots, BOT, path, allowed


@kind("star", "2.2.3", STAR, "a star right after the first slash", times=8)
def star_after_the_slash(words):
    one = words.word()
    robots = group("*", f"-/*{one}")
    for path, allowed in ((f"/{one}", False), (f"/a/b/{one}", False), (f"/a?b={one}", False), ("/a", True)):
        yield robots, BOT, path, allowed


@kind("star", "5.1", "disallow: *.gif$", "a rule that begins with a star, as in the RFC's own example", times=6)
def star_first(words):
    one = words.word()
    for end in (one, "gif", "php"):
        robots = group("*", f"-*.{end}$")
        yield robots, BOT, f"/{one}/x.{end}", False
        yield robots, BOT, f"/.{end}", False
        yield robots, BOT, f"/x.{end}?a", True


@kind("star", "2.2.3", STAR, "a star at the end changes nothing", times=8)
def star_last(words):
    one = words.word()
    for stars in ("*", "**", "***"):
        robots = group("*", f"-/{one}{stars}")
        yield robots, BOT, f"/{one}", False
        yield robots, BOT, f"/{one}/x", False
        yield robots, BOT, f"/x/{one}", True


@kind("star", "2.2.3", STAR, "several stars, with parts in this order only", times=8)
def several_stars(words):
    one, two, three = words.several(3)
    robots = group("*", f"-/{one}*/{two}*/{three}")
    for path, allowed in (
        (f"/{one}/{two}/{three}", False),
        (f"/{one}x/y/{two}z/{three}", False),
        (f"/{one}/{three}/{two}", True),
        (f"/{one}/{two}{three}", True),
    ):
        yield robots, BOT, path, allowed


@kind("star", "2.2.3", STAR, "the part after a star occurs twice, and only its last place fits", times=8)
def star_takes_the_longer_way(words):
    one, two = words.several(2)
    for pattern, path, allowed in (
        (f"/*{one}$", f"/{one}/{one}", False),
        (f"/*{one}$", f"/{one}/{one}x", True),
        ("/*aab$", "/aaaab", False),
        (f"/*/{one}/{two}", f"/x/{one}/{one}/{two}", False),
        (f"/{one}*a*ab$", f"/{one}aaab", False),
    ):
        yield group("*", "-" + pattern), BOT, path, allowed


@kind("star", "2.2.3", STAR, "an allow rule with a star is longer than the rule that forbids", times=8)
def star_in_an_allow_rule(words):
    one, two, three = words.several(3)
    for order in ([f"-/{one}/", f"+/{one}/*/{two}"], [f"+/{one}/*/{two}", f"-/{one}/"]):
        yield group("*", *order), BOT, f"/{one}/{three}/{two}", True
        yield group("*", *order), BOT, f"/{one}/{three}/x", False


@kind("end", "2.2.3", END, "the path must end where the rule does", times=12)
def end_of_a_path(words):
    one = words.word()
    robots = group("*", f"-/{one}$")
    for path, allowed in (
        (f"/{one}", False),
        (f"/{one}/", True),
        (f"/{one}x", True),
        (f"/{one}?a=1", True),
        (f"/{one}?", True),
    ):
        yield robots, BOT, path, allowed


@kind("end", "2.2.3", END, "only the root", times=4)
def end_of_the_root(words):
    one = words.word()
    yield group("*", "-/$"), BOT, "/", False
    yield group("*", "-/$"), BOT, f"/{one}", True
    yield group("*", "+/$", "-/"), BOT, "/", True
    yield group("*", "+/$", "-/"), BOT, f"/{one}", False


@kind("end", "2.2.3", END, "a suffix, after a star", times=10)
def suffix(words):
    one, two = words.several(2)
    robots = group("*", f"-/*.{one}$")
    for path, allowed in (
        (f"/{two}.{one}", False),
        (f"/a/{two}.{one}", False),
        (f"/{two}?x=.{one}", False),
        (f"/{two}.{one}?x", True),
        (f"/{two}.{one}/", True),
    ):
        yield robots, BOT, path, allowed


@kind("end", "2.2.3", END, "a star before the end is as no end at all", times=6)
def star_before_the_end(words):
    one = words.word()
    robots = group("*", f"-/{one}*$")
    yield robots, BOT, f"/{one}", False
    yield robots, BOT, f"/{one}/x?y", False
    yield robots, BOT, f"/x{one}", True


@kind("percent-encoding", "2.2.2", DECODE, "an escaped unreserved character in the URL", times=4)
def unreserved_in_the_url(words):
    one = words.word()
    for character in "aZ7-._~":
        robots = group("*", f"-/{one}{character}x/")
        yield robots, BOT, f"/{one}%{ord(character):02X}x/", False
        yield robots, BOT, f"/{one}{character}x/", False


@kind(
    "percent-encoding",
    "2.2.2",
    "/foo/bar/%62%61%7A  http://example.com/foo/bar/baz  /foo/bar/baz",
    "an escaped unreserved character in the rule (last row of figure 4)",
    times=4,
)
def unreserved_in_the_rule(words):
    one = words.word()
    for character in "aZ7-._~":
        robots = group("*", f"-/{one}%{ord(character):02X}x/")
        yield robots, BOT, f"/{one}{character}x/", False
        yield robots, BOT, f"/{one}%{ord(character):02X}x/", False


@kind("percent-encoding", ("RFC 3986", "6.2.2.1"), HEX, "hexadecimal digits in either letter case", times=4)
def hexadecimal_digits(words):
    one = words.word()
    for upper in ("%2F", "%C3%BC", "%3C", "%E3%83%84"):
        for rule, path in ((upper, upper.lower()), (upper.lower(), upper), (upper, upper)):
            yield group("*", f"-/{one}{rule}x"), BOT, f"/{one}{path}x", False


@kind("percent-encoding", "2.2.2", ENCODE, "raw octets in the rule, escaped ones in the URL", times=4)
def raw_octets_in_the_rule(words):
    one = words.word()
    for character in "üツя😀":
        escaped = "".join(f"%{octet:02X}" for octet in character.encode())
        yield group("*", f"-/{one}{character}x"), BOT, f"/{one}{escaped}x", False
        yield group("*", f"-/{one}{character}x"), BOT, f"/{one}x", True


@kind("percent-encoding", "2.2.2", ENCODE, "escaped octets in the rule, raw ones in the URL", times=4)
def raw_octets_in_the_url(words):
    one = words.word()
    for character in "üツя😀":
        escaped = "".join(f"%{octet:02X}" for octet in character.encode())
        yield group("*", f"-/{one}{escaped}x"), BOT, f"/{one}{character}x", False
        yield group("*", f"-/{one}{character}x"), BOT, f"/{one}{character}x", False


@kind(
    "percent-encoding", "2.2.2", DECODE, "an escaped slash or question mark is another path than the character", times=4
)
def reserved_in_the_path(words):
    one, two = words.several(2)
    for character in "/?":
        escaped = f"%{ord(character):02X}"
        yield group("*", f"-/{one}{escaped}{two}"), BOT, f"/{one}{character}{two}", True
        yield group("*", f"-/{one}{character}{two}"), BOT, f"/{one}{escaped}{two}", True
        yield group("*", f"-/{one}{escaped}{two}"), BOT, f"/{one}{escaped}{two}", False


@kind(
    "percent-encoding",
    "2.2.3",
    VERBATIM,
    "an escaped star or dollar sign in a rule is the character (figure 6)",
    times=4,
)
def special_characters(words):
    one, two = words.several(2)
    yield group("*", f"-/{one}%2A{two}"), BOT, f"/{one}*{two}", False
    yield group("*", f"-/{one}%2A{two}"), BOT, f"/{one}x{two}", True
    yield group("*", f"-/{one}%24"), BOT, f"/{one}$", False
    yield group("*", f"-/{one}%24"), BOT, f"/{one}$/x", False
    yield group("*", f"-/{one}%24"), BOT, f"/{one}", True


@kind("percent-encoding", "2.2.2", DECODE, "an escaped percent sign is decoded neither once nor twice", times=4)
def escaped_percent_sign(words):
    one = words.word()
    yield group("*", f"-/{one}%2541"), BOT, f"/{one}A", True
    yield group("*", f"-/{one}A"), BOT, f"/{one}%2541", True
    yield group("*", f"-/{one}%2541"), BOT, f"/{one}%2541", False


@kind(
    "percent-encoding", "2.2.3", "# Designates a line comment.", "an escaped number sign is part of the path", times=4
)
def escaped_number_sign(words):
    one, two = words.several(2)
    yield group("*", f"-/{one}%23{two}"), BOT, f"/{one}%23{two}", False
    yield group("*", f"-/{one}%23{two}"), BOT, f"/{one}", True
