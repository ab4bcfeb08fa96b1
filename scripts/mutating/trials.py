"""Trials: tests that reach a mutant are run, the quickest and those that noticed others of its file first, until one fails."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from mutating.switches import ACTIVE, REACHED

PROGRAMS = {"lib": ["--lib"], "library": ["--test", "library"], "verdicts": ["--test", "verdicts"], "cli": ["--test", "cli"]}
# So few mutants need no search for the tests that reach them: about so many seconds are supposed for a test of each program.
FEW = 20
SUPPOSED = {"lib": 0.02, "library": 2.0, "verdicts": 2.0, "cli": 0.5}
# What a test of a mutant may take, at most: memory that it reserves, and a file that it writes.
MOST_MEMORY = 16 << 30
MOST_FILE = 2 << 30
FAILED = re.compile(r"^test (\S+).* \.\.\. FAILED$", re.MULTILINE)


@dataclass(frozen=True)
class Test:
    program: str
    name: str


class FailsWithoutMutant(Exception):
    """A test would notice every mutant, because it fails without one."""


# What came of a mutant, where no test noticed it.
SURVIVES, UNVIABLE = "survives", "does not compile"


class Results:
    """What came of the mutants that were tried, as long as their functions or constants are the same, and the test is there that
    noticed it: that test, SURVIVES, or UNVIABLE."""

    def __init__(self, path, tree, mutants):
        self.path = path
        texts = {file: (tree / file).read_bytes() for file in {mutant.file for mutant in mutants}}
        self.keys = {mutant: mutant.identity(texts[mutant.file]) for mutant in mutants}
        lines = path.read_text().splitlines() if path.exists() else []
        known = {key: result for key, _, result in (line.split("\t") for line in lines)}
        sources = b"".join(path.read_bytes() for folder in ("src", "tests") for path in (tree / folder).rglob("*.rs"))
        words = set(re.findall(r"\w+", sources.decode()))
        self.of, self.noticed = {}, Counter()
        for mutant, key in self.keys.items():
            result = known.get(key)
            if result in (SURVIVES, UNVIABLE) or result and result.split()[1].split("::")[-1] in words:
                self.note(mutant, result)

    def note(self, mutant, result):
        self.of[mutant] = result
        if result not in (SURVIVES, UNVIABLE):
            program, name = result.split()[:2]
            self.noticed[mutant.file, Test(program, name)] += 1

    def are_known(self, mutant):
        """Whether there is no need to try it again."""
        return self.of.get(mutant, SURVIVES) != SURVIVES

    def left(self, mutants):
        """Those of these mutants that are to be tried."""
        return [mutant for mutant in mutants if not self.are_known(mutant)]

    def add(self, mutant, result):
        self.note(mutant, result)
        with self.path.open("a") as file:
            file.write(f"{self.keys[mutant]}\t{mutant.name}\t{result}\n")


def optimised(level):
    """Options of Cargo."""
    return ["--config", f"profile.test.package.robosieve.opt-level={level}"]


def cargo(tree, target, options, *command, incremental=False):
    """What Cargo builds, and the errors of rustc."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_PROFILE_DEV_DEBUG": "0"}
    environment["CARGO_INCREMENTAL"] = str(int(incremental))
    command = ["cargo", *command, "--locked", "--message-format=json", *options]
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    errors = [message["message"] for message in messages if message["reason"] == "compiler-message"]
    errors = [error for error in errors if error["level"] == "error"]
    if done.returncode != 0 and not errors:
        print(done.stderr[-2000:], file=sys.stderr)
    return done.returncode == 0, messages, errors


def executables(messages):
    """The programs of tests that were built, by what PROGRAMS names them."""
    built = [message for message in messages if message["reason"] == "compiler-artifact" and message.get("executable")]
    built = [message for message in built if message["profile"]["test"]]
    return {"lib" if message["target"]["kind"] == ["lib"] else message["target"]["name"]: message["executable"] for message in built}


