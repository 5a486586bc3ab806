"""Claim: RR@10, ERR@20, RBP and alpha-nDCG@20 together take at most 0.50 CPU seconds more than reading.

1,000 queries x 1,000 documents, 100 judged a query, each for two of four subtopics. Reading is `rankscope evaluate`
with NumRet, on judgments of queries only: what subtopics cost to read is part of what is found. Beside it ir_measures,
which gives each of the four to another helper (msmarco, gdeval in Perl, cwl_eval, pyndeval), one measure a process,
less a process that only reads both files. Last, the four from the same named tuples by `rankscope.compat.ir_measures`.
"""

import json
import sys
from pathlib import Path

from measuring import (
    DATA,
    RUNS,
    Contestant,
    Line,
    Medians,
    absolute,
    agree,
    available,
    collection,
    main,
    median,
    medians,
    ours,
    ratio,
    read_values,
    report,
    start,
)

#: Our name -> what makes it in ir_measures.
SLOW = {
    "RR@10": "RR @ 10",
    "ERR(gmax=4)@20": "ERR @ 20",
    "RBP(p=0.8, rel=1)": "RBP(p=0.8, rel=1)",
    "alpha_nDCG@20": "alpha_nDCG @ 20",
}
OURS, READING = "rankscope, all four", "rankscope, NumRet"
#: gdeval gives five decimals.
WITHIN = 1e-5
SUBTOPICS = 4


def with_subtopics(qrels: str) -> str:
    """The same judgments, each for two subtopics, made if they are not there: the path."""
    path = Path(qrels).with_suffix(".subtopics.qrels")
    if not path.exists():
        part = path.with_suffix(".part")
        with open(qrels) as source, open(part, "w") as target:
            for number, line in enumerate(source):
                query, _, doc, grade = line.split()
                for shift in (0, 1):
                    target.write(f"{query} {(number * 7 // 3 + shift) % SUBTOPICS + 1} {doc} {grade}\n")
        part.replace(path)
    return str(path)


def work(tool, qrels_path, run_path, *names) -> None:
    """Runs in a process of its own, as a user of ir_measures would write it; prints the values under our names."""
    import ir_measures

    qrels, run = ir_measures.read_trec_qrels(qrels_path), ir_measures.read_trec_run(run_path)
    if not names:
        sys.exit(0 if sum(1 for _ in qrels) and sum(1 for _ in run) else "nothing was read")
    measures = {eval(SLOW[name], vars(ir_measures)): name for name in names}
    if tool == "compat":
        from rankscope.compat.ir_measures import provider as calls
    else:
        calls = ir_measures
    for measure, value in calls.calc_aggregate(list(measures), qrels, run).items():
        print(json.dumps({"measure": measures[measure], "value": value}))


def timed(contestants: list[Contestant], runs: int) -> dict[str, Medians]:
    """One warm-up each, whose values must be ours, then A B A B ...; medians by name."""
    printed = {c.name: read_values(start(c.checked or c.command).output) for c in contestants}
    for name, values in printed.items():
        if name != READING and values:
            agree({OURS: printed[OURS], name: values}, WITHIN)
    spent = {c.name: [] for c in contestants}
    for _ in range(runs):
        for c in contestants:
            spent[c.name].append(start(c.command))
    return {name: medians(name, found) for name, found in spent.items()}


def above(found: dict[str, Medians], name: str, reading: str) -> Medians:
    """What it took more than reading, run by run."""
    pairs = zip(found[name].all_cpu, found[reading].all_cpu, strict=True)
    more = [max(a - b, 0.0) for a, b in pairs]
    return Medians(name, median(more), None, more)


def measure(runs=RUNS, folder=DATA, peers=("ir_measures",), queries=1000, documents=1000, judged=100) -> dict:
    plain, run = collection(folder, queries=queries, documents=documents, judged=judged)
    qrels = with_subtopics(plain)
    contestants = [ours(qrels, run, tuple(SLOW), OURS), ours(plain, run, ("NumRet",), READING)]
    if available(peers):
        here = [sys.executable, __file__, "--work"]
        contestants.append(Contestant("ir_measures, reading", [*here, "peer", qrels, run]))
        contestants += [Contestant(f"ir_measures, {name}", [*here, "peer", qrels, run, name]) for name in SLOW]
        contestants.append(Contestant("compat, all four", [*here, "compat", qrels, run, *SLOW]))
    found = timed(contestants, runs)
    label = f"above reading, {queries:,} x {documents:,}"
    mine = above(found, OURS, READING)
    lines = [absolute(f"RR ERR RBP alpha-nDCG, {label}", mine, mine.cpu, "CPU s", 0.50)]
    theirs = [above(found, f"ir_measures, {n}", "ir_measures, reading") for n in SLOW if f"ir_measures, {n}" in found]
    lines += [against(label, mine, one) for one in theirs]
    if "compat, all four" in found:
        face = above(found, "compat, all four", "ir_measures, reading")
        lines.append(absolute(f"named tuples, {label}", face, face.cpu, "CPU s", None))
    return report("ir_measures_slow", lines, found, runs)


def against(label: str, mine: Medians, other: Medians) -> Line:
    """All four beside one of theirs; too small a file gives nothing to divide by."""
    least = Medians(other.name, max(other.cpu, 1e-9), None, other.all_cpu)
    return ratio(f"all four to one, {label}", mine, least)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
