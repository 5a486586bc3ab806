"""Claim: 10 runs of 1,000 queries x 1,000 documents are fused in memory within 1.5 CPU seconds, by RRF, CombMNZ, Borda.

Each run has 1,000 of the 2,000 documents of each query, at random. CombMNZ normalises by min-max. Beside it ranx, with
a twentieth of the queries, times 20 (its time grows with them); its runs are made before. Both find the same scores of
the first query. Also: two such runs from files to a file (read, fused by RRF, written), within 2.5 CPU seconds.
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
    Contestant,
    Medians,
    absolute,
    agree,
    available,
    in_turn,
    main,
    median,
    program,
    ratio,
    report,
    start,
)

METHODS = {"rrf": ("rrf", None, {"k": 60}), "comb-mnz": ("mnz", "min-max", {}), "borda": ("bordafuse", None, {})}
MANY, PART = 10, 20


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
        found.append(rs.Run(columns, name=f"run {i}"))
    return found


def few_of(run, queries):
    found = defaultdict(dict)
    for query, doc, score in run.frame().rows():
        if int(query[1:]) < queries:
            found[query][doc] = score
    return dict(found)


def work(runs, queries, documents, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import rankscope as rs

    made = make(MANY, int(queries), int(documents))
    ways = {name: lambda name=name: rs.fusion.fuse(made, name) for name in METHODS}
    if "ranx" in peers:
        import ranx

        few = [few_of(run, max(1, int(queries) // PART)) for run in made]
        theirs = [ranx.Run(one) for one in few]
        for name, (method, norm, options) in METHODS.items():
            call = lambda m=method, n=norm, o=options: ranx.fuse(theirs, n, m, dict(o))  # noqa: E731
            agree({OURS: few_of(rs.fusion.fuse(few, name), 1)["Q0"], "ranx": dict(call()["Q0"])})
            ways[f"ranx {name}"] = call
    for call in ways.values():
        call()
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def files(folder, queries, documents):
    import rankscope as rs

    paths = [Path(folder) / f"fusion-{queries}-{documents}-{i}.run" for i in range(2)]
    for path, run in zip(paths, make(2, queries, documents), strict=True):
        rs.convert(run, path)
    return [str(path) for path in paths]


def measure(runs=RUNS, folder=DATA, peers=("ranx",), queries=1000, documents=1000, **_) -> dict:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    command = [sys.executable, __file__, "--work", str(runs), str(queries), str(documents), *available(peers)]
    spent = {name: median(cpu) for name, cpu in json.loads(start(command).output).items()}
    size = f"{MANY} runs x {queries:,} x {documents:,}"
    found = {name: Medians(OURS, spent[name]) for name in METHODS}
    lines = []
    for name in METHODS:
        lines.append(absolute(f"fuse, {size}: {name}", found[name], found[name].cpu, "CPU s", 1.5))
        if f"ranx {name}" in spent:
            there = spent[f"ranx {name}"] * queries / max(1, queries // PART)
            found[f"ranx {name}"] = Medians("ranx, extrapolated", there)
            lines.append(ratio(f"fuse, {size}: {name}", found[name], found[f"ranx {name}"]))
    paths = files(folder, queries, documents)
    output = str(Path(folder) / "fusion-out.run")
    printed = "import json; print(json.dumps({'measure': 'done', 'value': 1}))"
    ours = Contestant(OURS, [*program(), "fuse", *paths, "-o", output], [sys.executable, "-c", printed])
    found["files"] = in_turn([ours], runs)[OURS]
    label = f"fuse, files to file, 2 runs x {queries:,} x {documents:,}: rrf"
    lines.append(absolute(label, found["files"], found["files"].cpu, "CPU s", 2.5))
    return report("fusion", lines, found, runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main(measure, __doc__)
