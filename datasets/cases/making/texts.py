"""Topics: lines, marks and comments (RFC 9309, 2.2), other lines (2.2.4, 2.3.1.5), and the size of a file (2.5)."""

from .kind import AGENTS, BOT, file, group, kind

NL = "NL = %x0D / %x0A / %x0D.0A"
MARK = "The file MUST be UTF-8 encoded (as defined in [RFC3629])"
BLANKS = 'rule = *WS ("allow" / "disallow") *WS ":" *WS (path-pattern / empty-pattern) EOL'
GROUP = "*(startgroupline / emptyline) ; ... and possibly more user-agent lines"
COMMENT = "EOL = *WS [comment] NL ; end-of-line may have optional trailing comment"
OTHER = 'For example, a "Sitemaps" record MUST NOT terminate a group.'
INTERFERE = "Parsing of other records MUST NOT interfere with the parsing of explicitly defined records in Section 2."
PARSEABLE = "Crawlers MUST try to parse each line of the robots.txt file. Crawlers MUST use the parseable rules."
LIMIT = "The parsing limit MUST be at least 500 kibibytes [KiB]."
KIBIBYTES = 500 * 1024


@kind("line ends", "2.2", NL, "lines that end in CR, LF, CRLF, or each in another way", times=3)
def line_ends(words):
    one, two, star = words.several(3)
    robots = file(group("*", f"-/{star}"), group(BOT, f"-/{one}", f"+/{one}/{two}"))
    mixed = "".join(line + ("\r", "\n", "\r\n")[number % 3] for number, line in enumerate(robots.splitlines()))
    for text in (robots, robots.replace("\n", "\r\n"), robots.replace("\n", "\r"), mixed):
        for path, allowed in ((f"/{one}", False), (f"/{one}/{two}", True), (f"/{star}", True)):
            yield text, BOT, path, allowed


@kind("line ends", "2.2", NL, "the last line has no end", times=3)
def no_last_line_end(words):
    one = words.word()
    for end in ("\n", "\r\n", "\r"):
        yield f"User-agent: *{end}Disallow: /{one}", BOT, f"/{one}", False
        yield f"User-agent: *{end}Disallow: /{one}$", BOT, f"/{one}", False


@kind("line ends", "2.2", GROUP, "empty lines inside a group do not end it", times=4)
def empty_lines_in_a_group(words):
    one, two = words.several(2)
    for empty in ("\n", "\n\n", "  \n", "\t\n", "# note\n"):
        robots = f"User-agent: {BOT}\n{empty}Disallow: /{one}\n{empty}Disallow: /{two}\n"
        yield robots, BOT, f"/{one}", False
        yield robots, BOT, f"/{two}", False
    yield f"User-agent: {BOT}\n\nUser-agent: OtherBot\nDisallow: /{one}\n", BOT, f"/{one}", False


@kind("byte order mark", "2.3", MARK, "a byte order mark before the first line is no part of it (RFC 3629, 6)", times=2)
def byte_order_mark(words):
    one, two = words.several(2)
    for agent in AGENTS:
        for robots in (group(agent, f"-/{one}"), file(group("*", f"-/{one}"), group("OtherBot", f"-/{two}"))):
            for text in (robots, robots.replace("\n", "\r\n")):
                yield "\ufeff" + text, agent, f"/{one}", False
                yield "\ufeff" + text, agent, f"/{two}", True


@kind("blanks", "2.2", BLANKS, "spaces and tabs around keys, colons and values", times=3)
def blanks(words):
    one, two = words.several(2)
    for form in ("{}:{}", "{} : {}", "  {}: {}", "\t{}\t:\t{}\t", "{}:    {}   "):
        lines = (("User-agent", BOT), ("Disallow", f"/{one}"), ("Allow", f"/{one}/{two}$"))
        robots = "".join(form.format(*line) + "\n" for line in lines)
        yield robots, BOT, f"/{one}/x", False
        yield robots, BOT, f"/{one}/{two}", True


@kind("comments", "2.2", COMMENT, "comments after a value", times=3)
def comments_after_values(words):
    one, two = words.several(2)
    for comment in (" # note", "# note", "\t#note: #", " ## Disallow: /", f" # Allow: /{one}"):
        robots = f"User-agent: {BOT}{comment}\nDisallow: /{one}{comment}\nAllow: /{one}/{two}${comment}\n"
        yield robots, BOT, f"/{one}/x", False
        yield robots, BOT, f"/{one}/{two}", True
        yield robots, BOT, f"/{two}", True


