"""One table of both, made of their records: how right each program is, and how fast."""

from comparing import measure, records, rightness, tables
from comparing.markdown import table

HEAD = [
    "program",
    "version",
    "language",
    "wrong, of {musts:,} MUST cases",
    "wrong, of {all:,} cases",
    "wrong, of {urls:,} URLs",
    "one thread, M lines/s",
    "two threads",
]


def wrong_cases(record, cases, takes):
    """How many cases of a MUST a program answers wrong, and how many of all; nothing for one that was not asked."""
    if record is None:
        return ["", ""]
    by_level = rightness.counted(cases, record["differs"], takes, lambda case: case.level)
    return [f"{by_level['MUST']['wrong']:,}", f"{sum(counter['wrong'] for counter in by_level.values()):,}"]


def shown_rate(result):
    """The median of a row, with a star if the list was too long for it; a dash if there is no row, or no time."""
    if result is None or result.rate() is None:
        return "–"
    return tables.rate(result.rate()) + ("*" if result.short else "")


def rows_of(results, order):
    """The rows of programs on a list: the result by threads, by title, the fastest first."""
    rows = {}
    for result in results:
        if result.kind == "filter" and result.order == order:
            rows.setdefault(result.title, {})[result.threads] = result
    return dict(sorted(rows.items(), key=lambda row: -(row[1][1].rate() or 0)))


def render(speed, rightness_records, cases):
    """The table, and what its star means."""
    settings = speed[0]["settings"]
    known = {one["name"]: one for one in speed[0]["facts"]["matchers"]}
    asked = {record["program"]: record for record in records.of_table(rightness_records, "rightness")}
    rows, rows_by_threads = [], rows_of(measure.results_of(speed), settings["lists"].split(",")[0])
    for title, by_threads in rows_by_threads.items():
        first = by_threads[1]
        matcher = known[first.name]
        wrong = wrong_cases(asked.get(first.name), cases, matcher["takes"])
        speeds = [shown_rate(by_threads.get(threads)) for threads in (1, 2)]
        rows.append([title, matcher["version"], matcher["language"], *wrong, tables.wrong_lines([first]), *speeds])
    numbers = {"musts": sum(case.level == "MUST" for case in cases), "all": len(cases)}
    numbers["urls"] = speed[0]["facts"]["lists"]["distinct"]
    text = table([cell.format(**numbers) for cell in HEAD], rows)
    if any(one.short for by_threads in rows_by_threads.values() for one in by_threads.values()):
        limit = f"{settings['limit']:.0f} s"
        text += f"\n\n\\* on a list without repetition, because the full one took longer than {limit}"
    return text + "\n"
