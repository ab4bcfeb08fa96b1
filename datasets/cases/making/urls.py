"""Topics: parts of a URL that rules see or do not see, and files made of everything at once."""

from .kind import AGENTS, BOT, file, group, kind

MATCH = (
    'To evaluate if access to a URI is allowed, a crawler MUST match the paths in "allow" and "disallow" '
    "rules against the URI."
)
QUERY = "/foo/bar?baz=quz  http://example.com/foo/bar?baz=quz  /foo/bar?baz=quz"
FRAGMENT = "the fragment identifier is separated from the rest of the URI prior to a dereference"
PORT = (
    'URI producers and normalizers should omit the port component and its ":" delimiter if port is '
    "empty or if its value would be the "
    "same as that of the scheme's default."
)
USER = (
    "The userinfo subcomponent may consist of a user name and, optionally, scheme-specific "
    "information about how to gain authorization "
    "to access the resource."
)
HOST = "The host subcomponent is case-insensitive."
SCHEME = "Although schemes are case-insensitive, the canonical form is lowercase"
EMPTY = 'a URI that uses the generic syntax for authority with an empty path should be normalized to a path of "/".'
DOTS = (
    'The complete path segments "." and ".." are intended only for use within relative references '
    "(Section 4.1) and are removed as part "
    "of the reference resolution process (Section 5.2)."
)
OCTETS = "The most specific match found MUST be used. The most specific match is the match that has the most octets."


@kind("urls", "2.2.2", QUERY, "the query is matched with the path (figure 4)", times=8)
def query(words):
    one, two = words.several(2)
    robots = group("*", f"-/{one}?{two}=")
    for path, allowed in (
        (f"/{one}?{two}=1", False),
        (f"/{one}?x&{two}=1", True),
        (f"/{one}", True),
        (f"/{one}/?{two}=1", True),
    ):
        yield robots, BOT, path, allowed


@kind("urls", "2.2.2", MATCH, "an empty query is not no query", times=4)
def empty_query(words):
    one = words.word()
    yield group("*", f"-/{one}?"), BOT, f"/{one}?", False
    yield group("*", f"-/{one}?"), BOT, f"/{one}", True


@kind("urls", ("RFC 3986", "3.5"), FRAGMENT, "the fragment is never asked for", times=6)
def fragment(words):
    one, two = words.several(2)
    yield group("*", f"-/{one}/{two}"), BOT, f"/{one}/#/{two}", True
    yield group("*", f"-/*{two}"), BOT, f"/{one}#{two}", True
    yield group("*", f"-/{one}$"), BOT, f"/{one}#{two}", False
    yield group("*", f"-/{one}"), BOT, f"/{one}#?{two}", False
    yield group("*", "-/*?"), BOT, f"/{one}#?{two}", True


@kind("urls", ("RFC 3986", "3.2.3"), PORT, "the scheme's own port, or an empty one", times=6)
def default_port(words):
    one, two = words.several(2)
    for start in ("http://{host}:80", "https://{host}:443", "http://{host}:", "https://{host}"):
        yield group("*", f"-/{one}"), BOT, f"{start}/{one}", False
        yield group("*", f"-/{one}"), BOT, f"{start}/{two}", True


@kind("urls", ("RFC 3986", "3.2.1"), USER, "user information is no part of the host or of the path", times=6)
def user_information(words):
    one, two = words.several(2)
    for start in ("http://user@{host}", "http://user:pass@{host}", "http://:@{host}"):
        yield group("*", f"-/{one}"), BOT, f"{start}/{one}", False
        yield group("*", f"-/{one}"), BOT, f"{start}/{two}", True


@kind("urls", ("RFC 3986", "3.2.2"), HOST, "the host in upper case", times=6)
def host_in_upper_case(words):
    one, two = words.several(2)
    yield group("*", f"-/{one}"), BOT, "http://{HOST}" + f"/{one}", False
    yield group("*", f"-/{one}"), BOT, "http://{HOST}" + f"/{two}", True


@kind("urls", ("RFC 3986", "3.1"), SCHEME, "the scheme in upper case", times=6)
def scheme_in_upper_case(words):
    one, two = words.several(2)
    yield group("*", f"-/{one}"), BOT, "HTTP://{host}" + f"/{one}", False
    yield group("*", f"-/{one}"), BOT, "Https://{host}" + f"/{two}", True


@kind("urls", ("RFC 3986", "6.2.3"), EMPTY, "no path is the root", times=6)
def no_path(words):
    one = words.word()
    yield group("*", "-/"), BOT, "http://{host}", False
    yield group("*", "-/$"), BOT, "http://{host}", False
    yield group("*", f"-/?{one}"), BOT, "http://{host}" + f"?{one}", False
    yield group("*", f"-/?{one}"), BOT, "http://{host}", True
    yield group("*", f"-/{one}"), BOT, "http://{host}", True
    yield group("*", "-/$"), BOT, "http://{host}" + f"#{one}", False


@kind("urls", ("RFC 3986", "6.2.2.3"), DOTS, "dot segments are removed before the URL is asked for", times=6)
def dot_segments(words):
    one, two = words.several(2)
    robots = group("*", f"-/{one}/")
    yield robots, BOT, f"/{two}/../{one}/x", False
    yield robots, BOT, f"/./{one}/x", False
    yield robots, BOT, f"/{one}/../{two}", True
    yield robots, BOT, f"/{one}/./{two}", False
    yield robots, BOT, f"/{two}/x/../../{one}/", False


@kind("urls", "2.2.2", MATCH, "a URL in the query is not the URL", times=5)
def url_in_the_query(words):
    one, two = words.several(2)
    robots = group("*", f"-/{one}")
    yield robots, BOT, f"/{two}?u=http://example.com/{one}", True
    yield robots, BOT, f"/{one}?u=http://example.com/{two}", False


def random_rule(words, names):
    """A rule of some of the names, now and then with a star or an end."""
    path = "/" + "/".join(words.pick(names) for _ in range(1 + words.below(3)))
    shape = words.below(8)
    if shape == 0:
        path = path.replace("/", "/*", 1)
    elif shape == 1:
        path += "/*/" + words.pick(names)
    elif shape == 2:
        path += "$"
    return words.pick("--+") + path


@kind("mixed", "2.2.2", OCTETS, "a file of several groups and rules, drawn at random", times=120)
def random_files(words):
    names = words.several(3)
    tokens = ["*", words.pick(AGENTS), "OtherBot", words.pick(AGENTS)]
    groups = [
        group(words.pick(tokens), *(random_rule(words, names) for _ in range(2 + words.below(5)))) for _ in range(3)
    ]
    for agent in AGENTS:
        path = "/" + "/".join(words.pick(names) for _ in range(1 + words.below(4)))
        for rest in ("", "/", "?a"):
            if words.below(2):
                yield file(*groups), agent, path + rest, None
