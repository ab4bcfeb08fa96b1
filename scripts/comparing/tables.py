"""The report about speed, in Markdown; all of it is made from records."""

import statistics

from comparing import differences, interval, measure, records
from comparing.markdown import table
from comparing.programs import POLICY

#: The heading of each kind of row, and the kind of robosieve's row that it is compared with.
KINDS = {
    "filter": ("Whole program, all lines written", "filter"),
    "copy": ("The floor of writing: the same lines copied", "filter"),
    "count": ("Judged but not written", "count"),
    "read": ("The floor of reading", "count"),
}


def rate(number):
    """A speed with three digits."""
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def has_policy(result):
    """Whether a row uses a policy compiled beforehand."""
    return result.title.endswith(POLICY)


def own_rate(results, result):
    """robosieve's speed on the same list with the same number of threads, if measured."""
    kind = KINDS[result.kind][1]
    for other in results:
        same = (other.kind, other.threads, other.order) == (kind, result.threads, result.order)
        if other.name.startswith("robosieve") and same and has_policy(other) == has_policy(result):
            return other.rate()
    return None


def memory(peak_kib, floor_kib):
    """Memory in MiB; a program seems to have what its launcher has, so less than that is not known."""
    mib = max(peak_kib, floor_kib) / 1024
    shown = f"{mib:.1f}" if mib < 10 else f"{mib:.0f}"
    return shown if peak_kib > floor_kib else f"≤ {shown}"


def cells(results, result):
    """Median with its confidence interval, robosieve's speed as a multiple of it, and processor time per line."""
    speed = result.rate()
    if speed is None:
        return ["no time", "", ""]
    star = "*" if result.short else ""
    found = result.interval()
    shown = f"{rate(speed)}{star} ({rate(found.low)}–{rate(found.high)})"
    own = own_rate(results, result)
    ratio = f"{own / speed:.2f}" if own else ""
    return [shown, ratio, f"{result.cpu_nanoseconds():.0f}"]


def wrong_lines(results):
    """How many lines of a row differ from the reference: nothing for copies, `?` without a reference."""
    if results[0].kind != "filter":
        return ""
    wrong = next((one.wrong for one in results if one.wrong is not None), None)
    return "?" if wrong is None else f"{wrong:,}"


def speed_table(results, kind):
    """All rows of one kind."""
    orders = list(dict.fromkeys(result.order for result in results))
    rows = {}
    for result in results:
        if result.kind == kind:
            rows.setdefault((result.title, result.threads), {})[result.order] = result
    head = ["program", "threads", "wrong lines"]
    for order in orders:
        head += [f"{order}, M lines/s", "robosieve is × it", "core ns/line"]
    body = []
    for (title, threads), by_order in rows.items():
        peaks = [run.peak_kib for result in by_order.values() for run in result.runs]
        floor = max(result.floor_kib for result in by_order.values())
        figures = [
            cell for order in orders for cell in (cells(results, by_order[order]) if order in by_order else [""] * 3)
        ]
        body.append(
            [title, threads, wrong_lines(list(by_order.values())), *figures, memory(max(peaks), floor) if peaks else ""]
        )
    return table([*head, "peak MiB"], body)


def remarks(results):
    """All failures and exceeded limits."""
    lines = []
    for result in results:
        where = f"{result.title}, {result.threads} threads, {result.order}"
        if result.failed:
            lines.append(f"- **no time**: {where}: {result.failed}")
        elif result.short:
            lines.append(f"- \\* {where}: {result.remark}; measured on {result.lines:,} lines without repetition")
    return "\n".join(lines) or "- no program failed or exceeded the limit"


#: What a list is called in the head of a column.
ORDERS = {"sorted": "by host", "shuffled": "shuffled"}


def orders_of(found):
    """The lists that records of calls are about, in the order of their columns."""
    return [order for order in ORDERS if any(record["list"] == order for record in found)]


