"""What a matcher makes of a list: its partition, and whether that is the one expected.

A description carries the counts and a digest of its matcher's partition of each list. Where it has none, the partition
must be that of the reference of the dialect that the matcher claims. A partition that is neither has no time.
"""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass

from comparing import lists, note, protocol, rightness
from comparing.measure import Failed, TooSlow, Wrong

#: How a verdict is written in a kept partition.
LETTERS = {"allowed": b"1", "blocked": b"0"}
VERDICTS = {ord("1"): "allowed", ord("0"): "blocked"}
#: The matcher whose verdicts are the reference of RFC 9309.
NAIVE = "oracle"
#: The table of partitions in a description; it is the last one.
TABLE = re.compile(r"\n*^\[expected\..*", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Partition:
    """The counts, and a digest of which line is where."""

    allowed: int
    blocked: int
    digest: str

    def shown(self):
        """For people."""
        return f"{self.allowed:,} allowed, {self.blocked:,} blocked, digest {self.digest}"


@dataclass(frozen=True)
class Standing:
    """Whether a partition is one whose time is shown."""

    problem: str = ""  # why not
    wrong: int | None = None  # lines that differ from the reference, if known


def sealed(counts, allowed, blocked):
    """A partition by the digests of its two files."""
    return Partition(counts["allowed"], counts["blocked"], hashlib.sha256(allowed + blocked).hexdigest()[:32])


def of_verdicts(listed, verdict):
    """The partition of a list by a function of its lines, in the list's order."""
    files = {name: hashlib.sha256() for name in LETTERS}
    counts = Counter()
    with open(listed, "rb") as lines:
        for line in lines:
            found = verdict(line.rstrip(b"\n"))
            counts[found] += 1
            if found in files:
                files[found].update(line)
    return sealed(counts, files["allowed"].digest(), files["blocked"].digest())


def of_output(matcher, job):
    """The partition that the last run wrote."""
    if matcher.protocol == "lines":
        words = iter(protocol.lines_of(job.out / "verdicts.txt"))
        found = of_verdicts(job.listed, lambda _: protocol.WORDS.get(next(words, b"").strip(), protocol.LOST))
        if next(words, None) is not None:
            raise Wrong("more answers than lines")
        return found
    digests = {}
    for name in LETTERS:
        path = job.out / f"{name}.txt"
        digests[name] = lists.file_digest(path).digest() if path.exists() else hashlib.sha256().digest()
    return sealed(protocol.count(matcher, job), digests["allowed"], digests["blocked"])


class Partitions:
    """The partitions of all matchers, and the references."""

    def __init__(self, kept, naive, corpus, work, limit, accept=False):
        self.kept, self.naive, self.corpus, self.work = kept, naive, corpus, work
        self.limit, self.accept = limit, accept
        self.references = {}  # by dialect and list: verdicts of each line, or None
        self.found = {}  # by list: the verdicts of each matcher
        self.accepted = {}  # by the name of a matcher: what its description shall expect
        self.predicted = {}

    # Verdicts are kept by the digest of their partition, so what is kept is right or it is not taken.

    def place(self, questions, digest):
        """Where the verdicts of a partition are kept."""
        return self.kept / "partitions" / questions.checksum / f"{digest}.bits"

    def keep(self, questions, partition, verdicts):
        """Keep the verdicts of a partition."""
        path = self.place(questions, partition.digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(LETTERS.get(verdicts[line], b"-") for line in protocol.lines_of(questions.listed)))

    def known(self, questions, digest):
        """The verdicts of a partition that is kept, or None."""
        path = self.place(questions, digest)
        if not path.exists():
            return None
        lines, letters = protocol.lines_of(questions.listed), path.read_bytes()
        verdicts = {line: VERDICTS.get(letter, protocol.LOST) for line, letter in zip(lines, letters, strict=False)}
        if len(letters) != len(lines) or of_verdicts(questions.listed, verdicts.get).digest != digest:
            return None
        return verdicts

    def run(self, matcher, questions, limit):
        """The verdicts of a matcher by a run; keeps them."""
        out = self.work / "partition"
        job = protocol.Job(
            questions.agent, questions.robots, questions.listed, out, kept=self.work / f"{matcher.name}.kept"
        )
        protocol.prepare(matcher, job, limit)
        protocol.run(matcher, job, limit)
        verdicts = protocol.answers(matcher, job).verdicts
        partition = of_verdicts(questions.listed, verdicts.get)
        if matcher.protocol == "files" and of_output(matcher, job) != partition:
            raise Wrong("its output is not the list's lines in the list's order")
        self.keep(questions, partition, verdicts)
        return partition, verdicts

    def reference(self, dialect, questions):
        """The verdicts of the reference of a dialect, or None if it has none for this list."""
        key = dialect, questions.checksum
        if key not in self.references:
            self.references[key] = self.read_reference(dialect, questions)
        return self.references[key]

    def read_reference(self, dialect, questions):
        """Google's verdicts are in the corpus; those of RFC 9309 are a naive reading's."""
        if dialect == "google":
            try:
                found = [rightness.google_list(self.corpus, kind, questions.agent) for kind in rightness.GOOGLE_SETS]
            except OSError:
                return None
            verdicts = found[0] | found[1]
            lines = protocol.lines_of(questions.listed)
            known = sum(line in verdicts for line in lines)
            return verdicts if known * 2 > len(lines) else None
        expected, mark = self.naive.expected.get(questions.checksum), self.mark(questions)
        digest = expected["digest"] if expected else mark.exists() and mark.read_text()
        verdicts = digest and self.known(questions, digest)
        if verdicts:
            return verdicts
        note(f"the naive reading of {questions.name}: this takes minutes, once")
        try:
            partition, verdicts = self.run(self.naive, questions, self.limit * 10)
            mark.write_text(partition.digest)
            return verdicts
        except (Failed, Wrong, TooSlow, OSError) as error:
            note(f"no reference for {questions.name}: {error or 'the naive reading took too long'}")
            return None

    def mark(self, questions):
        """Where the digest of the naive reading's partition is kept, by the program that makes it."""
        root = self.naive.places["root"]
        sources = ("datasets/cases/making/oracle.py", "scripts/peers/python/oracle.py")
        version = hashlib.sha256(b"".join((root / source).read_bytes() for source in sources)).hexdigest()[:16]
        return self.kept / "partitions" / questions.checksum / f"naive-{version}.digest"

    def differences(self, matcher, questions, verdicts):
        """How many lines differ from the reference; None without one."""
        reference = self.reference(matcher.dialect, questions)
        if reference is None:
            return None
        return sum(verdict != reference[line] for line, verdict in verdicts.items() if line in reference)

    def standing(self, matcher, questions, partition, verdicts):
        """Whether a partition is the expected one; `verdicts` is a function that finds them, if they are needed."""
        lost = protocol.lines_in(questions.listed) - partition.allowed - partition.blocked
        if lost:
            return Standing(f"{lost:,} lines are in neither file, or in both")
        if self.accept:
            if matcher is self.naive:
                self.references["rfc9309", questions.checksum] = verdicts()
                self.keep(questions, partition, verdicts())
            wrong = self.differences(matcher, questions, verdicts())
            entry = {"list": questions.name, "agent": questions.agent, "allowed": partition.allowed}
            entry |= {"blocked": partition.blocked, "digest": partition.digest} | (
                {} if wrong is None else {"wrong": wrong}
            )
            self.accepted.setdefault(matcher.name, {})[questions.checksum] = entry
            return Standing(wrong=wrong)
        expected = matcher.expected.get(questions.checksum)
        if expected:
            wanted = Partition(expected["allowed"], expected["blocked"], expected["digest"])
            if partition == wanted:
                return Standing(wrong=expected.get("wrong"))
            return Standing(f"not the partition of its description: {partition.shown()}; expected {wanted.shown()}")
        naive = self.naive.expected.get(questions.checksum)
        if matcher.dialect == "rfc9309" and naive and naive["digest"] == partition.digest:
            return Standing(wrong=0)
        wrong = self.differences(matcher, questions, verdicts())
        if wrong == 0:
            return Standing(wrong=0)
        said = "there is no reference for it" if wrong is None else f"{wrong:,} lines are wrong"
        return Standing(f"its description expects no partition of this list, and {said} (--accept)", wrong)

    def judge(self, matcher, questions):
        """The standing of a matcher on a list, and its verdicts if it has one; runs it unless they are kept."""
        expected = matcher.expected.get(questions.checksum)
        verdicts = None if self.accept or not expected else self.known(questions, expected["digest"])
        if verdicts is not None:
            standing = Standing(wrong=expected.get("wrong"))
        else:
            note(f"its partition of {questions.name}: {matcher.name}")
            try:
                partition, verdicts = self.run(matcher, questions, self.limit)
                standing = self.standing(matcher, questions, partition, lambda: verdicts)
            except TooSlow:
                return Standing(f"over {self.limit:.0f} s for each line once")
            except (Failed, Wrong, OSError) as error:
                return Standing(str(error))
        self.found.setdefault(questions.checksum, {})[matcher.name] = verdicts
        return standing

    def predict(self, matcher, questions, listed):
        """The partition that a list made of the lines of `questions` must have."""
        verdicts = self.found[questions.checksum][matcher.name]
        key = matcher.name, listed
        if key not in self.predicted:
            self.predicted[key] = of_verdicts(listed, verdicts.get)
        return self.predicted[key]

    def check(self, matcher, questions, job):
        """Refuse a run that wrote another partition than the matcher's own."""
        found, expected = of_output(matcher, job), self.predict(matcher, questions, job.listed)
        if found != expected:
            raise Wrong(f"another partition than before: {found.shown()}; expected {expected.shown()}")


def write_expected(matcher, accepted):
    """Write what a description shall expect to its end; entries of lists with the same name are replaced."""
    names = {entry["list"] for entry in accepted.values()}
    kept = {key: entry for key, entry in matcher.expected.items() if entry["list"] not in names}
    text = TABLE.sub("", matcher.path.read_text(encoding="utf-8")).rstrip("\n") + "\n"
    for key, entry in sorted((kept | accepted).items(), key=lambda item: item[1]["list"]):
        text += f"\n[expected.{key}]\n"
        text += "".join(
            f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {value}\n"
            for name, value in entry.items()
        )
    matcher.path.write_text(text, encoding="utf-8")
    note(f"{matcher.path}: {len(accepted)} partitions")
