"""The project's goals, and how this run compares with them."""

from comparing.markdown import table
from comparing.programs import POLICY

#: The copy that writes like robosieve: chunks of lines, by all threads, to one file.
COPY = "copy"


def speed(results, name, kind, threads, order, title=None):
    """Million lines per second in one row, or None."""
    for result in results:
        row = (result.name, result.kind, result.threads, result.order)
        if row == (name, kind, threads, order) and title in (None, result.title):
            return result.rate()
    return None


def ratio(a, b):
    """The ratio of two figures, if both exist."""
    return a / b if a and b else None


def figure(matching, name, order, key):
    """A figure of the walk only, or None."""
    return matching.get(name, {}).get(order, {}).get(key)


def all_goals(results, matching):
    """All goals: name, required and target figures, measured figure, unit, and whether more is better."""

    def own(order, key):
        return figure(matching, "robosieve", order, key)

    def rate(name, kind, threads, order, title=None):
        return speed(results, name, kind, threads, order, title)

    def against_copy(order, added=""):
        written = rate("robosieve", "filter", 2, order, f"**robosieve** filter{added}")
        return ratio(written, rate("copy", "copy", 2, order, COPY))

    def counted(added=""):
        own = rate("robosieve", "count", 2, "shuffled", f"**robosieve** filter --count{added}")
        return ratio(own, rate("before", "count", 2, "shuffled", f"robosieve before filter --count{added}"))

    def against_before(order, key):
        return ratio(figure(matching, "before", order, key), own(order, key))

    against_fast = ratio(figure(matching, "fast-robots", "shuffled", "ns_per_url"), own("shuffled", "ns_per_url"))
    filters = ratio(rate("robosieve", "filter", 1, "shuffled"), rate("fast-robots", "filter", 1, "shuffled"))

    def compiling(files):
        return ratio(own(files, "compile_seconds"), figure(matching, "texting_robots", files, "compile_seconds"))

    before = " times the version before"
    return [
        (
            "whole filter, 2 threads, shuffled, against a copy by 2 threads",
            0.58,
            0.75,
            against_copy("shuffled"),
            " of it",
            True,
        ),
        (f"the same{POLICY}", 0.58, 0.75, against_copy("shuffled", POLICY), " of it", True),
        ("whole filter, 2 threads, sorted by host", 0.82, 0.9, against_copy("sorted"), " of it", True),
        (f"the same{POLICY}", 0.82, 0.9, against_copy("sorted", POLICY), " of it", True),
        ("judged but not written, 2 threads, shuffled", 2.9, 3.5, counted(), before, True),
        (f"the same{POLICY}", 2.9, 3.5, counted(POLICY), before, True),
        ("whole filter, 1 thread, shuffled, against the fast-robots program", 7, 10, filters, " times its speed", True),
        ("walk only, in list order", 2.1, 2.5, against_before("sorted", "ns_per_url"), before, True),
        ("the same shuffled", 2.2, 3, against_before("shuffled", "ns_per_url"), before, True),
        ("the same shuffled, against fast-robots' compiled matcher", 13, 20, against_fast, " times its speed", True),
        (
            "split the origin and look it up, shuffled",
            1.4,
            2,
            against_before("shuffled", "ns_split_and_look_up"),
            before,
            True,
        ),
        ("compiling the corpus, one thread, against texting_robots", 1, 0.8, compiling("all"), " of its time", False),
        ("compiling only the files that the list needs", 1, 0.8, compiling("sorted"), " of its time", False),
    ]


def goals_table(results, matching):
    """The goals as Markdown, with required and target figures."""
    rows = []
    for what, asked, aim, measured, unit, more in all_goals(results, matching):
        bound = "at least" if more else "at most"
        if measured is None:
            rows.append([what, f"{bound} {asked}{unit}", aim, "not measured", ""])
            continue
        met = measured >= asked if more else measured <= asked
        rows.append([what, f"{bound} {asked}{unit}", aim, f"{measured:.3g}{unit}", "met" if met else "**missed**"])
    return table(["goal", "asked for", "aim", "measured", ""], rows)
