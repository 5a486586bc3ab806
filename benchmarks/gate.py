"""Claims: `rankscope gate` of two runs of a million lines each by five measures takes at most 1.3 of the CPU of
`rankscope evaluate` of both; bets on 100 pairs x 1,000 queries take less than a CPU second, and the bounds of 20
planned looks less than 10 ms.

1,000 queries x 1,000 documents, 100 judged a query. The new run lacks the first document of every third query. Whole
processes in turn; bets and bounds in one process, which measures its own CPU (`time.process_time`).
"""

import json
import sys
import time
from pathlib import Path

from measuring import (
    DATA,
    OURS,
    RUNS,
    Medians,
    absolute,
    collection,
    main,
    median,
    medians,
    program,
    ratio,
    report,
    start,
)

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
CLAIMED = 1.3
SECONDS, MILLISECONDS = 1.0, 10.0


def changed_run(run: str) -> str:
    """The path of the new run, which is made if it is not there."""
    path = Path(run).with_suffix(".new")
    if not path.exists():
        seen: dict[bytes, int] = {}
        with open(run, "rb") as old, open(path, "wb") as new:
            for line in old:
                query = line.split(None, 1)[0]
                is_first = query not in seen
                number = seen.setdefault(query, len(seen))
                if not (is_first and number % 3 == 0):
                    new.write(line)
    return str(path)


def timed(call, repeats=1) -> float:
    """CPU seconds of a call, after a first that is not counted."""
    call()
    begin = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - begin) / repeats


def work(runs, pairs, queries, looks) -> None:
    """Runs in a process of its own; prints the CPU seconds of bets and of bounds."""
    import numpy as np

    from rankscope.stats.betting import betting_test
    from rankscope.stats.group_sequential import sequential_bounds

    values = np.clip(np.random.default_rng(1).normal(0.01, 0.2, (int(pairs), int(queries))), -1, 1)
    times = [(number + 1) / int(looks) for number in range(int(looks))]
    calls = {
        "bets": lambda: betting_test(values, null=-0.02, low=-1.0, high=1.0, alpha=0.05),
        "bounds": lambda: sequential_bounds(times, alpha=0.05),
    }
    print(json.dumps({name: [timed(call, 3) for _ in range(int(runs))] for name, call in calls.items()}))


def measure(
    runs=RUNS,
    folder=DATA,
    peers=(),
    queries=1000,
    documents=1000,
    judged=100,
    pairs=100,
    betting_queries=1000,
    looks=20,
) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    both, options = (run, changed_run(run)), [part for name in MEASURES for part in ("-m", name)]
    # The exit code of a gate says the verdict; a margin of 0.9 passes.
    calls = {
        OURS: [*program(), "gate", qrels, *both, *options, "--margin", "0.9"],
        "evaluate": [*program(), "evaluate", qrels, *both, *options],
    }
    spent = {name: [] for name in calls}
    for turn in range(runs + 1):
        for name, call in calls.items():
            used = start(call)
            spent[name] += [used] if turn else []  # the first is a warm-up
    found = {name: medians(name, used) for name, used in spent.items()}
    size = [str(runs), str(pairs), str(betting_queries), str(looks)]
    cpu = json.loads(start([sys.executable, __file__, "--work", *size]).output)
    bets, bounds = (Medians(OURS, median(cpu[name]), None, cpu[name]) for name in ("bets", "bounds"))
    lines = [
        ratio(
            f"gate, {len(MEASURES)} measures, 2 runs of {queries:,} x {documents:,}",
            found[OURS],
            found["evaluate"],
            CLAIMED,
        ),
        absolute(f"bets on {pairs} pairs x {betting_queries:,} queries", bets, bets.cpu, "CPU s", SECONDS),
        absolute(f"bounds of {looks} looks", bounds, 1000 * bounds.cpu, "ms", MILLISECONDS),
    ]
    return report("gate", lines, {**found, "bets": bets, "bounds": bounds}, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