def build(switched, target, options, programs):
    """Builds these programs of tests of a tree with switches, without the mutants that do not compile."""
    asked = [option for program in programs for option in PROGRAMS[program]]
    # Of a few mutants, all will compile as a rule.
    first = [["check", "--lib"]] if len(switched.present()) > FEW else []
    for command in [*first, ["test", "--no-run", *asked]]:
        while True:
            switched.write()
            is_built, messages, errors = cargo(switched.tree, target, options, *command)
            if is_built:
                break
            count = switched.leave_out(errors)
            print(f"{count} mutants do not compile, or are built apart", file=sys.stderr)
            if count == 0:
                print("".join(error["rendered"] for error in errors), file=sys.stderr)
                return None
    return executables(messages)


class Trials:
    """Tests of a tree, and the mutants that they are tried with."""

    def __init__(self, tree, built, tests, seconds, work, workers, is_sound=False):
        self.tree, self.built, self.tests, self.seconds, self.workers = tree, built, tests, seconds, workers
        # Whether all of these tests are known to pass without a mutant.
        self.is_sound = is_sound
        self.scratch = work / "scratch"
        self.all = [Test(program, name) for program in tests for name in self.names(program) if name.startswith(tuple(tests[program]))]
        self.took = {}
        self.reached = None

    def names(self, program):
        def listed(*options):
            command = [self.built[program], "--list", "--format=terse", *options]
            lines = subprocess.run(command, cwd=self.tree, check=True, capture_output=True, text=True).stdout.splitlines()
            return [line.removesuffix(": test") for line in lines if line.endswith(": test")]

        ignored = set(listed("--ignored"))
        return [name for name in listed() if name not in ignored]

    def execute(self, program, names, limit, variables):
        """Whether these tests pass within so many seconds, and one that does not: its program, its name, and how it ended."""
        folder = self.scratch / f"{time.monotonic_ns()}"
        folder.mkdir(parents=True)
        environment = {**os.environ, **variables, "TMPDIR": str(folder), "CARGO_MANIFEST_DIR": str(self.tree)}
        command = [self.built[program], "--exact", "--test-threads=1", *names]
        output = folder / "output"
        with output.open("w") as file:
            running = subprocess.Popen(
                command, cwd=self.tree, env=environment, stdout=file, stderr=subprocess.STDOUT, preexec_fn=limits, start_new_session=True
            )
            try:
                status = running.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end_group(running)
        text = output.read_text(errors="replace")
        shutil.rmtree(folder, ignore_errors=True)
        if status == 0:
            return True, ""
        failed = FAILED.findall(text)
        started = re.findall(r"^test (\S+)", text, re.MULTILINE)
        name = failed[0] if failed else started[-1] if started else names[0]
        return False, f"{program} {name}" + ("" if failed else " (took too long)" if status is None else " (ended)")

    def measure(self):
        """Runs each of these tests alone, without a mutant: what it reaches, and how long it takes."""
        reached = defaultdict(list)

        def one(test):
            path = self.scratch / f"reached-{time.monotonic_ns()}"
            self.scratch.mkdir(parents=True, exist_ok=True)
            began = time.monotonic()
            passed, _ = self.execute(test.program, [test.name], 600, {REACHED: str(path)})
            functions = {int(line) for line in path.read_text().split()} if path.exists() else set()
            path.unlink(missing_ok=True)
            return test, passed, time.monotonic() - began, functions

        with ThreadPoolExecutor(self.workers) as pool:
            for test, passed, seconds, functions in pool.map(one, self.all):
                if not passed:
                    print(f"fails without a mutant, and is left out: {test.program} {test.name}", file=sys.stderr)
                    continue
                self.took[test] = seconds
                for function in functions:
                    reached[function].append(test)
        self.reached = reached
        print(f"{len(self.took)} tests, {sum(self.took.values()):.0f} s", file=sys.stderr)

    def run(self, switched, results, is_last):
        """Tries what is left of the mutants of a tree with switches. One survives if these tests are the last."""
        mutants = results.left(switched.present())
        if len(mutants) > FEW:
            self.measure()
        for mutant in switched.unviable:
            if mutant not in results.of:
                results.add(mutant, UNVIABLE)

        def one(mutant):
            function = switched.functions[mutant.file, mutant.function]
            return mutant, self.trial(self.of(mutant, function, results.noticed), {ACTIVE: str(switched.numbers[mutant])})

        began = time.monotonic()
        with ThreadPoolExecutor(self.workers) as pool:
            for count, (mutant, result) in enumerate(pool.map(one, mutants), 1):
                if result != SURVIVES or is_last:
                    results.add(mutant, result)
                if count % 100 == 0:
                    print(f"{count} of {len(mutants)}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    def of(self, mutant, function, noticed):
        """The tests for a mutant of a function: first the quickest, and those that noticed most of its file; or the unit tests of its
        file."""
        if self.reached is not None:
            return sorted(self.reached[function], key=lambda test: self.took[test] / (1 + noticed[mutant.file, test]))
        return self.of_file(mutant.file)

    def of_file(self, file):
        module = file.removeprefix("src/").removesuffix(".rs").removesuffix("/mod").replace("/", "::")
        order = list(SUPPOSED)
        return sorted(self.all, key=lambda test: (order.index(test.program), not test.name.startswith(f"{module}::")))

    def trial(self, tests, variables):
        """The test that notices this mutant, or SURVIVES."""
        for batch, seconds in self.batches(tests):
            by_program = defaultdict(list)
            for test in batch:
                by_program[test.program].append(test.name)
            for program, names in by_program.items():
                passed, by = self.execute(program, names, 4 * seconds + (300 if self.reached is None else 5), variables)
                if not passed:
                    return self.confirmed(by)
        return SURVIVES

    def confirmed(self, by):
        """What noticed a mutant. Tests that were not measured must pass without it, or they would notice everything."""
        if self.reached is None and not self.is_sound:
            program, name = by.split()[:2]
            passed, _ = self.execute(program, [name], 600, {})
            if not passed:
                raise FailsWithoutMutant(f"{program} {name} fails without a mutant")
        return by

    def batches(self, tests):
        """Tests that are run together, each time some more, and how long they take without a mutant."""
        batch, seconds, most, whole = [], 0.0, 0.3, 0.0
        for test in tests:
            took = self.took.get(test, SUPPOSED[test.program])
            if whole + took > self.seconds and whole:
                break
            batch.append(test)
            seconds, whole = seconds + took, whole + took
            if seconds >= most:
                yield batch, seconds
                batch, seconds, most = [], 0.0, most * 3
        if batch:
            yield batch, seconds


def limits():
    """Limits that a test may lift: some have limits of their own."""
    for limit, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_FSIZE, MOST_FILE), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))


