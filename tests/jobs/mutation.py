"""Small changes to the code of one package, one at a time: does a test notice?

    python tests/jobs/mutation.py kernels
    python tests/jobs/mutation.py measures --share 0.4
    python tests/jobs/mutation.py kernels --survivors

mutmut, of the extra `mutation`, makes the mutants in a copy under build/mutation and judges each by the tests named
here that run through the changed function. Verdicts are kept there: a run that was broken off goes on. `mutmut show
NAME` in the copy prints a change.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from helpers.paths import ROOT

#: By which tests each package is judged: those that look at its numbers, not those that read files.
JUDGES = {
    "kernels": ["tests/kernels"],
    "measures": ["tests/measures", "tests/evaluation/test_unjudged.py"],
}
#: No judges: they ask for frames, and the threads of Polars are not there in a process forked for a mutant.
FRAMES = (
    "tests/evaluation/test_unjudged.py::test_programs_read_bounds_in_columns_of_their_own",
    "tests/measures/rank_similarity/test_by_query.py::TestTwoRuns::test_give_the_same_as_mappings_as_frames_and_as_runs",
    "tests/measures/rank_similarity/test_by_query.py::TestTwoRuns::test_print_as_a_table_and_give_a_tidy_frame",
)
#: mutmut's exit codes of a mutant's tests; any other is of tests that failed.
VERDICTS = {0: "survived", 33: "in no test", 36: "timed out", -24: "timed out", None: "not tried"}
UNNOTICED = ("survived", "in no test", "timed out")
COLUMNS = ("made", "killed", "timed out", "survived", "in no test", "not tried")


def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    """What became of each mutant, by module."""
    found = {}
    for file in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(file.read_text("utf-8"))["exit_code_by_key"]
        if codes:
            found[file.name.removesuffix(".py.meta")] = {k: VERDICTS.get(c, "killed") for k, c in codes.items()}
    return found


def mutmut(folder: Path, names: list[str], **options: int) -> int:
    command = [str(Path(sys.executable).parent / "mutmut"), "run", "--max-children", "1", *names]
    return subprocess.run(command, cwd=folder, check=False, **options).returncode


def prepare(package: str) -> Path:
    """The copy, with the package's own part of mutmut's settings."""
    folder = ROOT / "build" / "mutation" / package
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, folder / part, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    judges = JUDGES[package] + [f"--deselect={test}" for test in FRAMES]
    own = f'only_mutate = ["src/rankscope/{package}/*"]\npytest_add_cli_args_test_selection = {judges}\n'
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text(settings.replace("[tool.mutmut]\n", "[tool.mutmut]\n" + own), "utf-8")
    return folder


def show(found: dict[str, dict[str, str]]) -> None:
    """A table of all modules, and the names of the mutants that no test has noticed."""
    print(f"{'module':20}", *(f"{column:>10}" for column in COLUMNS))
    every = {name: verdict for one in found.values() for name, verdict in one.items()}
    for module, judged in {**found, "all": every}.items():
        counts = Counter(judged.values(), made=len(judged))
        print(f"{module:20}", *(f"{counts[column]:>10}" for column in COLUMNS))
    for name, verdict in every.items():
        if verdict in UNNOTICED:
            print(f"{verdict}: {name}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("package", choices=JUDGES)
    options.add_argument("--share", type=float, default=1.0, help="of all mutants, drawn with seed 0")
    options.add_argument("--survivors", action="store_true", help="again those that no test has noticed")
    asked = options.parse_args()
    folder = prepare(asked.package)
    names: list[str] = []
    if asked.share < 1 or asked.survivors:
        mutmut(folder, ["none of these"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # makes mutants only
        every = {name: verdict for one in verdicts(folder).values() for name, verdict in one.items()}
        names = sorted(every)
        if asked.share < 1:
            names = random.Random(0).sample(names, round(asked.share * len(names)))
        wanted = UNNOTICED if asked.survivors else ("not tried",)
        names = [name for name in names if every[name] in wanted]
    code = mutmut(folder, names) if names or asked.share == 1 else 0
    show(verdicts(folder))
    return code


if __name__ == "__main__":
    sys.exit(main())
