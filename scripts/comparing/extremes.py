"""Where costs come from: lists over more and more origins, and the other end, one file and a few URLs."""

import os
import shutil
import statistics
import subprocess
from dataclasses import dataclass

from comparing import lists, note, protocol
from comparing.measure import Failed, TooSlow, Wrong

#: The shape of generated data: every host has a robots.txt, as a folder cannot show any other answer.
SHAPE = ["--seed", "9309", "--absent", "0", "--unavailable", "0", "--missing", "0"]
#: Runs of the smallest job.
SMALL_RUNS = 21


@dataclass
class Lists:
    """Generated data with a number of origins."""

    origins: int
    lines: int
    robots: object
    listed: object


def generate(generator, origins, lines, work):
    """Make the robots.txt files of some hosts, and a shuffled list of their URLs."""
    same = [*SHAPE, "--origins", str(origins), "--lines", str(int(lines * lists.SPARE))]
    robots, listed = work / f"robots-{origins}", work / f"list-{origins}.txt"
    shutil.rmtree(robots, ignore_errors=True)
    subprocess.run([generator, "robots", *same, "--dir", robots], check=True, stdout=2)
    made = subprocess.run([generator, "urls", *same], check=True, stdout=subprocess.PIPE).stdout
    kept = lists.known(made, {name.encode() for name in os.listdir(robots)})[:lines]
    listed.write_bytes(b"".join(kept))
    return Lists(origins, len(kept), robots, listed)


def one_run(matcher, job, lines, limit):
    """Run a matcher, check that no line was lost, and return the run and the counts."""
    run, _ = protocol.run(matcher, job, limit)
    counts = protocol.count(matcher, job)
    if counts["lines"] != lines:
        raise Wrong(f"{counts['lines']} of {lines} lines came out")
    return run, counts


def measured(matcher, job, lines, limit, runs):
    """Several runs of a matcher: their median time, the peak of memory, and the counts; or a sentence."""
    try:
        protocol.prepare(matcher, job, limit)
        done = [one_run(matcher, job, lines, limit) for _ in range(runs)]
    except TooSlow:
        return f"over {limit:.0f} s"
    except (Failed, Wrong, OSError) as error:
        return f"failed: {error}"
    if any(counts != done[0][1] for _, counts in done):
        return "failed: its counts differ from run to run"
    runs = [run for run, _ in done]
    return {
        "lines": lines,
        "seconds": statistics.median(run.seconds for run in runs),
        "cpu_seconds": statistics.median(run.cpu_seconds for run in runs),
        "peak_kib": max(run.peak_kib for run in runs),
        "counts": done[0][1],
    }


def growth(generator, matchers, args, sizes):
    """The cost of lists of one length over more and more origins: {title: {origins: figures or a sentence}}."""
    found = {matcher.title: {} for matcher in matchers}
    for origins in sizes:
        note(f"{origins:,} origins: making data")
        data = generate(generator, origins, args.growth_lines, args.work)
        for matcher in matchers:
            if any(isinstance(earlier, str) for earlier in found[matcher.title].values()):
                found[matcher.title][origins] = "not tried"
                continue
            note(f"{origins:,} origins: {matcher.name}")
            job = protocol.Job(args.agent, data.robots, data.listed, args.work / "out", kept=args.work / "kept")
            found[matcher.title][origins] = measured(matcher, job, data.lines, args.limit, 1)
        shutil.rmtree(data.robots)
        data.listed.unlink()
    return found


def small(matchers, args, folder):
    """One file and ten URLs, as when a person asks: {title: figures or a sentence}."""
    robots, listed = folder / "robots", folder / "list.txt"
    shutil.rmtree(folder, ignore_errors=True)
    robots.mkdir(parents=True)
    rules = "".join(f"Disallow: /private-{number}/\n" for number in range(10))
    (robots / "one.example").write_text(f"User-agent: *\nAllow: /private-3/open\n{rules}")
    paths = [
        "",
        "a",
        "private-1/x",
        "private-3/",
        "private-3/open",
        "b?c",
        "private-9/",
        "private",
        "d/private-1/",
        "private-12/",
    ]
    listed.write_text("".join(f"http://one.example/{path}\n" for path in paths))
    found = {}
    for matcher in matchers:
        note(f"one file and ten URLs: {matcher.name}")
        job = protocol.Job(args.agent, robots, listed, folder / "out", kept=folder / "kept")
        figures = measured(matcher, job, len(paths), args.limit, SMALL_RUNS)
        if isinstance(figures, dict) and figures["counts"]["blocked"] != 3:
            figures = f"failed: {figures['counts']['blocked']} blocked instead of 3"
        found[matcher.title] = figures
    return found
