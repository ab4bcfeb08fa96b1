"""Run a matcher on a list, by its protocol, and find out what it says of each line."""

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field

from comparing.measure import Failed, TooSlow, execute

#: A line's verdict in the protocol `lines`.
WORDS = {b"1": "allowed", b"0": "blocked", b"allowed": "allowed", b"blocked": "blocked"}
LOST, TWICE = "lost", "in both files"


@dataclass
class Job:
    """One run: what to judge, and where the answers go."""

    agent: str
    robots: object
    listed: object
    out: object
    threads: int = 1
    kept: object = None  # what `prepare` makes

    def places(self):
        """What a command may refer to."""
        places = {
            "agent": self.agent,
            "robots": self.robots,
            "list": self.listed,
            "out": self.out,
            "threads": self.threads,
        }
        return places | {"allowed": self.out / "allowed.txt", "blocked": self.out / "blocked.txt", "kept": self.kept}


@dataclass
class Answers:
    """What a matcher said of a list."""

    verdicts: dict = field(default_factory=dict)  # of each different line
    unasked: int = 0  # lines that are not in the list
    out_of_order: bool = False


def clear(job):
    """Empty the output folder."""
    shutil.rmtree(job.out, ignore_errors=True)
    job.out.mkdir(parents=True)


def prepare(matcher, job, limit):
    """Do what a matcher does once, before lists are judged; it is not measured. Whatever goes wrong is Failed."""
    if matcher.prepare:
        try:
            job.kept.unlink(missing_ok=True)
            execute(matcher.words(matcher.prepare, **job.places()), limit, env=matcher.environment())
        except (Failed, TooSlow, OSError) as error:
            raise Failed(f"preparing: {str(error) or 'took too long'}") from error


def run(matcher, job, limit):
    """Run a matcher once; return its Run and what it printed."""
    clear(job)
    words = matcher.words(matcher.command, **job.places())
    if matcher.protocol == "files":
        return execute(words, limit, env=matcher.environment())
    found, _ = execute(words, limit, env=matcher.environment(), listed=job.listed, answers=job.out / "verdicts.txt")
    return found, ""


def lines_of(path):
    """The lines of a file without their ends; none if it is not there."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def count(matcher, job):
    """The lines of each verdict, counted without looking at them; for runs that are timed."""
    if matcher.protocol == "lines":
        found = Counter(WORDS.get(word.strip(), "neither") for word in lines_of(job.out / "verdicts.txt"))
    else:
        found = {name: count_lines(job.out / f"{name}.txt") for name in ("allowed", "blocked")}
    counts = {"allowed": found.get("allowed", 0), "blocked": found.get("blocked", 0)}
    return counts | {"lines": sum(counts.values())}


def lines_in(path):
    """The number of lines in a list."""
    return path.read_bytes().count(b"\n")


def count_lines(path):
    """The number of lines in a file."""
    if not path.exists():
        return 0
    done = subprocess.run(["wc", "-l", str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def answers(matcher, job):
    """What the last run said of each line."""
    asked = lines_of(job.listed)
    if matcher.protocol == "lines":
        return from_words(asked, lines_of(job.out / "verdicts.txt"))
    found = Answers()
    expected, seen = Counter(asked), {}
    for name in ("allowed", "blocked"):
        lines = lines_of(job.out / f"{name}.txt")
        for line, number in Counter(lines).items():
            if line in expected:
                seen.setdefault(line, []).append((name, number))
            else:
                found.unasked += number
        found.out_of_order |= not in_order(lines, asked)
    for line, number in expected.items():
        places = seen.get(line, [])
        whole = len(places) == 1 and places[0][1] == number
        found.verdicts[line] = places[0][0] if whole else (TWICE if len(places) == 2 else LOST)
    return found


def in_order(lines, asked):
    """Whether lines are in the order in which they were asked."""
    rest = iter(asked)
    return all(any(line == other for other in rest) for line in lines)


def from_words(asked, words):
    """The answers in the protocol `lines`: one word for each line."""
    if len(words) != len(asked):
        raise Failed(f"{len(words)} answers for {len(asked)} lines")
    found = Answers()
    for line, word in zip(asked, words, strict=True):
        found.verdicts[line] = WORDS.get(word.strip(), LOST)
    return found
