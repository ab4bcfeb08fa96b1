"""Rightness: the verdicts of matchers on the public cases, and on real links where Google's verdicts are known."""

import re
from collections import Counter
from dataclasses import dataclass, field

from comparing import cases as public
from comparing import machine, note, protocol
from comparing.measure import Failed, TooSlow

#: What became of a case that a matcher did not answer.
CRASHED, NOT_ASKED = "crashed", "not asked"
#: Runs that look for the files on which a matcher crashes, at most.
SEARCHES = 40
ORIGIN = re.compile(rb"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
GOOGLE_AGENTS = ("examplebot", "Googlebot", "Bingbot", "GPTBot")
GOOGLE_SETS = ("urls", "probes")


#: What a difference from the answer of a case is, if it is not wrong.
OPEN, CALLERS = "another reading", "the caller's"


def standing(case, verdict, takes):
    """What a verdict on a case is: right, wrong, another reading that can be defended, or the caller's job.

    A crash and a lost line are wrong, whatever the case is about.
    """
    if verdict == case.expect:
        return "right"
    if verdict in ("allowed", "blocked"):
        if case.caller and takes == "path":
            return CALLERS
        if case.open:
            return OPEN
    return "wrong"


@dataclass
class Found:
    """What one matcher said."""

    verdicts: dict = field(default_factory=dict)  # by the id of a case
    problems: list = field(default_factory=list)  # crashes and the like, as sentences
    google: dict = field(default_factory=dict)  # by set: differences, all and of URLs without escapes, or a sentence

    def add(self, problem):
        """Note a problem once."""
        if problem not in self.problems:
            self.problems.append(problem)


class Asking:
    """Asks one matcher about cases; where it crashes, asks again about fewer, until it is known where."""

    def __init__(self, matcher, work, limit):
        self.matcher, self.work, self.limit = matcher, work, limit
        self.found, self.searches = Found(), SEARCHES

    def ask(self, cases):
        """Put the verdicts on some cases, which have one agent, into `found`."""
        try:
            answers = self.answers(cases)
        except (Failed, TooSlow, OSError) as error:
            self.divide(cases, error)
            return
        for case in cases:
            self.found.verdicts[case.id] = answers.verdicts[case.url]
        if answers.unasked:
            self.found.add(f"{answers.unasked} lines in its output that were not in the list")
        if answers.out_of_order:
            self.found.add("its output is not in the order of the list")
        lost = Counter(answers.verdicts.values())
        for kind in (protocol.LOST, protocol.TWICE):
            if lost[kind]:
                first = next(case.id for case in cases if self.found.verdicts[case.id] == kind)
                self.found.add(f"{lost[kind]} lines {kind}, the first in {first}")

    def answers(self, cases):
        """Run the matcher on some cases."""
        robots, listed = public.lay_out(cases, self.work / "cases")
        job = protocol.Job(cases[0].agent, robots, listed, self.work / "out", kept=self.work / "kept")
        protocol.prepare(self.matcher, job, self.limit)
        protocol.run(self.matcher, job, self.limit)
        return protocol.answers(self.matcher, job)

    def divide(self, cases, error):
        """After a crash: ask again about the halves, by host."""
        hosts = list(dict.fromkeys(case.host for case in cases))
        if len(hosts) == 1:
            said = "takes too long" if isinstance(error, TooSlow) else error
            self.found.add(f"{CRASHED} on {len(cases)} cases, the first {cases[0].id}: {said}")
        if len(hosts) == 1 or self.searches <= 0:
            mark = CRASHED if len(hosts) == 1 else NOT_ASKED
            self.found.verdicts |= {case.id: mark for case in cases}
            if mark == NOT_ASKED:
                self.found.add(f"{len(cases)} cases not asked: it crashed too often")
            return
        self.searches -= 1
        half = set(hosts[: len(hosts) // 2])
        self.ask([case for case in cases if case.host in half])
        self.ask([case for case in cases if case.host not in half])


def on_cases(matcher, cases, args):
    """What a matcher says of all cases."""
    note(f"rightness: {matcher.name}")
    asking = Asking(matcher, args.work, args.limit)
    for agent in dict.fromkeys(case.agent for case in cases):
        asking.ask([case for case in cases if case.agent == agent])
    assert len(asking.found.verdicts) == len(cases), "every case has an answer"
    return asking.found


def measure(matchers, cases, args, agents, kept):
    """Keep a record of what each matcher says; return the verdicts: {name: {case: verdict}}."""
    lists = google_lists(args.corpus, agents)
    verdicts = {}
    for matcher in matchers:
        what = {"record": "measurement", "table": "rightness", "program": matcher.name, "title": matcher.title}
        record = kept.measured(what, lambda matcher=matcher: record_of(matcher, cases, lists, args))
        verdicts[matcher.name] = {case.id: record["differs"].get(case.id, case.expect) for case in cases}
    return verdicts


def record_of(matcher, cases, lists, args):
    """What the record of a matcher says: the cases that it answers otherwise, and how Google's library differs."""
    found = on_cases(matcher, cases, args)
    for kind, by_agent in lists.items():
        slow = next((known for known, one in found.google.items() if one.get("slow")), None)
        if slow is None:
            found.google[kind] = on_google(matcher, found, kind, by_agent, args)
        else:
            found.google[kind] = {"problem": f"not tried: too slow for {slow}"}
    differs = {case.id: found.verdicts[case.id] for case in cases if found.verdicts[case.id] != case.expect}
    record = {
        "version": matcher.version,
        "language": matcher.language,
        "compiler": machine.compiler(matcher),
        "differs": differs,
    }
    return {"outcome": "ok"} | record | {"problems": found.problems, "google": found.google}


def google_list(corpus, kind, agent):
    """The lines and Google's verdicts of one set: {line: verdict}."""
    verdicts = {}
    for row in (corpus / "google" / f"{kind}.{agent}.tsv").read_text().splitlines():
        host, bits = row.split("\t")
        lines = (corpus / kind / host).read_bytes().split(b"\n")[: len(bits)]
        for line, bit in zip(lines, bits, strict=True):
            rewritten, count = ORIGIN.subn(b"http://" + host.encode(), line)
            if count and not rewritten.endswith(b"\r"):
                verdicts[rewritten] = "allowed" if bit == "1" else "blocked"
    return verdicts


def google_lists(corpus, agents):
    """Google's verdicts by set and agent; nothing without a corpus."""
    if not (corpus / "google").is_dir():
        return {}
    return {kind: {agent: google_list(corpus, kind, agent) for agent in agents} for kind in GOOGLE_SETS}


def on_google(matcher, found, kind, by_agent, args):
    """How a matcher differs from Google's verdicts: by its verdict, of all lines and of those without escapes."""
    note(f"Google's verdicts on {kind}: {matcher.name}")
    lines = [line for one in by_agent.values() for line in one]
    everywhere, plain = Counter(), Counter()
    try:
        for agent, expected in by_agent.items():
            differ = differences(matcher, agent, expected, args.corpus / "robots", args.work, args.limit)
            everywhere.update(differ.values())
            plain.update(verdict for line, verdict in differ.items() if b"%" not in line)
    except TooSlow:
        return {"problem": f"over {args.limit:.0f} s", "slow": True}
    except (Failed, OSError) as error:
        found.add(f"failed on real links ({kind}): {error}")
        return {"problem": f"failed: {error}"}
    for lost in (protocol.LOST, protocol.TWICE):
        if everywhere[lost]:
            found.add(f"{everywhere[lost]} lines of {kind} {lost}")
    sizes = [len(lines), sum(b"%" not in line for line in lines)]
    return {"lines": sizes, "differ": [dict(everywhere), dict(plain)]}


def differences(matcher, agent, expected, robots, work, limit):
    """The lines on which a matcher's verdicts differ from the expected ones, with its verdicts."""
    listed = work / "list.txt"
    listed.write_bytes(b"".join(line + b"\n" for line in expected))
    job = protocol.Job(agent, robots, listed, work / "out", kept=work / "kept")
    protocol.prepare(matcher, job, limit)
    protocol.run(matcher, job, limit)
    verdicts = protocol.answers(matcher, job).verdicts
    return {line: verdicts[line] for line, verdict in expected.items() if verdicts[line] != verdict}


def counted(cases, differs, takes, column):
    """What the verdicts are, by a property of the cases: {value: Counter of standings}."""
    found = {}
    for case in cases:
        counter = found.setdefault(column(case), Counter())
        counter[standing(case, differs.get(case.id, case.expect), takes)] += 1
    return found


def misses(cases, differs):
    """The kinds of which a matcher answers cases otherwise: {(topic, kind): (how many, all, the first of them)}."""
    number, failed, first = Counter(), Counter(), {}
    for case in cases:
        key = case.topic, case.kind
        number[key] += 1
        if case.id in differs:
            failed[key] += 1
            first.setdefault(key, case)
    return {key: (failed[key], number[key], first[key]) for key in first}
