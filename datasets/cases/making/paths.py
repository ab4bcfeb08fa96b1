"""Topics: which rule decides (RFC 9309, 2.2.2), and the letter case of paths and keys."""

from .kind import AGENTS, BOT, file, group, kind

OCTETS = "The most specific match found MUST be used. The most specific match is the match that has the most octets."
TIE = 'If an "allow" rule and a "disallow" rule are equivalent, then the "allow" rule SHOULD be used.'
NO_MATCH = (
    "If no match is found amongst the rules in a group for a matching user-agent or there are no rules "
    "in the group, the URI is allowed."
)
FIRST = "The matching MUST start with the first octet of the path."
END = (
    "The match evaluates positively if and only if the end of the path from the rule is reached "
    "before a difference in octets is "
    "encountered."
)
CASE = "The matching SHOULD be case sensitive."
KEYS = 'startgroupline = *WS "user-agent" *WS ":" *WS product-token EOL'
ROBOTS = "The /robots.txt URI is implicitly allowed."
LOWER = (
    'The rules MUST be accessible in a file named "/robots.txt" (all lowercase) in the top-level path of the service.'
)
PATTERN = 'path-pattern = "/" *UTF8-char-noctl ; valid URI path pattern'
EMPTY = "empty-pattern = *WS"


@kind("prefixes", "2.2.2", END, "the URL goes on after the end of the rule", times=10)
def url_goes_on(words):
    one, two = words.several(2)
    for rest in ("", "/", "/x", ".html", "?q=1", two):
        yield group("*", f"-/{one}"), BOT, f"/{one}{rest}", False


@kind("prefixes", "2.2.2", END, "the URL ends before the rule does", times=10)
def url_ends_first(words):
    one, two = words.several(2)
    for rule, path in (
        (f"/{one}/", f"/{one}"),
        (f"/{one}/{two}", f"/{one}/"),
        (f"/{one}", f"/{one[:-1]}"),
        (f"/{one}?", f"/{one}"),
    ):
        yield group("*", "-" + rule), BOT, path, True


@kind("prefixes", "2.2.2", FIRST, "the rule occurs in the path, but not at its start", times=10)
def rule_in_the_middle(words):
    one, two = words.several(2)
    for path in (f"/{two}/{one}", f"/{two}{one}", f"//{one}", f"/{two}?/{one}"):
        yield group("*", f"-/{one}"), BOT, path, True


@kind("prefixes", "2.2.2", NO_MATCH, "no rule of the group matches", times=10)
def no_rule_matches(words):
    one, two, three = words.several(3)
    robots = group("*", f"-/{one}", f"+/{two}", f"-/{two}/{one}")
    yield robots, BOT, f"/{three}", True
    yield robots, BOT, "/", True


@kind("longest match", "2.2.2", OCTETS, "the longer allow rule wins, in either order", times=25)
def longer_allow(words):
    one, two = words.several(2)
    rules = [f"-/{one}", f"+/{one}/{two}"]
    for order in (rules, rules[::-1]):
        yield group("*", *order), BOT, f"/{one}/{two}", True
        yield group("*", *order), BOT, f"/{one}/x", False


@kind("longest match", "2.2.2", OCTETS, "the longer disallow rule wins, in either order", times=25)
def longer_disallow(words):
    one, two = words.several(2)
    rules = [f"+/{one}", f"-/{one}/{two}"]
    for order in (rules, rules[::-1]):
        yield group("*", *order), BOT, f"/{one}/{two}/x", False
        yield group("*", *order), BOT, f"/{one}/x", True


@kind("longest match", "2.2.2", OCTETS, "allow all, and one exception", times=10)
def exception_to_allow_all(words):
    one, two = words.several(2)
    for order in (["+/", f"-/{one}"], [f"-/{one}", "+/"]):
        yield group("*", *order), BOT, f"/{one}", False
        yield group("*", *order), BOT, f"/{two}", True


@kind("longest match", "2.2.2", OCTETS, "rules that go deeper and deeper, shuffled", times=15)
def deeper_and_deeper(words):
    parts = words.several(5)
    paths = ["/" + "/".join(parts[: depth + 1]) for depth in range(5)]
    rules = [("-+"[depth % 2]) + path for depth, path in enumerate(paths)]
    rules.sort(key=lambda _: words.below(1000))
    for depth, path in enumerate(paths):
        yield group("*", *rules), BOT, path + "/", depth % 2 == 1


@kind("longest match", "2.2.2", OCTETS, "one octet more decides", times=15)
def one_octet_more(words):
    one = words.word()
    for rules, allowed in (([f"-/{one}", f"+/{one}/"], True), ([f"+/{one}", f"-/{one}/"], False)):
        for order in (rules, rules[::-1]):
            yield group("*", *order), BOT, f"/{one}/", allowed