@kind("comments", "2.2", COMMENT, "lines that are comments, whatever they hold", times=3)
def comment_lines(words):
    one, two = words.several(2)
    for comment in ("# note", f"#Disallow: /{two}", "# User-agent: OtherBot", "   # Allow: /", "#"):
        robots = f"{comment}\nUser-agent: *\n{comment}\nDisallow: /{one}\n{comment}\n"
        yield robots, BOT, f"/{one}", False
        yield robots, BOT, f"/{two}", True


@kind("comments", "2.2", COMMENT, "a rule whose path is all comment is empty", times=3)
def rule_of_a_comment(words):
    one = words.word()
    yield f"User-agent: *\nDisallow: # /{one}\n", BOT, f"/{one}", True
    yield f"User-agent: *\nDisallow: #/\nDisallow: /{one}\n", BOT, f"/{one}", False


@kind("other lines", "2.2.4", OTHER, "a sitemap in a group, or between its user-agent lines", times=3)
def sitemaps(words):
    one, two = words.several(2)
    line = "Sitemap: https://example.com/sitemap.xml\n"
    for agent in AGENTS:
        robots = f"User-agent: {agent}\n{line}User-agent: OtherBot\n{line}Disallow: /{one}\n{line}Disallow: /{two}\n"
        for path in (one, two):
            yield robots, agent, f"/{path}", False
    yield line + group("*", f"-/{one}") + line, BOT, f"/{one}", False


@kind("other lines", "2.2.4", INTERFERE, "records of others among rules and user-agent lines", times=2)
def other_records(words):
    one, two = words.several(2)
    for record in (
        "Crawl-delay: 5",
        "Noindex: /x",
        "Host: example.com",
        "Clean-param: s",
        "Unknown-key: value",
        "Request-rate: 1/5",
    ):
        robots = f"User-agent: {BOT}\n{record}\nUser-agent: OtherBot\nDisallow: /{one}\n{record}\nDisallow: /{two}\n"
        for path in (one, two):
            yield robots, BOT, f"/{path}", False


@kind("other lines", "2.3.1.5", PARSEABLE, "lines that are no records", times=2)
def lines_that_do_not_parse(words):
    one, two = words.several(2)
    for line in ("!!!", "<html><body>", "just some words here", ": /", "::", "%%%", "=" * 80, "Disallow", "\x01\x02"):
        robots = f"{line}\nUser-agent: *\n{line}\nDisallow: /{one}\n{line}\nDisallow: /{two}\n"
        for path, allowed in ((one, False), (two, False), ("x", True)):
            yield robots, BOT, f"/{path}", allowed


@kind("other lines", "2.3.1.5", PARSEABLE, "octets that are not UTF-8, in other lines", times=2)
def octets_that_are_not_utf8(words):
    one = words.word()
    for octets in (b"\xff\xfe\xfa", b"\xc3(", b"\xe9t\xe9", b"\x80"):
        robots = b"# " + octets + b"\nUser-agent: *\nX: " + octets + b"\nDisallow: /" + one.encode() + b"\n"
        yield robots, BOT, f"/{one}", False


@kind("size", "2.5", LIMIT, "the last rule of a file of 500 KiB")
def five_hundred_kibibytes(words):
    one = words.word()
    for line in ("# " + "x" * 61 + "\n", "Disallow: /" + "x" * 52 + "\n"):
        head, last = "User-agent: *\n", f"Disallow: /{one}\n"
        count = (KIBIBYTES - len(head) - len(last)) // len(line)
        fill = "#" * (KIBIBYTES - len(head) - len(last) - count * len(line) - 1) + "\n"
        robots = [[head, 1], [line, count], [fill, 1], [last, 1]]
        yield robots, BOT, f"/{one}", False
        yield robots, BOT, "/y", True


@kind("size", "2.5", LIMIT, "a line of 64 KiB, and a rule after it")
def a_long_line(words):
    one = words.word()
    for start in ("# ", "X: ", "Disallow: /"):
        robots = [["User-agent: *\n", 1], [start, 1], ["y", 65536], [f"\nDisallow: /{one}\n", 1]]
        yield robots, BOT, f"/{one}", False
        yield robots, BOT, "/z", True


@kind("size", "2.5", LIMIT, "a rule with a path of 2,000 octets")
def a_long_rule(words):
    one = words.word()
    robots = [["User-agent: *\nDisallow: /", 1], [one[:2], 1000], ["\n", 1]]
    yield robots, BOT, "/" + one[:2] * 1000, False
    yield robots, BOT, "/" + one[:2] * 1000 + "/x", False
    yield robots, BOT, "/" + one[:2] * 999, True
