"""Claim: 10 runs of 1,000 queries x 1,000 documents are fused in memory within 1.5 CPU seconds, by RRF, CombMNZ, Borda.

Each run has 1,000 of the 2,000 documents of each query, at random. CombMNZ normalises by min-max. Beside it ranx, once,
with a part of the queries, times the rest (its time grows with them); its runs are made before. Both find the same
scores of the first query. Also: two such runs from files to a file (read, fused by RRF or min-max and sum, written),
within 2.5 CPU seconds, for RRF beside ranx, once; and ten, within 1.5 GB.
"""

import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

from measuring import (
    DATA,
    OURS,
    RUNS,
    Medians,
    absolute,
    agree,
    available,
    main,
    median,
    medians,
    program,
    ratio,
    report,
    start,
)

METHODS = {"rrf": ("rrf", None, {"k": 60}), "comb-mnz": ("mnz", "min-max", {}), "borda": ("bordafuse", None, {})}
MANY = 10
#: Into how many parts the queries are cut, of which ranx gets one: its Borda takes seconds for each query.
PARTS = {"rrf": 20, "comb-mnz": 20, "borda": 500}


def make(runs, queries, documents):
    """Runs, as readers of files make them."""
    import numpy as np

    import rankscope as rs

    rng = np.random.default_rng(7)
    names = [f"Q{q}" for q in range(queries)]
    found = []
    for i in range(runs):
        docs = np.argsort(rng.random((queries, 2 * documents)), axis=1)[:, :documents]
        scores = -np.sort(-rng.random((queries, documents)), axis=1)
        columns = {
            "query_id": [name for name in names for _ in range(documents)],
            "doc_id": [f"FBIS3-{doc}" for doc in docs.ravel().tolist()],
            "score": scores.ravel(),
        }
        found.append(rs.Run(columns, name=f"run-{i}"))
    return found


def few_of(run, queries):
    found = defaultdict(dict)
    for query, doc, score in run.frame().rows():
        if int(query[1:]) < queries:
            found[query][doc] = score
    return dict(found)


def seconds(call) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def work(runs, queries, documents, folder, *peers) -> None:
    """Runs in a process of its own; writes the runs as files, and prints the CPU seconds of each way."""
    import rankscope as rs

    made = make(MANY, int(queries), int(documents))
    for path, run in zip(files(folder, queries, documents), made, strict=True):
        rs.convert(run, path)
    spent = defaultdict(list)
    for turn in range(int(runs) + 1):
        for name in METHODS:
            found = seconds(lambda name=name: rs.fusion.fuse(made, name))
            spent[name] += [found] if turn else []  # the first is to warm up
    if "ranx" in peers:
        for name in METHODS:
            few = [few_of(run, part_of(name, queries)) for run in made]
            spent[f"ranx {name}"].append(theirs(name, few))
    print(json.dumps(spent))


def part_of(name, queries) -> int:
    return max(1, int(queries) // PARTS[name])


def theirs(name, few) -> float:
    """CPU seconds of ranx, once it has compiled what it calls."""
    import ranx

    import rankscope as rs

    method, norm, options = METHODS[name]
    one = [{"Q0": run["Q0"]} for run in few]
    found = ranx.fuse([ranx.Run(run) for run in one], norm, method, dict(options))
    agree({OURS: few_of(rs.fusion.fuse(one, name), 1)["Q0"], "ranx": dict(found["Q0"])})
    runs = [ranx.Run(run) for run in few]
    return seconds(lambda: ranx.fuse(runs, norm, method, dict(options)))


def files(folder, queries, documents) -> list[str]:
    return [str(Path(folder) / f"fusion-{queries}-{documents}-{i}.run") for i in range(MANY)]


def from_files(output, *paths) -> None:
    """What `rankscope fuse` does, by ranx, in a process of its own."""
    import ranx

    fused = ranx.fuse([ranx.Run.from_file(path, kind="trec") for path in paths], None, "rrf", {"k": 60})
    fused.save(output, kind="trec")


def measure(runs=RUNS, folder=DATA, peers=("ranx",), queries=1000, documents=1000, **_) -> dict:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    Path(folder).mkdir(parents=True, exist_ok=True)
    peers = available(peers)
    command = [sys.executable, __file__, "--work", str(runs), str(queries), str(documents), str(folder), *peers]
    spent = {name: median(cpu) for name, cpu in json.loads(start(command).output).items()}
    size = f"{MANY} runs x {queries:,} x {documents:,}"
    found = {name: Medians(OURS, spent[name]) for name in METHODS}
    lines = []
    for name in METHODS:
        lines.append(absolute(f"fuse, {size}: {name}", found[name], found[name].cpu, "CPU s", 1.5))
        if f"ranx {name}" in spent:
            there = spent[f"ranx {name}"] * queries / part_of(name, queries)
            found[f"ranx {name}"] = Medians("ranx, extrapolated", there)
            lines.append(ratio(f"fuse, {size}: {name}", found[name], found[f"ranx {name}"]))
    paths, output = files(folder, queries, documents), str(Path(folder) / "fusion-out.run")
    size = f"2 runs x {queries:,} x {documents:,}"
    for method in ("rrf", "comb-sum"):
        label = f"fuse, files to file, {size}: {method}"
        command = [*program(), "fuse", *paths[:2], "--method", method, "-o", output]
        ours = found[f"files {method}"] = timed(OURS, command, runs)
        lines.append(absolute(label, ours, ours.cpu, "CPU s", 2.5))
        if method == "rrf" and "ranx" in peers:
            command = [sys.executable, __file__, "--ranx", output, *paths[:2]]
            found["files ranx"] = medians("ranx", [start(command)])
            lines.append(ratio(label, ours, found["files ranx"]))
    ten = found["ten files"] = timed(OURS, [*program(), "fuse", *paths, "-o", output], 1)
    label = f"fuse, files to file, {MANY} runs x {queries:,} x {documents:,}: peak memory"
    lines.append(absolute(label, ten, ten.memory, "MB", 1500))
    for path in (*paths, output):
        os.unlink(path)
    return report("fusion", lines, found, runs)


def timed(name, command, runs) -> Medians:
    return medians(name, [start(command) for _ in range(runs)])


if __name__ == "__main__":
    main(measure, __doc__, work=work, ranx=from_files)
