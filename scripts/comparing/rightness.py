"""Rightness: the verdicts of matchers on the public cases, and on real links where Google's verdicts are known."""

import re
from collections import Counter
from dataclasses import dataclass, field

from comparing import cases as public
from comparing import note, protocol
from comparing.measure import Failed, TooSlow

#: What became of a case that a matcher did not answer.
CRASHED, NOT_ASKED = "crashed", "not asked"
#: Runs that look for the files on which a matcher crashes, at most.
SEARCHES = 40
ORIGIN = re.compile(rb"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
GOOGLE_AGENTS = ("Googlebot", "Bingbot", "GPTBot", "examplebot")
GOOGLE_SETS = ("urls", "probes")


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


def on_cases(matchers, cases, work, limit):
    """The verdicts of all matchers on the cases: {name: Found}."""
    agents = list(dict.fromkeys(case.agent for case in cases))
    found = {}
    for matcher in matchers:
        note(f"rightness: {matcher.name}")
        asking = Asking(matcher, work, limit)
        for agent in agents:
            asking.ask([case for case in cases if case.agent == agent])
        assert len(asking.found.verdicts) == len(cases), "every case has an answer"
        found[matcher.name] = asking.found
    return found


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


def on_google(matchers, found, corpus, work, limit):
    """Compare all with Google's verdicts; return {set: numbers of all and of those without escapes}, or nothing."""
    sizes = {}
    if not (corpus / "google").is_dir():
        return sizes
    work.mkdir(parents=True, exist_ok=True)
    for kind in GOOGLE_SETS:
        lists = {agent: google_list(corpus, kind, agent) for agent in GOOGLE_AGENTS}
        lines = [line for one in lists.values() for line in one]
        sizes[kind] = len(lines), sum(b"%" not in line for line in lines)
        for matcher in matchers:
            note(f"Google's verdicts on {kind}: {matcher.name}")
            try:
                found[matcher.name].google[kind] = (everywhere, plain) = (Counter(), Counter())
                for agent in GOOGLE_AGENTS:
                    differ = differences(matcher, agent, lists[agent], corpus / "robots", work, limit)
                    everywhere.update(differ.values())
                    plain.update(verdict for line, verdict in differ.items() if b"%" not in line)
                for lost in (protocol.LOST, protocol.TWICE):
                    if everywhere[lost]:
                        found[matcher.name].add(f"{everywhere[lost]} lines of {kind} {lost}")
            except TooSlow:
                found[matcher.name].google[kind] = f"over {limit:.0f} s"
            except (Failed, OSError) as error:
                found[matcher.name].google[kind] = f"failed: {error}"
                found[matcher.name].add(f"failed on real links ({kind}): {error}")
    return sizes


def differences(matcher, agent, expected, robots, work, limit):
    """The lines on which a matcher's verdicts differ from the expected ones, with its verdicts."""
    listed = work / "list.txt"
    listed.write_bytes(b"".join(line + b"\n" for line in expected))
    job = protocol.Job(agent, robots, listed, work / "out", kept=work / "kept")
    protocol.prepare(matcher, job, limit)
    protocol.run(matcher, job, limit)
    verdicts = protocol.answers(matcher, job).verdicts
    return {line: verdicts[line] for line, verdict in expected.items() if verdicts[line] != verdict}


def by_topic(cases, verdicts):
    """Right answers by topic: {topic: (right, all)}."""
    right, number = Counter(), Counter()
    for case in cases:
        number[case.topic] += 1
        right[case.topic] += verdicts[case.id] == case.expect
    return {topic: (right[topic], number[topic]) for topic in number}


def misses(cases, verdicts):
    """The kinds that a matcher fails: {(topic, kind): (failed, all, the first case it fails)}."""
    number, failed, first = Counter(), Counter(), {}
    for case in cases:
        key = case.topic, case.kind
        number[key] += 1
        if verdicts[case.id] != case.expect:
            failed[key] += 1
            first.setdefault(key, case)
    return {key: (failed[key], number[key], first[key]) for key in first}
