"""Claims: pooling takes the time of reading the runs and at most a fifth more; a bandit orders what 100 systems found.

Pooling: 10 runs of 1,000 queries x 1,000 documents, and 100 runs of a tenth of that (10 million lines each), from
files, to depth 100, written; beside it a process that only reads them, one after the other. Runs share what is good:
of 10 lists somewhat less than half of the first 100 are other documents. Order: 100 systems x 50 queries x depth 100 in
memory, of 1,000 candidates a query; every document of the pool is judged, one of a query after the other, within 10 CPU
seconds by MaxMean; the other methods beside it. There is no peer that does this in Python: the same is written beside
it in plain loops, and both must find relevant documents at the same places.
"""

import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

from measuring import (
    DATA,
    OURS,
    RUNS,
    Contestant,
    Medians,
    absolute,
    in_turn,
    main,
    median,
    program,
    ratio,
    report,
    start,
)

METHODS = ("bandit", "thompson", "mtf", "mtf-global", "hedge")
DEPTH = 100
SYSTEMS, QUERIES, CANDIDATES = 100, 50, 1000
READ = "import sys, rankscope as rs\nfor path in sys.argv[1:]: rs.read_run(path)\n"
PRINTED = "import json; print(json.dumps({'measure': 'done', 'value': 1}))"


def lists(rng, queries, candidates, documents, weight):
    """A run's columns: by query, documents whose numbers are their quality, the lower the better, as a run sees it."""
    import numpy as np

    seen = -weight * np.arange(candidates) / candidates + rng.random((queries, candidates))
    order = np.argsort(-seen, axis=1)[:, :documents]
    return {
        "query_id": [f"Q{q}" for q in range(queries) for _ in range(documents)],
        "doc_id": [f"FBIS3-{doc}" for doc in order.ravel().tolist()],
        "score": np.take_along_axis(seen, order, axis=1).ravel(),
    }


def files(folder, count, different, queries, documents):
    """Files of so many runs, of which so many hold different lists; the others are links to these."""
    import numpy as np

    import rankscope as rs

    paths = []
    for i in range(count):
        path = Path(folder) / f"pooling-{queries}-{documents}-{i}.run"
        if i < different:
            rng = np.random.default_rng([i, queries])
            rs.convert(rs.Run(lists(rng, queries, 2 * documents, documents, 1.0), name=f"run{i}"), path)
        else:
            os.link(paths[i % different], path)
        paths.append(str(path))
    return paths


def make(folder, shapes) -> None:
    """In a process of its own, so that this one stays small; prints the paths."""
    print(json.dumps([files(folder, *shape) for shape in json.loads(shapes)]))


def judged_runs(systems, queries, depth):
    """Columns of runs, some better than others, and judgments of all candidates."""
    import numpy as np

    rng = np.random.default_rng(7)
    shape = int(queries), CANDIDATES, int(depth)
    made = [lists(rng, *shape, rng.uniform(0.2, 2)) for _ in range(int(systems))]
    ids = [f"FBIS3-{i}" for i in range(CANDIDATES)]
    return made, {
        f"Q{q}": {doc: int(rng.random() < np.exp(-i / 100)) for i, doc in enumerate(ids)} for q in range(shape[0])
    }


def work(runs, systems, queries, depth) -> None:
    """Orders in a process of its own; prints the CPU seconds of each method, and where relevant ones were found."""
    import rankscope as rs

    columns, qrels = judged_runs(systems, queries, depth)
    made = [rs.Run(one, name=f"run{i:03}") for i, one in enumerate(columns)]
    rankings = [rankings_of(one) for one in columns]
    spent = defaultdict(list)
    found = {}
    for _ in range(int(runs)):
        for method in METHODS:
            begin = time.process_time()
            played = rs.judging.play_back(made, qrels, method, depth=int(depth), rng=1)
            spent[method].append(time.process_time() - begin)
            found[method] = found_at(played.relevant(method).tolist())
        begin = time.process_time()
        plain = plain_bandit(rankings, qrels)
        spent["plain"].append(time.process_time() - begin)
    print(json.dumps([spent, found["bandit"], found_at(plain)]))


def found_at(curve):
    """Relevant documents after 10, 20, 30 ... judgments."""
    return curve[9::10]


def rankings_of(columns):
    """Documents by query, the best first, as they stand."""
    found = defaultdict(list)
    for query, doc in zip(columns["query_id"], columns["doc_id"], strict=True):
        found[query].append(doc)
    return found


def plain_bandit(runs, qrels):
    """MaxMean query by query in loops: how many relevant documents were found after each judgment of all queries."""
    steps = defaultdict(int)
    for query, judged in qrels.items():
        rankings = [run[query] for run in runs]
        at, good, seen = ([0] * len(runs) for _ in range(3))
        taken = set()
        while True:
            best = None
            for r, ranking in enumerate(rankings):
                while at[r] < len(ranking) and ranking[at[r]] in taken:
                    at[r] += 1
                if at[r] < len(ranking):
                    value = ((good[r] + 1) / (seen[r] + 2), -at[r], ranking[at[r]], -r)
                    best = value if best is None else max(best, value)
            if best is None:
                break
            doc, r = best[2], -best[3]
            taken.add(doc)
            seen[r] += 1
            good[r] += judged[doc]
            steps[len(taken), query] = judged[doc]
    order = sorted(steps, key=lambda step: (step[0], step[1].encode()))
    return list(accumulate(steps[step] for step in order))


def measure(runs=RUNS, folder=DATA, queries=1000, documents=1000, **_) -> dict:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    small = max(1, queries // 10)
    shapes = [(10, 10, queries, documents), (100, 10, small, documents)]
    lines, found = [], {}
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as here:
        made = json.loads(start([sys.executable, __file__, "--make", here, json.dumps(shapes)]).output)
        for (count, _, q, d), paths in zip(shapes, made, strict=True):
            checked = [sys.executable, "-c", PRINTED]
            pool = [*program(), "pool", *paths, "--depth", str(DEPTH), "-o", os.path.join(here, "pool.qrels")]
            ours = Contestant(OURS, pool, checked)
            reading = Contestant("reading alone", [sys.executable, "-c", READ, *paths], checked)
            medians = in_turn([ours, reading], runs)
            label = f"pool, {count} runs x {q:,} x {d:,}, depth {DEPTH}"
            lines.append(ratio(label, medians[OURS], medians["reading alone"], at_most=1.2))
            found |= {f"{count} {name}": one for name, one in medians.items()}
    full = queries >= 1000
    shape = [SYSTEMS, QUERIES, DEPTH] if full else [4, 3, 10]
    command = [sys.executable, __file__, "--work", str(runs), *map(str, shape)]
    spent, ours, plain = json.loads(start(command).output)
    if ours != plain:
        raise SystemExit(f"rankscope and plain loops do not agree: {ours[:20]} ..., {plain[:20]} ...")
    label = "order, {} systems x {} queries x depth {}: ".format(*shape)
    found["plain"] = Medians("plain loops", median(spent["plain"]))
    for method in METHODS:
        found[method] = Medians(OURS, median(spent[method]))
        limit = 10 if method == "bandit" else None
        lines.append(absolute(f"{label}{method}", found[method], found[method].cpu, "CPU s", limit))
    lines.append(ratio(f"{label}bandit, beside loops", found["bandit"], found["plain"]))
    return report("pooling", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, make=make)
