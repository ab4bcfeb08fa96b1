"""The report about speed, in Markdown."""

from comparing.programs import POLICY

#: The heading of each kind of row, and the kind of robosieve's row that it is compared with.
KINDS = {
    "filter": ("Whole program, all lines written", "filter"),
    "copy": ("The floor of writing: the same lines copied", "filter"),
    "count": ("Judged but not written", "count"),
    "read": ("The floor of reading", "count"),
}


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def rate(number):
    """A speed with three digits."""
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def has_policy(program):
    """Whether a row uses a policy compiled beforehand."""
    return program.title.endswith(POLICY)


def own_rate(results, result):
    """robosieve's speed on the same list with the same number of threads, if measured."""
    kind = KINDS[result.program.kind][1]
    for other in results:
        program = other.program
        same = (program.kind, program.threads, other.order) == (kind, result.program.threads, result.order)
        if program.name.startswith("robosieve") and same and has_policy(program) == has_policy(result.program):
            return other.rate()
    return None


def cells(results, result):
    """Median with the slowest and fastest round, robosieve's speed as a multiple of it, and processor time per line."""
    speed = result.rate()
    if speed is None:
        return ["failed", "", ""]
    star = "*" if result.base else ""
    shown = f"{rate(speed)}{star} ({rate(result.rate(max))}–{rate(result.rate(min))})"
    own = own_rate(results, result)
    ratio = f"{own / speed:.2f}" if own else ""
    return [shown, ratio, f"{result.cpu_nanoseconds():.0f}"]


def speed_table(results, kind):
    """All rows of one kind."""
    orders = list(dict.fromkeys(result.order for result in results))
    rows = {}
    for result in results:
        if result.program.kind == kind:
            key = (result.program.title, result.program.threads)
            rows.setdefault(key, {})[result.order] = result
    head = ["program", "threads"]
    for order in orders:
        head += [f"{order}, M lines/s", "robosieve is × it", "core ns/line"]
    body = []
    for (title, threads), by_order in rows.items():
        peaks = [run.peak_kib for result in by_order.values() for run in result.runs]
        figures = [cell for order in orders for cell in cells(results, by_order[order])]
        body.append([title, threads, *figures, f"{max(peaks) >> 10}" if peaks else ""])
    return table([*head, "peak MiB"], body)


def remarks(results):
    """All failures and exceeded limits."""
    lines = []
    for result in results:
        where = f"{result.program.title}, {result.program.threads} threads, {result.order}"
        if result.failed:
            lines.append(f"- **failed**: {where}: {result.failed}")
        elif result.base:
            lines.append(f"- \\* {where}: {result.remark}; measured on the {result.lines:,} lines without repetition")
    return "\n".join(lines) or "- no program failed or exceeded the limit"


def matching_table(matching):
    """Matching alone, and compiling."""
    rows = []
    for title, figures in matching.items():
        if "failed" in figures:
            rows.append([title, f"failed: {figures['failed']}", "", ""])
            continue
        by_host, shuffled = figures["sorted"], figures["shuffled"]
        row = [title, f"{by_host['ns_per_url']:,.1f}", f"{shuffled['ns_per_url']:,.1f}"]
        rows.append([*row, f"{by_host['compile_seconds'] * 1e3:,.1f}"])
    return table(["matcher", "ns/URL by host", "ns/URL shuffled", "reading the rules of all files, ms"], rows)


def growth_table(growth):
    """Microseconds a line, of the clock and of a processor, and memory, by the number of origins."""
    origins = list(next(iter(growth.values())))
    rows = []
    for title, by_origins in growth.items():
        cells = []
        for figures in by_origins.values():
            if isinstance(figures, str):
                cells += [figures, "", ""]
                continue
            times = [figures[key] / figures["lines"] * 1e6 for key in ("seconds", "cpu_seconds")]
            cells += [*(f"{time:.3g}" for time in times), f"{figures['peak_kib'] >> 10}"]
        rows.append([title, *cells])
    head = [cell for number in origins for cell in (f"{number:,} origins, µs/line", "core µs/line", "peak MiB")]
    return table(["matcher", *head], rows)


def small_table(small):
    """The smallest job."""
    rows = []
    for title, figures in small.items():
        if isinstance(figures, str):
            rows.append([title, figures, "", ""])
            continue
        times = [f"{figures[key] * 1e3:.1f}" for key in ("seconds", "cpu_seconds")]
        rows.append([title, *times, f"{figures['peak_kib'] / 1024:.1f}"])
    return table(["matcher", "ms", "core ms", "peak MiB"], rows)


def heading(facts, matchers, args):
    """The machine and the versions."""
    versions = ", ".join(f"{matcher.name} {matcher.version}".strip() for matcher in matchers)
    after = f" before and {facts['load_after']:.1f} after" if "load_after" in facts else ""
    return "\n".join(
        [
            f"- machine: {facts['cpu']}, {facts['cores']} cores, {facts['memory_gib']} GiB, Linux {facts['kernel']}, "
            f"load {facts['load_before']:.1f}{after}",
            f"- {facts['rustc']}, Python {facts['python']}, Node.js {facts['node'] or 'not there'}",
            f"- matchers: {versions}",
            f"- robosieve's commit: {facts['commit']}; its dialect: rfc9309",
            f"- command: `{args.command}`",
        ]
    )


def list_heading(data, args):
    """The lists and the runs."""
    found = data.facts
    return (
        f"- list: {found['lines']:,} lines, {found['bytes']:,} bytes, {found['hosts']:,} hosts, "
        f"{found['links']:,} distinct links "
        f"repeated; {found['source']}; agent {args.agent}\n"
        f"- runs: {args.rounds} rounds of all programs in turn after one to warm up; medians (slowest–fastest)\n"
        "- memory: no peak is below that of the script which starts the programs, "
        "as a process begins as a copy of its parent"
    )


def rows_section(results):
    """The rows of all programs, by kind, and what is to be said of them."""
    parts = []
    for kind, (title, _) in KINDS.items():
        if any(result.program.kind == kind for result in results):
            parts += [f"## {title}", speed_table(results, kind)]
    return "\n\n".join([*parts, "## Remarks", remarks(results)])


def render_rows(facts, matchers, data, args, results, command):
    """A report of rows alone; for scripts/goals."""
    args.command = command
    head = heading(facts, matchers, args) + "\n" + list_heading(data, args)
    return "\n\n".join(["# Comparison", head, rows_section(results)]) + "\n"


def render(facts, matchers, data, args, measured, skipped):
    """The whole report about speed."""
    results, matching, growth, small = measured
    skips = "\n".join(f"- **skipped: {name}**: {reason}" for name, reason in skipped.items())
    parts = ["# Speed", heading(facts, matchers, args) + "\n" + list_heading(data, args), skips]
    parts.append(rows_section(results))
    if matching:
        parts += [
            "## Matching alone",
            "One thread, rules in memory, origins known: what each matcher measures in its own "
            "process, in processor time.",
            matching_table(matching),
        ]
    parts += [
        "## As origins grow",
        f"The whole program once on {args.growth_lines:,} generated lines, one thread, with a "
        "robots.txt file for each origin.",
        growth_table(growth),
        "## One file, ten URLs",
        "The whole program on one robots.txt of eleven rules, median of 21 runs: what a job costs that is hardly any.",
        small_table(small),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
