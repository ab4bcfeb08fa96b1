"""Files of a given number of rules, and URLs about them whose verdicts are known as they are made.

Twenty kinds of rules take turns: as in real files, most are paths, and some have a star, end in `$`, or allow a folder
in one that is blocked. Each rule has a number, and no other rule but that of such a folder matches its URLs, so the
verdict on a URL is known without a look at all the rules.
"""

from dataclasses import dataclass
from pathlib import Path

#: How paths of rules begin; the number of the rule follows.
WORDS = [
    *("admin", "search", "cgi-bin", "user/account", "catalog/compare", "checkout", "api/v2", "tmp"),
    *("private", "wp-content/plugins", "print", "download", "cart", "forum/members", "login", "stats"),
]
#: A rule, and what it says of some paths, where `@` is the start of its path and `#` its number.
LITERAL = ("Disallow: @/", {"@/": False, "@/a/b.html": False, "@": True, "/x@/": True})
KINDS = [
    *[LITERAL] * 4,
    ("Disallow: @?sort=", {"@?sort=up": False, "@?page=2&sort=up": True}),
    *[LITERAL] * 3,
    ("Disallow: @/*/print", {"@/a/print": False, "@/a/b/printed?x=1": False, "@/print": True}),
    *[LITERAL] * 3,
    # In the folder of the rule before it, which is LITERAL and blocks it; the first rule of a file changes nothing.
    ("Allow: <@/open/", {"<@/open/a": True, "<@/closed/a": False}),
    *[LITERAL] * 3,
    ("Disallow: @/*.pdf$", {"@/a/b.pdf": False, "@/a.pdf?x=1": True}),
    ("Disallow: /*?ref#=", {"@?ref#=1": False, "@?a=1&ref#=1": True}),
    *[LITERAL] * 2,
]
#: Rules of all files of a class, about, and the most files; and URLs of a class.
RULES, FILES, URLS = 10_000, 1_000, 2_000
#: Steps from one rule to the next that is asked about; prime, for rules to be asked about in no order.
STEP = 7919


def folder_of(number):
    """Where the path of a rule begins."""
    return f"/{WORDS[number % len(WORDS)]}-{number}"


def filled(text, number):
    """A rule or a path of the rule with this number."""
    return text.replace("<@", folder_of(number - 1)).replace("@", folder_of(number)).replace("#", str(number))


def kind_of(host, number):
    """The kind of a rule: files begin with different ones."""
    return KINDS[(host + number) % len(KINDS)]


def rules_of(host, count):
    """A robots.txt of so many rules."""
    return "User-agent: *\n" + "".join(f"{filled(kind_of(host, at)[0], at)}\n" for at in range(count))


def question(host, at, count):
    """A path for the file of a host, and whether it is allowed; every third has nothing to do with any rule."""
    if (host + at) % 3 == 2:
        return f"/about/team-{at}/page.html", True
    number = (at * STEP + host) % count
    rule, paths = kind_of(host, number)
    path, allowed = list(paths.items())[(host + at) % len(paths)]
    # Without a rule before it, nothing is blocked that it could allow.
    return filled(path, number), allowed or (rule.startswith("Allow") and number == 0)


@dataclass
class Class:
    """Files of one number of rules, and a list with the verdicts on it."""

    name: str
    files: int
    robots: Path
    listed: Path
    verdicts: dict


def make(folder, count):
    """Write the files of a class and the list."""
    files = max(1, min(FILES, RULES // count))
    robots, listed = folder / "robots", folder / "list.txt"
    robots.mkdir(parents=True)
    for host in range(files):
        (robots / f"host-{host}.example").write_text(rules_of(host, count))
    verdicts = {}
    for number in range(URLS):
        host, at = number % files, number // files
        path, allowed = question(host, at, count)
        verdicts[f"http://host-{host}.example{path}".encode()] = "allowed" if allowed else "blocked"
    listed.write_bytes(b"".join(url + b"\n" for url in verdicts))
    name = f"{files:,} files of {count:,} rules" if count > 1 else f"{files:,} files of one rule"
    return Class(name if files > 1 else name.replace("files", "file"), files, robots, listed, verdicts)
