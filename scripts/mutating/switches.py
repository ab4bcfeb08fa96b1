"""Source code that has many mutants at once.

The body of a function with mutants becomes a `match` on the number of the active mutant: an arm for each, with the whole body and that
mistake in it, and one for none. So what takes minutes, building, is done once for all. cargo-mutants says what the mutants are.
"""

import hashlib
import json
import re
import subprocess
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

# The environment of a program with switches: the number of the mutant, and the file for the functions that it reaches.
ACTIVE = "ACTIVE_MUTANT"
REACHED = "REACHED_FUNCTIONS"

MODULE = """
#[doc(hidden)]
pub mod mutant_switch {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    static ACTIVE: AtomicU32 = AtomicU32::new(0);
    static REACHED: [AtomicBool; FUNCTIONS] = [const { AtomicBool::new(false) }; FUNCTIONS];

    /// The mutant that is active, from 1, as this function is called.
    #[inline]
    pub fn active(function: usize) -> u32 {
        if !REACHED[function].load(Relaxed) {
            reach(function);
        }
        ACTIVE.load(Relaxed)
    }

    #[cold]
    fn reach(function: usize) {
        let number = std::env::var("ACTIVE_NAME").ok().and_then(|number| number.parse().ok());
        ACTIVE.store(number.unwrap_or(0), Relaxed);
        REACHED[function].store(true, Relaxed);
        if let Ok(path) = std::env::var("REACHED_NAME") {
            let mut file = std::fs::File::options().create(true).append(true).open(path).expect("a file for what is reached");
            file.write_all(format!("{function}\\n").as_bytes()).expect("what is reached");
        }
    }
}
"""

TOKEN = re.compile(
    rb"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^\\'])'|\bfn\b|.""",
    re.DOTALL | re.VERBOSE,
)

# A function that constants may call, which then cannot ask which mutant is active; and what rustc says where one does call it.
CONSTANT = re.compile(rb"\bconst\s+(?=(unsafe\s+)?fn\b)")
CALLED_BY_CONSTANT = re.compile(r"cannot call non-const .*`(?:.*::)?(\w+)(?:::<.*>)?` in (?:constant|static)")
# The name of a constant.
CONSTANT_NAME = re.compile(rb"\b(?:const|static)\s+(\w+)\s*:")
# What the compiler would copy with all these arms to where it is called.
INLINE = re.compile(rb"#\[inline(\(always\))?\]")

# A function that returns an iterator of a type without a name.
OPAQUE = re.compile(rb"->\s*impl Iterator<[^{]*$")


@dataclass(frozen=True)
class Mutant:
    """A mistake: bytes of a file that are replaced by others, and the bytes of the function that they are in, if they are in one."""

    file: str
    name: str
    function: tuple[int, int] | None
    start: int
    end: int
    replacement: bytes

    def in_text(self, text, start, end):
        """These bytes of the file, with the mistake in them."""
        return text[start : self.start] + self.replacement + text[self.end : end]

    def identity(self, text):
        """A hash of the function with the mistake; outside functions, of the lines around it up to empty ones."""
        start, end = self.function or paragraph(text, self.start)
        return hashlib.sha256(b"%s\0%d %s" % (self.file.encode(), self.start - start, self.in_text(text, start, end))).hexdigest()[:16]


def list_mutants(tree, files):
    """All mutants of these files, as cargo-mutants finds them."""
    chosen = [option for file in files for option in ("--file", file)]
    command = ["cargo", "mutants", "--dir", tree, "--list", "--json", *chosen]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    texts = {file: (tree / file).read_bytes() for file in {mutant["file"] for mutant in listed}}
    lines = {file: line_starts(text) for file, text in texts.items()}

    def span(mutant, span):
        return tuple(offset(lines[mutant["file"]], span[end]) for end in ("start", "end"))

    def made(mutant):
        function = span(mutant, mutant["function"]["span"]) if mutant["function"] else None
        start, end = span(mutant, mutant["span"])
        file, name = mutant["file"], mutant["name"]
        name = name if function else f"{name} in {constant(texts[file], start)}"
        return Mutant(file, name, function, start, end, mutant["replacement"].encode())

    return [made(mutant) for mutant in listed]


def paragraph(text, at):
    """Where the lines around this byte begin and end, up to empty ones."""
    end = text.find(b"\n\n", at)
    return text.rfind(b"\n\n", 0, at) + 1, end if end >= 0 else len(text)


def constant(text, at):
    """The name of the constant that this byte, outside functions, is in."""
    names = CONSTANT_NAME.findall(text[paragraph(text, at)[0] : at])
    return names[-1].decode() if names else "a constant"


def line_starts(text):
    """Each line, with where it begins."""
    starts, at = [], 0
    for line in text.splitlines(keepends=True):
        starts.append((at, line.decode()))
        at += len(line)
    return starts


def offset(lines, place):
    """The byte at a line and a column, both counted from 1, columns in characters."""
    start, line = lines[place["line"] - 1]
    return start + len(line[: place["column"] - 1].encode())


def body_of(text, function):
    """Where the body of a function is, with its braces; None if it has none."""
    depth, is_past_name, at = 0, False, function[0]
    while at < function[1]:
        token = TOKEN.match(text, at)[0]
        if token in b"([":
            depth += 1
        elif token in b")]":
            depth -= 1
        elif token == b"fn" and depth == 0:
            is_past_name = True
        elif token == b"{" and depth == 0 and is_past_name:
            return at, function[1]
        at += len(token)
    return None