def calls_table(found):
    """From a URL to its verdict, one at a time and many; and parsing."""
    orders, body = orders_of(found), []
    for title, by_order in grouped(found, "list").items():
        rounds = [record for one in by_order.values() for record in one]
        failed = [record for record in rounds if record["outcome"] != "ok"]
        if failed:
            body.append([title, problem_of(failed[0]), *[""] * (2 * len(orders) + 1)])
            continue
        calls = [by_order[order][0].get(name) for name in ("ns_one", "ns_many") for order in orders]
        parsing = f"{rounds[0]['parse_seconds'] * 1e3:,.1f}"
        body.append([title, shown_wrong(rounds), *("" if one is None else f"{one:,.0f}" for one in calls), parsing])
    kinds = ("one URL at a time", "many at a time")
    head = [f"{kind}, {ORDERS[order]}, ns" for kind in kinds for order in orders]
    return table(["matcher", "wrong lines", *head, "parsing all files, ms"], body)


#: What records of calls may say of single ones.
PERCENTILES = ("ns_p50", "ns_p99", "ns_p999")


def latency_table(found):
    """How long single calls take, of matchers that say it."""
    orders, body = orders_of(found), []
    for title, by_order in grouped(found, "list").items():
        rounds = [one for records_of_list in by_order.values() for one in records_of_list if one["outcome"] == "ok"]
        if not rounds or any(name not in one for one in rounds for name in PERCENTILES):
            continue
        by_list = {one["list"]: one for one in rounds}
        shown = [f"{by_list[order][name]:,.0f}" if order in by_list else "" for order in orders for name in PERCENTILES]
        clock = rounds[0].get("ns_clock")
        body.append([title, *shown, "" if clock is None else f"{clock:,.0f}"])
    shares = ("50", "99", "99.9")
    head = [f"{ORDERS[order]}, ns: p{share}" if share == "50" else f"p{share}" for order in orders for share in shares]
    return table(["matcher", *head, "reading the clock"], body) if body else ""


def problem_of(record):
    """Why there is no time, in a cell; `problems` has the rest below the table."""
    if record["outcome"] == "too slow":
        return f"over {record['limit']:.0f} s"
    return {"barred": "no time", "": "", "not tried": "not tried"}.get(record["outcome"], "failed")


def problems(found):
    """What the cells of a table leave out: why a program has no time."""
    lines = []
    for record in found:
        if "problem" in record:
            where = f"{record['title']}, {record['list']}" if "list" in record else record["title"]
            lines.append(f"- **{problem_of(record)}**: {where}: {record['problem']}")
    return "\n".join(lines)


def grouped(found, column):
    """Records by title and then by another column."""
    rows = {}
    for record in found:
        rows.setdefault(record["title"], {}).setdefault(record[column], []).append(record)
    return rows


def shown_wrong(rounds):
    """The wrong lines of some rounds."""
    wrong = rounds[0].get("wrong")
    return "?" if wrong is None else f"{wrong:,}"


def growth_table(found):
    """Microseconds a line, of the clock and of a processor, and memory, by the list."""
    rows, columns = grouped(found, "list"), list(dict.fromkeys(record["list"] for record in found))
    body = []
    for title, by_list in rows.items():
        cells_of_row = []
        for name in columns:
            record = by_list.get(name, [{"outcome": ""}])[0]
            if record["outcome"] != "ok":
                cells_of_row += [problem_of(record), "", "", ""]
                continue
            times = [record[key] / record["lines"] * 1e6 for key in ("seconds", "processor_seconds")]
            cells_of_row += [
                shown_wrong([record]),
                *(f"{time:.3g}" for time in times),
                memory(record["memory_kib"], record["floor_kib"]),
            ]
        body.append([title, *cells_of_row])
    head = [cell for name in columns for cell in (f"{name}: wrong lines", "µs/line", "core µs/line", "peak MiB")]
    return table(["matcher", *head], body)


