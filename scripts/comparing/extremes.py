"""Where costs come from: lists over more and more origins, files of more and more rules, one file and a few URLs."""

import os
import shutil

from comparing import calls, lists, note, protocol, sizes
from comparing.measure import PATIENCE, Failed, TooSlow, Wrong
from comparing.partitions import of_output

#: The smallest job: the paths, and whether the rules below allow them.
SMALL = {
    "": True,
    "a": True,
    "private-1/x": False,
    "private-3/": False,
    "private-3/open": True,
    "b?c": True,
    "private-9/": False,
    "private": True,
    "d/private-1/": True,
    "private-12/": True,
}


def one_run(matcher, questions, job, limit, partitions):
    """One run of a matcher, and whether its partition is the one expected; what its record says, and the partition."""
    load = os.getloadavg()[0]
    try:
        run, _ = protocol.run(matcher, job, limit)
        partition = of_output(matcher, job)
        standing = partitions.standing(matcher, questions, partition, lambda: protocol.answers(matcher, job).verdicts)
    except TooSlow:
        return {"outcome": "too slow", "limit": limit, "load": load}, None
    except (Failed, Wrong, OSError) as error:
        return {"outcome": "failed", "problem": str(error), "load": load}, None
    if standing.problem:
        return {"outcome": "barred", "problem": standing.problem, "wrong": standing.wrong, "load": load}, None
    took = {"seconds": run.seconds, "processor_seconds": run.cpu_seconds, "memory_kib": run.peak_kib}
    counts = {"allowed": partition.allowed, "blocked": partition.blocked}
    return {"outcome": "ok", **took, "load": load, "counts": counts, "wrong": standing.wrong}, partition


def one_class(matcher, questions, job, limit, partitions):
    """A matcher's own measurement of a class of files, if its partition is the one expected; what its record says."""
    try:
        protocol.prepare(matcher, job, limit)
    except Failed as error:
        return {"outcome": "failed", "problem": str(error)}
    judged, partition = one_run(matcher, questions, job, limit, partitions)
    if judged["outcome"] != "ok" or partitions.accept:
        return judged
    return {name: judged[name] for name in ("counts", "wrong")} | calls.figures(matcher, job, limit, partition)


class Extremes:
    """Measures matchers on lists of their own: each list is given to all of them."""

    def __init__(self, setup, args, partitions, kept):
        self.setup, self.args, self.partitions, self.kept = setup, args, partitions, kept
        self.limit = max(args.limit, PATIENCE)

    def described(self, table, matcher, questions, number):
        """What a record says before its run is made."""
        what = {"record": "measurement", "table": table, "program": matcher.name, "title": matcher.title}
        what |= {"kind": "filter", "threads": 1, "list": questions.name, "short": False, "round": number}
        what |= {"lines": protocol.lines_in(questions.listed), "bytes": questions.listed.stat().st_size}
        return what | self.setup.facts_of(matcher) | {"corpus": questions.checksum}

    def measured(self, table, matcher, questions, rounds):
        """Some rounds of a matcher, until one has no time; whether all had one."""
        job = protocol.Job(
            self.args.agent, questions.robots, questions.listed, self.args.work / "out", kept=self.args.work / "kept"
        )
        prepared = False
        for number in range(1, rounds + 1):
            what = self.described(table, matcher, questions, number)
            if not prepared and not self.kept.find(what):
                try:
                    protocol.prepare(matcher, job, self.limit)
                except Failed as error:
                    problem = str(error)
                    self.kept.measured(what, lambda problem=problem: {"outcome": "failed", "problem": problem})
                    return False
                prepared = True
            record = self.kept.measured(what, lambda: one_run(matcher, questions, job, self.limit, self.partitions)[0])
            if record["outcome"] != "ok":
                note(f"  {record['outcome'].upper()}: {matcher.name}, {questions.name}: {record.get('problem', '')}")
                return False
        return True

    def growth(self, generator, matchers, sizes):
        """The cost of lists of one length over more and more origins."""
        ended = set()
        for origins in sizes:
            note(f"{origins:,} origins: making data")
            robots, listed = self.args.work / f"robots-{origins}", self.args.work / f"list-{origins}.txt"
            made = lists.generate(generator, origins, self.args.growth_lines, robots)
            listed.write_bytes(b"".join(made))
            name = f"{len(made):,} generated lines, {origins:,} origins"
            questions = lists.Questions(name, self.args.agent, robots, listed)
            for matcher in matchers:
                if matcher.name in ended:
                    self.kept.measured(
                        self.described("growth", matcher, questions, 1), lambda: {"outcome": "not tried"}
                    )
                    continue
                note(f"{origins:,} origins: {matcher.name}")
                if not self.measured("growth", matcher, questions, 1):
                    ended.add(matcher.name)
            shutil.rmtree(robots)
            listed.unlink()

    def sizes(self, matchers, numbers):
        """The cost of parsing a file, and of one URL, by the number of rules; of matchers that measure calls."""
        for rules in numbers:
            made = sizes.make(self.args.work / f"rules-{rules}", rules)
            questions = lists.Questions(made.name, self.args.agent, made.robots, made.listed)
            self.known(questions, made.verdicts)
            job = protocol.Job(
                self.args.agent, made.robots, made.listed, self.args.work / "out", kept=self.args.work / "kept"
            )
            for matcher in matchers:
                if not matcher.calls:
                    continue
                note(f"{made.name}: {matcher.name}")
                what = self.described("sizes", matcher, questions, 1) | {"rules": rules, "files": made.files}
                record = self.kept.measured(
                    what,
                    lambda matcher=matcher, questions=questions, job=job: one_class(
                        matcher, questions, job, self.limit, self.partitions
                    ),
                )
                if record["outcome"] != "ok":
                    note(f"  {record['outcome'].upper()}: {matcher.name}: {record.get('problem', '')}")

    def known(self, questions, verdicts):
        """Take the verdicts on a list that was made with them for those of both references."""
        for dialect in ("rfc9309", "google"):
            self.partitions.references[dialect, questions.checksum] = verdicts

    def small(self, matchers, rounds):
        """One file and ten URLs, as when a person asks."""
        folder = self.args.work / "small"
        robots, listed = folder / "robots", folder / "list.txt"
        robots.mkdir(parents=True)
        rules = "".join(f"Disallow: /private-{number}/\n" for number in range(10))
        (robots / "one.example").write_text(f"User-agent: *\nAllow: /private-3/open\n{rules}")
        listed.write_text("".join(f"http://one.example/{path}\n" for path in SMALL))
        questions = lists.Questions("one file, ten URLs", self.args.agent, robots, listed)
        right = {
            f"http://one.example/{path}".encode(): "allowed" if fine else "blocked" for path, fine in SMALL.items()
        }
        self.known(questions, right)
        for matcher in matchers:
            note(f"one file and ten URLs: {matcher.name}")
            self.measured("small", matcher, questions, rounds)
