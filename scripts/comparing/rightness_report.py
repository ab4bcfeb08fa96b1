"""The table of rightness, in Markdown, made from records."""

from comparing import differences, records, rightness
from comparing.cases import LEVELS
from comparing.markdown import table
from comparing.tables import heading, skipped_section

#: From the folder of the report to that of the cases.
CASES = "../../datasets/cases"
RESTS_ON = """\
What the cases rest on. *MUST*, *SHOULD* and *MAY* are the words of RFC 9309; a sentence that a requirement makes
binding, as the grammar, is a MUST. *Stated* is what the RFC says without such a word, by a sentence or an example.
*RFC 3986* is what that says of URLs. *Silence*: no sentence decides. A matcher that leaves out what a SHOULD asks for
has not failed a MUST by that. Where another reading can be defended, a difference is counted as *another reading*
and not as wrong; and what is made of a URL before its path is at hand is *the caller's* job, where a matcher takes
paths."""
GOOGLE = """\
How often verdicts differ from those of google/robotstxt on real robots.txt files, for {agents}. In brackets: those
that Google's library blocks and the matcher allows. Google's library is not RFC 9309 to the letter: it takes misspelt
keys and keys without a colon, has no exception for /robots.txt, and leaves normalising URLs to its caller. Many of the
made-up URLs have letters in escaped form, which the RFC wants decoded."""
NAMES = {"urls": "real links", "probes": "made-up URLs, half of them blocked"}


def share(counter):
    """A cell: nothing to see if all are right, else how many are what."""
    parts = [f"**{counter['wrong']}** wrong"] if counter["wrong"] else []
    parts += [f"{counter[name]} {name}" for name in (rightness.OPEN, rightness.CALLERS) if counter[name]]
    return ", ".join(parts) or ("all" if counter else "none asked")


def levels_table(cases, found, takes):
    """A row for each matcher, a column for what cases rest on; MUST is the first."""
    numbers = {level: sum(case.level == level for case in cases) for level in LEVELS}
    rows = []
    for record in found:
        by_level = rightness.counted(cases, record["differs"], takes[record["program"]], lambda case: case.level)
        musts = by_level.get("MUST", {})
        cells = [share(by_level[level]) if level in by_level else "none asked" for level in LEVELS]
        right = f"{1 - musts.get('wrong', 0) / numbers['MUST']:.2%}" if numbers["MUST"] else ""
        rows.append([record["title"], right, *cells])
    return table(
        ["matcher", "MUST: share without a wrong answer", *(f"{level} ({numbers[level]:,})" for level in LEVELS)], rows
    )


def topics_table(cases, found, takes):
    """A row for each topic, a column for each matcher."""
    columns = [
        rightness.counted(cases, one["differs"], takes[one["program"]], lambda case: case.topic) for one in found
    ]
    rows = []
    for topic in dict.fromkeys(case.topic for case in cases):
        number = sum(case.topic == topic for case in cases)
        rows.append([topic, number, *(share(column[topic]) for column in columns)])
    return table(["topic", "cases", *(one["title"] for one in found)], rows)


def google_table(found):
    """Differences from Google's verdicts on real data."""
    rows = []
    for kind in dict.fromkeys(kind for one in found for kind in one["google"]):
        sizes = next((one["google"][kind]["lines"] for one in found if "lines" in one["google"][kind]), ["", ""])
        for at, number in enumerate(sizes):
            cells = [said(one["google"][kind], at) for one in found]
            shown = f"{number:,}" if number else ""
            rows.append([NAMES[kind] if at == 0 else "of these, without `%`", shown, *cells])
    return table(["verdicts of Google's library", "number", *(one["title"] for one in found)], rows)


def said(google, at):
    """The differences of one matcher: how many lines it allows that Google blocks, and so on."""
    if "problem" in google:
        return google["problem"]
    differ = google["differ"][at]
    allowed = differ.get("allowed", 0)
    return f"{sum(differ.values()):,}" + (f" ({allowed:,} allowed)" if allowed else "")


def misses_section(record, cases, known, takes):
    """What a matcher fails, with a link to one case of each kind."""
    rows = []
    for (topic, kind), (failed, number, case) in rightness.misses(cases, record["differs"]).items():
        got = record["differs"][case.id]
        link = f"[{case.id}]({CASES}/{case.where})"
        what = rightness.standing(case, got, takes)
        rows.append([topic, kind.replace("-", " "), case.level, f"{failed} of {number}", what, link, case.expect, got])
    parts = [f"### {record['title']}"]
    if known:
        parts.append("Known: " + "; ".join(known) + ".")
    if record["problems"]:
        parts.append("\n".join(f"- **{problem}**" for problem in record["problems"]))
    if rows:
        head = ["topic", "kind", "rests on", "differ", "which is", "one of them", "right", "it says"]
        parts.append(table(head, rows))
    else:
        parts.append(f"All {len(cases):,} cases are right.")
    return "\n\n".join(parts)


def readings_section(cases):
    """The cases that have another reading, by kind."""
    readings = {case.kind: case.open for case in cases if case.open}
    numbers = {kind: sum(case.kind == kind for case in cases) for kind in readings}
    return "\n".join(f"- {kind.replace('-', ' ')} ({numbers[kind]} cases): {why}" for kind, why in readings.items())


def render(kept, cases):
    """The whole report."""
    facts, found = kept[0]["facts"], records.of_table(kept, "rightness")
    matchers = {matcher["name"]: matcher for matcher in facts["matchers"]}
    takes = {name: matcher["takes"] for name, matcher in matchers.items()}
    parts = [
        "# Rightness",
        heading(facts),
        skipped_section(facts),
        "## By what they rest on",
        f"{len(cases):,} public cases ([datasets/cases](../../datasets/README.md)), each with its sentence.",
        RESTS_ON,
        levels_table(cases, found, takes),
        "Another reading can be defended of these:",
        readings_section(cases),
        "## By topic",
        topics_table(cases, found, takes),
    ]
    if any(one["google"] for one in found):
        agents = ", ".join(kept[0]["settings"]["agents"])
        parts += ["## Google's verdicts", GOOGLE.format(agents=agents), google_table(found)]
    pairs = next((one["numbers"] for one in kept if one["record"] == "differences"), None)
    if pairs:
        titles = {name: matcher["title"] for name, matcher in matchers.items()}
        parts += [
            "## Who differs from whom",
            "The cases on which two matchers differ.",
            differences.shown(pairs, titles),
        ]
    parts.append("## What each one fails")
    parts += [misses_section(one, cases, matchers[one["program"]]["known"], takes[one["program"]]) for one in found]
    return "\n\n".join(filter(None, parts)) + "\n"
