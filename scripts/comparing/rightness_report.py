"""The table of rightness, in Markdown."""

from comparing import rightness
from comparing.tables import table

#: From the folder of the report to that of the cases.
CASES = "../../datasets/cases"
GOOGLE = """\
How often verdicts differ from those of google/robotstxt on real robots.txt files, for four crawlers. In brackets: those
that Google's library blocks and the matcher allows. Google's library is not RFC 9309 to the letter: it takes misspelt
keys and keys without a colon, has no exception for /robots.txt, and leaves normalising URLs to its caller. Many of the
made-up URLs have letters in escaped form, which the RFC wants decoded."""


def share(right, number):
    """A cell: nothing to see if all are right, else how many are wrong."""
    return "all" if right == number else f"**{number - right}** wrong"


def topics_table(matchers, cases, found):
    """A row for each topic, a column for each matcher."""
    columns = {matcher.name: rightness.by_topic(cases, found[matcher.name].verdicts) for matcher in matchers}
    topics = dict(next(iter(columns.values())))
    rows = []
    for topic, (_, number) in topics.items():
        rows.append([topic, number, *(share(*columns[matcher.name][topic]) for matcher in matchers)])
    totals = [sum(right for right, _ in columns[matcher.name].values()) for matcher in matchers]
    rows.append(["**all topics**", len(cases), *(share(total, len(cases)) for total in totals)])
    shown = [f"{total / len(cases):.2%}" for total in totals]
    rows.append(["**share that is right**", "", *shown])
    return table(["topic", "cases", *(matcher.title for matcher in matchers)], rows)


def google_table(matchers, found, sizes):
    """Differences from Google's verdicts on real data."""
    names = {"urls": "real links", "probes": "made-up URLs, half of them blocked"}
    rows = []
    for kind, numbers in sizes.items():
        for at, number in enumerate(numbers):
            got = [found[matcher.name].google[kind] for matcher in matchers]
            cells = [one if isinstance(one, str) else said(one[at]) for one in got]
            rows.append([names[kind] if at == 0 else "of these, without `%`", f"{number:,}", *cells])
    return table(["verdicts of Google's library", "number", *(matcher.title for matcher in matchers)], rows)


def said(differ):
    """The differences of one matcher: how many lines it allows that Google blocks, and so on."""
    return f"{differ.total():,}" + (f" ({differ['allowed']:,} allowed)" if differ["allowed"] else "")


def misses_section(matcher, cases, found):
    """What a matcher fails, with a link to one case of each kind."""
    rows = []
    for (topic, kind), (failed, number, case) in rightness.misses(cases, found.verdicts).items():
        got = found.verdicts[case.id]
        link = f"[{case.id}]({CASES}/{case.where})"
        rows.append([topic, kind.replace("-", " "), f"{failed} of {number}", link, case.expect, got])
    parts = [f"### {matcher.title}"]
    if matcher.known:
        parts.append("Known not to do: " + "; ".join(matcher.known) + ".")
    if found.problems:
        parts.append("\n".join(f"- **{problem}**" for problem in found.problems))
    if rows:
        parts.append(table(["topic", "kind", "wrong", "one of them", "right", "it says"], rows))
    else:
        parts.append(f"All {len(cases):,} cases are right.")
    return "\n\n".join(parts)


def skipped_section(skipped):
    """What was left out, and why."""
    return "\n".join(f"- **skipped: {name}**: {reason}" for name, reason in skipped.items())


def render(heading, matchers, cases, found, sizes, skipped):
    """The whole report."""
    parts = [
        "# Rightness",
        heading,
        skipped_section(skipped),
        "## By topic",
        f"{len(cases):,} public cases ([datasets/cases](../../datasets/README.md)), each decided by a "
        "sentence of RFC 9309 or RFC 3986.",
        topics_table(matchers, cases, found),
    ]
    if sizes:
        parts += [
            "## Google's verdicts",
            GOOGLE,
            google_table(matchers, found, sizes),
        ]
    parts.append("## What each one fails")
    parts += [misses_section(matcher, cases, found[matcher.name]) for matcher in matchers]
    return "\n\n".join(filter(None, parts)) + "\n"
