"""The report, in Markdown."""

from comparing.programs import PEERS, POLICY, TITLES

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
        if program.name == "robosieve" and same and has_policy(program) == has_policy(result.program):
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
    for name, figures in matching.items():
        title = TITLES.get(name, f"**{name}**")
        if "failed" in figures:
            rows.append([title, f"failed: {figures['failed']}", "", "", "", ""])
            continue
        by_host, shuffled, everything = figures["sorted"], figures["shuffled"], figures.get("all")
        compile_all = f"{everything['compile_seconds'] * 1e3:.1f}" if everything else ""
        refused = (everything or by_host).get("refused", "")
        row = [title, f"{by_host['ns_per_url']:.1f}", f"{shuffled['ns_per_url']:.1f}"]
        rows.append([*row, f"{by_host['compile_seconds'] * 1e3:.1f}", compile_all, refused])
    head = ["matcher", "ns/URL by host", "ns/URL shuffled", "compile used files, ms", "compile all files, ms"]
    return table([*head, "files refused"], rows)


def verdict_section(verdicts, links):
    """The differences in verdicts, with examples if `links` may be shown."""
    reference = verdicts["reference"]
    rows, examples = [], []
    for name, found in verdicts["programs"].items():
        title = TITLES.get(name, name)
        if "failed" in found:
            rows.append([title, f"failed: {found['failed']}", "", ""])
            continue
        rows.append([title, found["differ"], found["hosts"], found["allowed"]])
        for example in found["examples"] if links else []:
            url = example["url"].replace("`", "%60")
            examples.append(f"- {title}: `{url}` is {example['here']}, by {reference} {example['reference']}")
    head = ["program", f"differs from {reference}", "hosts", "allowed"]
    return "\n\n".join(filter(None, [table(head, rows), "\n".join(examples)]))


def heading(facts, data, args):
    """The data, the machine and the versions."""
    found = data.facts
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return "\n".join(
        [
            f"- list: {found['lines']:,} lines, {found['bytes']:,} bytes, {found['hosts']:,} hosts, "
            f"{found['links']:,} distinct links repeated; {found['source']}",
            f"- runs: {args.rounds} rounds of all programs in turn after one to warm up; medians (slowest–fastest)",
            f"- machine: {facts['cpu']}, {facts['cores']} cores, {facts['memory_gib']} GiB, Linux {facts['kernel']}, "
            f"load {facts['load_before']:.1f} before and {facts['load_after']:.1f} after",
            f"- compiler: {facts['rustc']}",
            f"- versions: {versions}",
            f"- agent: {args.agent}; robosieve's dialect: rfc9309",
        ]
    )


def render(facts, data, args, results, matching, verdicts):
    """The whole report."""
    parts = ["# Comparison", heading(facts, data, args)]
    for kind, (title, _) in KINDS.items():
        if any(result.program.kind == kind for result in results):
            parts += [f"## {title}", speed_table(results, kind)]
    parts += ["## Remarks", remarks(results)]
    if matching:
        parts += ["## Matching alone, one thread, policy known", matching_table(matching)]
    if verdicts["programs"]:
        parts += [f"## Verdicts on {verdicts['lines']:,} links", verdict_section(verdicts, args.show_links)]
    missing = [name for name in PEERS if not any(result.program.name == name for result in results)]
    if missing:
        parts.append(f"Not asked for: {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"