@kind("longest match", "2.2.2", OCTETS, "a long rule among many short ones", times=4)
def among_many(words):
    names = words.several(30)
    rules = [f"-/{name}" for name in names] + [f"+/{names[7]}/{names[8]}", f"-/{names[7]}/{names[8]}/{names[9]}"]
    rules.sort(key=lambda _: words.below(1000))
    robots = group("*", *rules)
    yield robots, BOT, f"/{names[7]}/{names[8]}", True
    yield robots, BOT, f"/{names[7]}/{names[9]}", False
    yield robots, BOT, f"/{names[7]}/{names[8]}/{names[9]}/x", False


@kind("equal length", "2.2.2", TIE, "the same path, allowed and disallowed, in either order", times=15)
def same_path(words):
    one = words.word()
    for rule in (f"/{one}", f"/{one}/", "/"):
        for order in ([f"+{rule}", f"-{rule}"], [f"-{rule}", f"+{rule}"]):
            yield group("*", *order), BOT, f"/{one}/", True


@kind("equal length", "2.2.2", TIE, "the same pattern, allowed and disallowed, in either order", times=10)
def same_pattern(words):
    one, two = words.several(2)
    for rule in (f"/{one}*{two}", f"/*{two}$", f"/{one}/{two}$"):
        for order in ([f"+{rule}", f"-{rule}"], [f"-{rule}", f"+{rule}"]):
            yield group("*", *order), BOT, f"/{one}/{two}", True


@kind("equal length", "2.2.2", TIE, "the same path in two groups of one token", times=10)
def same_path_in_two_groups(words):
    one = words.word()
    for order in ((f"+/{one}", f"-/{one}"), (f"-/{one}", f"+/{one}")):
        yield file(group(BOT, order[0]), group(BOT, order[1])), BOT, f"/{one}", True


@kind("equal length", "2.2.2", OCTETS, "a longer rule decides, whatever is equivalent below it", times=10)
def longer_than_a_tie(words):
    one, two = words.several(2)
    robots = group("*", f"+/{one}", f"-/{one}", f"-/{one}/{two}")
    yield robots, BOT, f"/{one}/{two}", False
    yield robots, BOT, f"/{one}/x", True


@kind("empty rules", "2.2", EMPTY, "an empty rule matches nothing", times=5)
def empty_rule(words):
    one = words.word()
    for rules in (["-"], ["+"], ["-", "+"]):
        yield group("*", *rules), BOT, f"/{one}", True
    yield group("*", "-", f"-/{one}"), BOT, f"/{one}", False
    yield group("*", f"-/{one}", "-"), BOT, f"/{one}", False
    yield group("*", f"-/{one}", "+"), BOT, f"/{one}", False
    yield f"User-agent: *\nDisallow:   \nDisallow:\t\nDisallow: /{one}\n", BOT, f"/{one}", False


@kind("case", "2.2.2", CASE, "paths differ in letter case", times=12)
def path_in_another_case(words):
    one = words.word()
    for rule, path in ((one, one.title()), (one.title(), one), (one.upper(), one), (one, one.upper())):
        yield group("*", f"-/{rule}"), BOT, f"/{path}", True
        yield group("*", f"-/{rule}"), BOT, f"/{rule}", False


@kind("case", "2.2", KEYS, "keys match in any letter case (RFC 5234, 2.3)", times=6)
def key_in_another_case(words):
    one, two = words.several(2)
    for agent, disallow, allow in (
        ("USER-AGENT", "DISALLOW", "ALLOW"),
        ("user-agent", "disallow", "allow"),
        ("uSeR-aGeNt", "dIsAlLoW", "aLlOw"),
        ("User-Agent", "Disallow", "Allow"),
    ):
        robots = f"{agent}: {BOT}\n{disallow}: /{one}\n{allow}: /{one}/{two}\n"
        yield robots, BOT, f"/{one}/x", False
        yield robots, BOT, f"/{one}/{two}", True


@kind("robots.txt itself", "2.2.2", ROBOTS, "everything is disallowed but /robots.txt")
def robots_txt(words):
    for agent in AGENTS:
        for robots in (
            group("*", "-/"),
            group(agent, "-/"),
            group("*", "-/*"),
            group("*", "-/r"),
            group("*", "-*.txt$"),
        ):
            yield robots, agent, "/robots.txt", True


@kind("robots.txt itself", "2.3", LOWER, "another path is not that of robots.txt", times=2)
def not_robots_txt(words):
    one = words.word()
    for path in ("/ROBOTS.TXT", "/Robots.txt", "/robots.txt.bak", f"/{one}/robots.txt", "/robots.text", "/robots"):
        yield group("*", "-/"), BOT, path, False


@kind("other lines", "2.2", PATTERN, "a rule whose path begins with neither / nor * is no rule", times=5)
def rule_without_slash(words):
    one = words.word()
    yield group("*", f"-{one}"), BOT, f"/{one}", True
    yield group("*", f"-{one}/", f"+/{one}/x"), BOT, f"/{one}/y", True