class SwitchedFile:
    """A file with all its mutants, but for those left out."""

    def __init__(self, text, mutants, numbers, functions):
        self.text, self.numbers, self.functions = text, numbers, functions
        self.mutants = defaultdict(list)
        for mutant in mutants:
            self.mutants[mutant.function].append(mutant)
        self.pieces = []

    def write(self):
        self.region(0, len(self.text), sorted(self.mutants, key=lambda function: (function[0], -function[1])), None)
        return b"".join(piece for piece, _ in self.pieces)

    def region(self, start, end, functions, owner):
        """Bytes of the file, with switches in the outermost of these functions."""
        while functions:
            function, *rest = functions
            within = [other for other in rest if other[1] <= function[1]]
            functions = rest[len(within) :]
            body = body_of(self.text, function)
            self.pieces.append((self.text[start : function[0]], owner))
            self.pieces.append((CONSTANT.sub(b"", INLINE.sub(b"#[inline(never)]", self.text[function[0] : body[0]])), function))
            self.switch(function, body, within)
            start = function[1]
        self.pieces.append((self.text[start:end], owner))

    def switch(self, function, body, within):
        mutants = self.mutants[function]
        number = self.functions[mutants[0].file, function]
        # Each iterator would be of another type.
        is_iterator = OPAQUE.search(self.text[function[0] : body[0]]) is not None
        before, after = (b"Box::new(", b") as Box<dyn Iterator<Item = _> + '_>") if is_iterator else (b"", b"")
        self.pieces.append((b"{ match crate::mutant_switch::active(%d) {\n" % number, function))
        for mutant in mutants:
            arm = b"%d => %s%s%s,\n" % (self.numbers[mutant], before, mutant.in_text(self.text, *body), after)
            self.pieces.append((arm, mutant))
        self.pieces.append((b"_ => " + before, function))
        self.region(*body, within, function)
        self.pieces.append((after + b"}}", function))

    def owners(self):
        """Where each piece begins, and whose it is: a mutant's, or a function's."""
        starts, at = [], 0
        for piece, _ in self.pieces:
            starts.append(at)
            at += len(piece)
        return starts, [owner for _, owner in self.pieces]


class Switched:
    """A tree whose files have these mutants; those that do not compile there leave it one after the other."""

    def __init__(self, tree, mutants):
        self.tree = tree
        self.original = {file: (tree / file).read_bytes() for file in {mutant.file for mutant in mutants}}
        self.root = (tree / "src/lib.rs").read_bytes()
        self.all = mutants
        self.numbers = {mutant: number for number, mutant in enumerate(mutants, 1)}
        functions = sorted({(mutant.file, mutant.function) for mutant in mutants if mutant.function})
        self.functions = {function: number for number, function in enumerate(functions)}
        # Not in this tree, each for its reason.
        self.apart = {mutant for mutant in mutants if not self.can_switch(mutant)}
        self.unviable = set()

    def can_switch(self, mutant):
        """Whether it can be in this tree: not in a constant, nor where each arm would have another type that nobody can name."""
        if mutant.function is None:
            return False
        text = self.original[mutant.file]
        body = body_of(text, mutant.function)
        if body is None or mutant.start < body[0]:
            return False
        signature = text[mutant.function[0] : body[0]]
        return OPAQUE.search(signature) is not None or not re.search(rb"->[^{]*\bimpl\b", signature)

    def may_be_apart(self, mutant):
        """Whether it is built alone, or would be if a constant called its function."""
        return mutant in self.apart or CONSTANT.search(self.original[mutant.file][slice(*mutant.function)]) is not None

    def present(self):
        return [mutant for mutant in self.all if mutant not in self.apart and mutant not in self.unviable]

    def write(self):
        by_file = defaultdict(list)
        for mutant in self.present():
            by_file[mutant.file].append(mutant)
        self.files = {}
        for file, text in self.original.items():
            switched = SwitchedFile(text, by_file[file], self.numbers, self.functions)
            (self.tree / file).write_bytes(switched.write())
            self.files[file] = switched
        module = MODULE.replace("FUNCTIONS]", f"{len(self.functions)}]").replace("ACTIVE_NAME", ACTIVE).replace("REACHED_NAME", REACHED)
        (self.tree / "src/lib.rs").write_bytes(self.root + module.encode())

    def leave_out(self, errors):
        """Leaves out what these errors of rustc are in; the number of mutants left out."""
        before = len(self.apart) + len(self.unviable)
        for error in errors:
            called = CALLED_BY_CONSTANT.search(error["message"])
            if called:
                self.leave_out_constant(called[1].encode())
                continue
            for span in error["spans"]:
                if not span["is_primary"] or span["file_name"] not in self.files:
                    continue
                self.leave_out_at(span["file_name"], span["byte_start"])
        return len(self.apart) + len(self.unviable) - before

    def leave_out_constant(self, name):
        """Leaves out the functions of this name that constants may call."""
        head = re.compile(rb"\bconst\s+(unsafe\s+)?fn\s+%s\b" % name)
        for file, function in self.functions:
            if head.search(self.original[file][slice(*function)]):
                self.apart |= {mutant for mutant in self.all if (mutant.file, mutant.function) == (file, function)}

    def leave_out_at(self, file, at):
        starts, owners = self.files[file].owners()
        owner = owners[bisect_right(starts, at) - 1]
        if isinstance(owner, Mutant):
            self.unviable.add(owner)
        elif owner is not None:
            self.apart |= {mutant for mutant in self.all if (mutant.file, mutant.function) == (file, owner)}

    def restore(self):
        for file, text in self.original.items():
            (self.tree / file).write_bytes(text)
        (self.tree / "src/lib.rs").write_bytes(self.root)