def end_group(running):
    """Ends what a test started, too."""
    try:
        os.killpg(running.pid, 9)
    except ProcessLookupError:
        pass
    running.wait()


@dataclass(frozen=True)
class Apart:
    """Tries mutants that no tree has beside others: each is built, with one program of tests after the other until one notices it."""

    tree: Path
    target: Path
    features: list[str]
    tests: dict[str, list[str]]
    work: Path
    # The programs whose tests pass without a mutant.
    sound: set[str] = field(default_factory=set)

    def run(self, mutants, results):
        for mutant in mutants:
            results.add(mutant, self.result(mutant))

    def result(self, mutant):
        """What comes of a mutant."""
        path = self.tree / mutant.file
        text = path.read_bytes()
        for program in self.tests:
            self.check(program)
            try:
                path.write_bytes(mutant.in_text(text, 0, len(text)))
                trials = self.trials(program)
            finally:
                path.write_bytes(text)
            if trials is None:
                return UNVIABLE
            result = trials.trial(trials.of_file(mutant.file), {})
            if result != SURVIVES:
                return result
        return SURVIVES

    def check(self, program):
        """A test that fails without a mutant would notice all of them."""
        if program in self.sound:
            return
        trials = self.trials(program)
        passed, by = trials.execute(program, [test.name for test in trials.all], None, {}) if trials else (False, program)
        if not passed:
            raise FailsWithoutMutant(f"{by} fails without a mutant")
        self.sound.add(program)

    def trials(self, program):
        """The tests of a program of the tree as it is; nothing if it does not compile."""
        # Tests other than unit tests run longer than the compiler takes to optimise them.
        options = [*optimised(int(program != "lib")), *self.features]
        is_built, messages, _ = cargo(self.tree, self.target, options, "test", "--no-run", *PROGRAMS[program], incremental=True)
        tests = {program: self.tests[program]}
        return Trials(self.tree, executables(messages), tests, float("inf"), self.work, 1, is_sound=True) if is_built else None
