"""Claim: reading a log of retrieval, JSON lines of 1,000 queries with 1,000 ids each, takes at most 1.5 of the CPU of
`json.loads` on its lines alone; evaluating it at most 2.

json.loads ends with lists of texts, ours with a run: ids in one buffer, their hashes, and a check that each query has
one list. Both run in one process, in turn, which measures its own CPU (`time.process_time`, all threads).
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measuring import DATA, OURS, RUNS, Medians, agree, main, median, ratio, report, start

AT_MOST, AT_MOST_EVALUATED = 1.5, 2.0
PEER = "json.loads"
EVALUATED = "evaluated"


def write_log(folder, queries, ids):
    """A log, and its judgments: every fiftieth document is relevant."""
    import numpy as np

    rng = np.random.default_rng(1)
    log, gold = folder / "log.jsonl", folder / "gold.jsonl"
    with log.open("w") as lists, gold.open("w") as relevant:
        for query in range(queries):
            docs = [f"D{doc:07d}" for doc in rng.choice(10 * ids, ids, replace=False).tolist()]
            lists.write(json.dumps({"query_id": f"q{query}", "retrieved_ids": docs}) + "\n")
            relevant.write(json.dumps({"query_id": f"q{query}", "relevant_ids": docs[::50]}) + "\n")
    return log, gold


def work(runs, queries, ids, folder) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import rankscope as rs

    spent = defaultdict(list)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        log, gold = write_log(Path(place), int(queries), int(ids))
        lines = log.read_bytes().splitlines()
        ways = {
            PEER: lambda: [json.loads(line) for line in lines],
            OURS: lambda: rs.read_run(log),
            EVALUATED: lambda: rs.evaluate(gold, log, "nDCG@10"),
        }
        n_ids = {PEER: sum(len(each["retrieved_ids"]) for each in ways[PEER]()), OURS: ways[OURS]().frame().height}
        agree({name: {"ids": float(n)} for name, n in n_ids.items()}, 0.0)
        for _ in range(int(runs)):
            for name, way in ways.items():
                begin = time.process_time()
                way()
                spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(), queries=1000, ids=1000) -> dict:
    del peers  # json is always there
    Path(folder).mkdir(parents=True, exist_ok=True)
    spent = json.loads(
        start([sys.executable, __file__, "--work", str(runs), str(queries), str(ids), str(folder)]).output
    )
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    lines = [
        ratio(f"lists of ids {what}, {queries:,} x {ids:,}", found[name], found[PEER], bound)
        for what, name, bound in (("read", OURS, AT_MOST), (EVALUATED, EVALUATED, AT_MOST_EVALUATED))
    ]
    return report("id_lists", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
