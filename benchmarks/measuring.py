"""What all benchmarks share: run processes in turn, take medians, check the values, print a line a claim.

CPU is user and system time of the whole process with its threads and children, as the kernel counts
it (`os.wait4`): a busy machine makes it wait longer, which is not counted, but also evicts its caches,
which is. Memory is the most that was resident at once. A child that is forked begins with the peak of
its parent, so nothing large (NumPy, data) is loaded here: whatever needs it runs in a process of its own.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
MEASURES = ("nDCG@10", "AP", "RR", "P@10")
RUNS = 5
OURS = "rankscope"


@dataclass(frozen=True)
class Spent:
    """What one process took: CPU seconds, megabytes at its peak (or at that of its largest child), seconds from begin
    to end, and what it printed.
    """

    cpu: float
    memory: float
    output: str
    wall: float = 0.0


@dataclass(frozen=True)
class Contestant:
    """A command to be timed. checked: the command that prints all digits, where it is another one."""

    name: str
    command: list[str]
    checked: list[str] | None = None


@dataclass(frozen=True)
class Medians:
    name: str
    cpu: float
    memory: float | None = None
    all_cpu: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """One row of the table. value: what is compared with at_most, a ratio or a number with a unit."""

    work: str
    ours: str
    peer: str
    value: float
    unit: str  # "x" for a ratio
    at_most: float | None

    @property
    def reached(self) -> bool | None:
        return None if self.at_most is None else self.value <= self.at_most

    def cells(self) -> list[str]:
        """Work, ours, peer, found, to reach, reached: as printed and as written into the docs."""
        to_reach = "" if self.at_most is None else show(self.at_most, self.unit)
        return [
            self.work,
            self.ours,
            self.peer,
            show(self.value, self.unit),
            to_reach,
            {None: "", True: "yes", False: "NO"}[self.reached],
        ]


def show(value: float, unit: str) -> str:
    number = f"{value:.0f}" if unit in ("MB", "µs") else f"{value:.3f}" if unit == "x" else f"{value:.2f}"
    return f"{number} {unit}"


def start(command: list[str]) -> Spent:
    """Run to the end. Output goes to files, so that nobody waits for a reader."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment())
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}\nfailed:\n{err.read().decode(errors='replace')[-2000:]}")
        unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
        return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6, out.read().decode(), wall)


def environment() -> dict[str, str]:
    """Ours, but compiled Python is kept: peers are compiled when pip installs them, an editable install is not."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def in_turn(contestants: list[Contestant], runs: int) -> dict[str, Medians]:
    """One warm-up each, whose values must agree, then A B A B ...; medians by name."""
    printed = {c.name: read_values(start(c.checked or c.command).output) for c in contestants}
    agree(printed)
    spent: dict[str, list[Spent]] = {c.name: [] for c in contestants}
    for _ in range(runs):
        for c in contestants:
            spent[c.name].append(start(c.command))
    return {name: medians(name, found) for name, found in spent.items()}


def medians(name: str, spent: list[Spent]) -> Medians:
    cpu = [s.cpu for s in spent]
    return Medians(name, median(cpu), median(s.memory for s in spent), cpu)


def read_values(text: str) -> dict[str, float]:
    """Measure -> mean, from lines of JSON."""
    records = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return {record["measure"]: record["value"] for record in records}


def agree(printed: dict[str, dict[str, float]], within: float = 1e-6) -> None:
    """Stop unless all found the same values: then they did not do the same work."""
    (first, expected), *others = printed.items()
    for name, values in others:
        shared = expected.keys() & values.keys()
        wrong = [m for m in shared if not abs(expected[m] - values[m]) <= within]  # NaN is wrong too
        if wrong or not shared:
            raise SystemExit(f"{first} and {name} do not agree on {wrong or 'any measure'}: {expected}, {values}")


def collection(folder: Path = DATA, **shape: object) -> tuple[str, str]:
    """Paths of qrels and run, made if they are not there; see generate.py."""
    options = [str(x) for name, value in shape.items() for x in (f"--{name}", value)]
    made = start([sys.executable, str(HERE / "generate.py"), "--folder", str(folder), *options])
    qrels, run = made.output.splitlines()
    return qrels, run


def program() -> list[str]:
    """How rankscope is started."""
    script = Path(sys.executable).with_name("rankscope")
    return [str(script)] if script.exists() else [sys.executable, "-c", "import rankscope.cli.main as m; m.main()"]


def ours(qrels: str, run: str, measures: tuple[str, ...] = MEASURES, name: str = OURS) -> Contestant:
    """The command line, as a user starts it."""
    command = [*program(), "evaluate", qrels, run, *(x for m in measures for x in ("-m", m))]
    return Contestant(name, command, [*command, "--format", "jsonl"])


def peer(name: str, qrels: str, run: str) -> Contestant:
    """The same with a peer: pytrec_eval and ranx by a script, ir_measures by its own command line."""
    if name == "ir_measures":
        begin = [sys.executable, "-m", "ir_measures", "-o", "jsonl"]
        return Contestant(name, [*begin, qrels, run, *MEASURES])
    return Contestant(name, [sys.executable, str(HERE / "peers.py"), name, qrels, run])


def available(peers: tuple[str, ...]) -> list[str]:
    """Those of the peers that are installed; says which are not."""
    missing = [p for p in peers if importlib.util.find_spec(p) is None]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    return [p for p in peers if p not in missing]


def files_to_numbers(label, qrels, run, peers, targets, runs) -> tuple[list[Line], dict[str, Medians]]:
    """Our command line beside each peer on the same two files. targets: peer -> highest ratio."""
    found = in_turn([ours(qrels, run), *(peer(p, qrels, run) for p in available(peers))], runs)
    lines = [ratio(label, found[OURS], found[p], targets.get(p)) for p in found if p != OURS]
    return lines, found


def ratio(work: str, a: Medians, b: Medians, at_most: float | None = None, unit: str = "CPU s") -> Line:
    return Line(work, describe(a, unit), describe(b, unit), a.cpu / b.cpu, "x", at_most)


def absolute(work: str, a: Medians, value: float, unit: str, at_most: float | None, peer: str = "") -> Line:
    return Line(work, describe(a, "µs" if unit == "µs" else "CPU s"), peer, value, unit, at_most)


def describe(a: Medians, unit: str = "CPU s") -> str:
    return f"{a.name} {show(a.cpu, unit)}" + ("" if a.memory is None else f", {a.memory:.0f} MB")


def report(name: str, lines: list[Line], found: dict[str, Medians], runs: int) -> dict:
    """Print the lines, and return all that was found."""
    for line in lines:
        work, a, b, value, to_reach, reached = line.cells()
        target = f"  to reach {to_reach}: {reached}" if to_reach else ""
        print(f"{work:<44} {a:<36} {b:<36} {value:>9}{target}", flush=True)
    return {
        "name": name,
        "runs": runs,
        "rows": [line.cells() for line in lines],
        "reached": all(line.reached is not False for line in lines),
        "lines": [{**asdict(line), "reached": line.reached} for line in lines],
        "medians": {key: asdict(m) for key, m in found.items()},
    }


def main(measure, description: str, **parts) -> None:
    """The command line of each benchmark: --runs N, --folder. parts: what a process of its own does, by the option that
    it is started with; what follows goes to it.
    """
    for name, part in parts.items():
        if sys.argv[1:2] == [f"--{name}"]:
            part(*sys.argv[2:])
            return
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--folder", type=Path, default=DATA, help="where generated files are kept")
    args = parser.parse_args()
    measure(runs=args.runs, folder=args.folder)