def by_rules(record):
    """What parsing a file takes, in microseconds, and one URL, in nanoseconds; and how many lines are wrong."""
    parsing = record["parse_seconds"] / record["files"] * 1e6
    wrong = "" if record["wrong"] == 0 else f" ({shown_wrong([record])} wrong)"
    return f"{parsing:,.3g}" if parsing < 100 else f"{parsing:,.0f}", f"{record['ns_one']:,.0f}{wrong}"


def sizes_table(found):
    """Parsing and judging, by the number of rules."""
    classes = list(dict.fromkeys(record["rules"] for record in found))
    body = []
    for title, by_class in grouped(found, "rules").items():
        shown = []
        for number in classes:
            record = by_class.get(number, [{"outcome": ""}])[0]
            shown.append(by_rules(record) if record["outcome"] == "ok" else (problem_of(record), ""))
        body.append([title, *(one for pair in zip(*shown, strict=True) for one in pair)])
    names = ["1 rule" if number == 1 else f"{number:,} rules" for number in classes]
    head = [f"{what}: {name}" for what in ("parsing a file, µs", "one URL, ns") for name in names]
    return table(["matcher", *head], body)


def builds_table(found):
    """What it takes to have each matcher."""
    body = []
    for record in found:
        if record["outcome"] != "ok":
            body.append([record["title"], record["registry"], problem_of(record), *[""] * 3])
            continue
        times = [f"{record[name]:.1f}" if name in record else "" for name in ("processor_seconds", "seconds")]
        size = f"{record['size'] / 1024:,.0f}"
        body.append([record["title"], record["registry"], f"{record['packages']:,}", size, *times])
    head = ["matcher", "by", "crates or packages", "size, KiB", "to compile it, core s", "on the clock, s"]
    return table(head, body)


def small_table(found):
    """The smallest job."""
    body = []
    for title, by_list in grouped(found, "list").items():
        rounds = [record for records_of_list in by_list.values() for record in records_of_list]
        if any(record["outcome"] != "ok" for record in rounds):
            body.append([title, problem_of(next(one for one in rounds if one["outcome"] != "ok")), "", "", ""])
            continue
        times = interval.of(record["seconds"] * 1e3 for record in rounds)
        core = statistics.median(record["processor_seconds"] for record in rounds) * 1e3
        peak = memory(max(record["memory_kib"] for record in rounds), rounds[0]["floor_kib"])
        body.append(
            [title, shown_wrong(rounds), f"{times.median:.1f} ({times.low:.1f}–{times.high:.1f})", f"{core:.1f}", peak]
        )
    return table(["matcher", "wrong lines", "ms", "core ms", "peak MiB"], body)


def heading(facts):
    """The machine and the versions."""
    versions = ", ".join(f"{matcher['name']} {matcher['version']}".strip() for matcher in facts["matchers"])
    loads = facts.get("loads", [])
    load = f", load {min(loads):.1f} to {max(loads):.1f}" if loads else ""
    return "\n".join(
        [
            f"- machine: {facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, "
            f"Linux {facts['kernel']}{load}",
            f"- {facts['rustc'] or 'no rustc'}, Python {facts['python']}, Node.js {facts['node'] or 'not there'}",
            f"- matchers: {versions}",
            f"- robosieve's commit: {facts['commit']}; its dialect: rfc9309",
            f"- command: `{facts['command']}`",
        ]
    )


def list_heading(facts):
    """The lists and the runs."""
    found, rounds = facts["lists"], facts["rounds"]
    confidence = interval.of(range(rounds)).confidence
    return "\n".join(
        [
            f"- list: {found['lines']:,} lines, {found['bytes']:,} bytes, {found['hosts']:,} hosts, "
            f"{found['distinct']:,} different URLs, repeated; {found['source']}; agent {facts['agent']}",
            f"- runs: {rounds} rounds of all programs in turn after one to warm up; medians, in brackets the interval "
            f"that holds the true median with a confidence of {confidence:.0%}",
            "- memory: the peak of the process, with the pages of files that it maps, such as the list",
        ]
    )


