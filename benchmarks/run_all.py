"""Run all benchmarks, one after the other.

    python benchmarks/run_all.py [--only NAME]... [--runs 5] [--write]

With --write the table in docs/benchmarks.md is replaced by what was measured, with --only as well the rows of these
benchmarks alone. Needs the extra `bench` for the peers; those that are not installed are left out. Exit code 1 when a
target was missed.
"""

import argparse
import importlib
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from measuring import DATA, HERE, RUNS

SCRIPTS = (
    "files_1m",
    "files_10m",
    "short_lists",
    "all_measures",
    "ten_lines",
    "shuffled",
    "workers",
    "cluster",
    "report_page",
    "diff",
    "variants",
    "letor_score",
    "features",
    "memory",
    "click_logs",
    # Last: these load NumPy into this process, whose memory the processes that it starts then seem to have.
    "single_query",
    "in_memory",
    "trec_eval_1m",
    "compat_ranx",
    "dense_arrays",
    "association",
    "ir_measures_slow",
    "entity_measures",
    "randomisation",
    "judges",
    "label_intervals",
    "nuggets",
    "compare",
    "clusters",
    "gate",
    "saved_scores",
    "score_tables",
    "preference_tables",
    "id_lists",
    "chunks",
    "correlation",
    "planning",
    "stability",
    "agreement",
    "metric_tests",
    "leaderboard",
    "consensus_votes",
    "kemeny",
    "fusion",
    "pooling",
    "prediction_powered",
    "learning",
    "framework_metrics",
    "torch_ranker",
    "language_model",
)
DOCS = HERE.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results: written by benchmarks/run_all.py --write -->", "<!-- end of results -->"
HEAD = ("work", "rankscope", "beside it", "found", "to reach", "reached")
PACKAGES = (
    "rankscope",
    "numpy",
    "pytrec-eval-terrier",
    "ir-measures",
    "ranx",
    "numba",
    "scikit-learn",
    "scipy",
    "rbo",
    "choix",
    "evalica",
    "corankco",
    "lightgbm",
    "xgboost",
    "catboost",
    "torch",
    "kenlm",
    "ppi-python",
)


def machine() -> str:
    """Processor, cores, system, versions, date and load, as a sentence or two."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    versions = ", ".join([python, *(f"{name} {number}" for name in PACKAGES if (number := installed(name)))])
    load = f"{os.getloadavg()[0]:.1f}"
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {processor()}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.machine()}, load {load} at the start. {versions}."
    )


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def installed(name: str) -> str | None:
    """The version of a package, if it is there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def table(results: list[dict]) -> str:
    rows = [row for result in results for row in result["rows"]]
    lines = [HEAD, (":--", ":--", ":--", "--:", "--:", ":--"), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def write_docs(path: Path, about: str, results: list[dict]) -> None:
    """Replace what stands between the two markers."""
    runs = ", ".join(f"{result['name']} {result['runs']}" for result in results)
    write_between(path, f"Measured {about}\n\n{table(results)}\n\nRuns behind each median: {runs}.")


def write_rows(path: Path, about: str, results: list[dict]) -> None:
    """Replace the rows of these benchmarks, known by what they say under "work"; new ones go to the end."""
    text = path.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip("\n")
    lines = text.split("\n")
    rows = [place for place, line in enumerate(lines) if line.startswith("|")]
    begin, last = rows[0], rows[-1]
    works = {row[0] for result in results for row in result["rows"]}
    kept = [line for line in lines[begin : last + 1] if line.split(" | ")[0].removeprefix("| ") not in works]
    added = table(results).split("\n")[2:]
    names = ", ".join(result["name"] for result in results)
    after = [line for line in lines[last + 1 :] if line and not line.startswith(f"Measured later ({names}): ")]
    runs = ", ".join(f"{result['name']} {result['runs']}" for result in results)
    later = f"Measured later ({names}): {about} Runs: {runs}."
    write_between(path, "\n".join([*lines[:begin], *kept, *added, "", "\n\n".join([*after, later])]))


def write_between(path: Path, text: str) -> None:
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=SCRIPTS, metavar="NAME", help=", ".join(SCRIPTS))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--folder", type=Path, default=DATA, help="where generated files are kept")
    parser.add_argument("--write", action="store_true", help=f"write the table, or these rows, into {DOCS.name}")
    args = parser.parse_args()
    about = machine()
    print(about)
    results = []
    for name in args.only or SCRIPTS:
        print(f"-- {name}", flush=True)
        results.append(importlib.import_module(name).measure(runs=args.runs, folder=args.folder))
    if args.write:
        (write_rows if args.only else write_docs)(DOCS, about, results)
    missed = [result["name"] for result in results if not result["reached"]]
    if missed:
        sys.exit(f"missed a target: {', '.join(missed)}")


if __name__ == "__main__":
    main()
