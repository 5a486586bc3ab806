"""Claim: all measures together take at most 1.3 times the CPU of four.

All are those in rankscope.measures.MEASURES, as they are by default and, where they take a cutoff, @10 too; but not
those of judgments by subtopic, which are read in another way, and those of tables of ranks as Dunaiski's tool has them.
The same million lines, whole processes; the values of the four must be the same in both.
"""

import sys

from measuring import DATA, RUNS, collection, in_turn, main, ours, ratio, report, start

# Printed by a process of its own, so that NumPy is not loaded here.
LIST = """
from rankscope import RankscopeError, parse_measure
from rankscope.measures import MEASURES
for name in [n + cutoff for n in MEASURES for cutoff in ("", "@10")]:
    try:
        measure = parse_measure(name)
        if not measure.needs_subtopics and not measure.name.startswith("Dunaiski"):
            print(measure)
    except RankscopeError:
        pass  # needs a cutoff, or takes none
"""


def all_measures() -> tuple[str, ...]:
    return tuple(start([sys.executable, "-c", LIST]).output.splitlines())


def measure(runs=RUNS, folder=DATA, peers=(), queries=1000, documents=1000, judged=100) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    names = all_measures()
    everything, four = ours(qrels, run, names, name=f"all {len(names)}"), ours(qrels, run, name="four")
    found = in_turn([everything, four], runs)
    lines = [ratio(f"all measures, {queries:,} x {documents:,}", found[everything.name], found["four"], 1.3)]
    return report("all_measures", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