WRONG = """\
A program has a time only if each line of each run is where its description expects it, by a digest, or where the
reference of its dialect has it: for RFC 9309 the naive reading that checks the public cases, for Google's dialect the
verdicts of Google's library. *Wrong lines* are those of the different URLs that are not where the reference has them;
`?` stands where there is no reference."""


CALLS = """\
From the URL to its verdict (or the path, where that is all a matcher takes, and finding it is in the time), by public
calls, in one process with one thread, files parsed before: what each matcher measures itself, in processor time. Most
have no call for many URLs."""


LATENCY = """\
Single calls of one URL: each is timed alone on a monotonic clock, all URLs in list order, once, after the passes above.
The percentiles are of all calls; *reading the clock* is the median of what that takes, which is part of each."""


SIZES = """\
By the number of rules in a file: files that are made of rules like real ones, and about 2,000 URLs, of which a third is
blocked and a third is about no rule. Each matcher measures it itself in processor time, as above. Some do the work of
parsing with each URL, and some do work for URLs when they parse."""


BUILDS = """\
Cargo builds each program alone and from nothing, with the release profile of its manifest: the crates that it compiles,
the program included; the size of the program without symbols; and the time, on all cores. Each other crate is in a
program around it, and what that takes without any is a row. Packages from other registries are not compiled here: the
size is that of the package with its dependencies, without the interpreter."""


def rows_section(results):
    """The rows of all programs, by kind, and what is to be said of them."""
    parts = []
    for kind, (title, _) in KINDS.items():
        if any(result.kind == kind for result in results):
            parts += [f"## {title}", speed_table(results, kind)]
    return "\n\n".join([*parts, "## Remarks", remarks(results)])


def render_rows(facts, results):
    """A report of rows alone; for scripts/goals."""
    head = heading(facts) + "\n" + list_heading(facts)
    return "\n\n".join(["# Comparison", head, rows_section(results)]) + "\n"


def skipped_section(facts):
    """What was left out, and why."""
    return "\n".join(f"- **skipped: {name}**: {reason}" for name, reason in facts["skipped"].items())


def extremes_sections(found):
    """What else was measured, by the table in the records."""
    names = ("calls", "growth", "sizes", "small", "builds")
    calls, growth, sizes, small, builds = (records.of_table(found, name) for name in names)
    if calls:
        yield "## By calls"
        yield CALLS
        yield from [calls_table(calls), problems(calls)]
        latency = latency_table(calls)
        yield from ["### Single calls", LATENCY, latency] if latency else []
    if growth:
        yield "## As origins grow"
        yield "The whole program once, one thread, with a robots.txt file for each origin."
        yield from [growth_table(growth), problems(growth)]
    if sizes:
        yield "## By the number of rules"
        yield SIZES
        yield from [sizes_table(sizes), problems(sizes)]
    if small:
        yield "## One file, ten URLs"
        yield "The whole program on one robots.txt of eleven rules: what a job costs that is hardly any."
        yield from [small_table(small), problems(small)]
    if builds:
        yield "## What it takes to have it"
        yield BUILDS
        yield from [builds_table(builds), problems(builds)]


def render(found, picture=""):
    """The whole report about speed."""
    facts = dict(found[0]["facts"])
    facts["loads"] = [record["load"] for record in found if "load" in record]
    parts = ["# Speed", heading(facts) + "\n" + list_heading(facts), skipped_section(facts), WRONG]
    parts += [f"![Million lines a second]({picture})"] if picture else []
    parts.append(rows_section(measure.results_of(found)))
    parts += extremes_sections(found)
    pairs = next((record["numbers"] for record in found if record["record"] == "differences"), None)
    if pairs:
        titles = {matcher["name"]: matcher["title"] for matcher in facts["matchers"]}
        parts += [
            "## Who differs from whom",
            "Of the different URLs, those on which two matchers differ.",
            differences.shown(pairs, titles),
        ]
    return "\n\n".join(filter(None, parts)) + "\n"
