"""Claim: scores of a million judgments of nuggets take at most 0.5 of the CPU of plain loops over the same records.

Here `score_nuggets` on a data frame: 50 runs, 1,000 queries, 20 nuggets each. Beside it the definitions as loops over
records in Python, as tools for nuggets compute them. Also shown: the verdict on a judge, of 50 systems on 250 queries
with 2,000 resamples. All run in one process, in turn, which measures its own CPU (`time.process_time`); BLAS has one
thread.
"""

import json
import os
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, main, median, ratio, report, start

LOOPS, VERDICT = "plain loops", "verdict"
QUERIES, NUGGETS, ANSWERERS = 1000, 20, 50
SYSTEMS, TOPICS, RESAMPLES = 50, 250, 2000
SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def columns_of(n):
    """The table of n queries, column by column."""
    import numpy as np

    rng = np.random.default_rng(7)
    query, nugget, run = (axis.ravel() for axis in np.indices((n, NUGGETS, ANSWERERS)))
    return {
        "query": query.tolist(),
        "nugget": nugget.tolist(),
        "importance": np.where((7 * query + nugget) % 3, "okay", "vital").tolist(),
        "run": [f"run{i}" for i in run.tolist()],
        "support": rng.choice(list(SUPPORT), query.size).tolist(),
    }


def ours(frame):
    """The mean of a measure by run."""
    from rankscope.judging import score_nuggets

    scores = score_nuggets(frame)
    return dict(zip(scores.systems, scores.matrix("vital_recall").mean(axis=1).tolist(), strict=True))


def theirs(columns):
    """The same by loops: six values of each answer, of which the mean of one is returned."""
    answers = defaultdict(list)
    for query, importance, run, support in zip(
        *(columns[name] for name in ("query", "importance", "run", "support")), strict=True
    ):
        answers[run, query].append((importance, SUPPORT[support]))
    means = defaultdict(list)
    for (run, _), nuggets in answers.items():
        vital = [s for importance, s in nuggets if importance == "vital"]
        okay = [s for importance, s in nuggets if importance == "okay"]
        strict_vital, strict_okay = (sum(s == 1 for s in values) for values in (vital, okay))
        values = (
            sum(vital) / len(vital),
            strict_vital / len(vital),
            sum(vital + okay) / len(nuggets),
            (strict_vital + strict_okay) / len(nuggets),
            (sum(vital) + sum(okay) / 2) / (len(vital) + len(okay) / 2),
            (strict_vital + strict_okay / 2) / (len(vital) + len(okay) / 2),
        )
        means[run].append(values[0])
    return {run: sum(values) / len(values) for run, values in means.items()}


def verdict(systems):
    """The verdicts on a judge."""
    import numpy as np

    from rankscope.comparison.judges import JudgeSettings
    from rankscope.comparison.judges.verdict import verdicts_by_use

    changes = np.random.default_rng(7).normal(0.0, 0.1, (systems, TOPICS))
    names = tuple(map(str, range(systems)))
    verdicts_by_use("AP", names, changes, JudgeSettings(n_resamples=RESAMPLES), {"clusters": None, "weights": None})


def work(n, systems, runs) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import polars as pl

    columns = columns_of(int(n))
    frame = pl.DataFrame(columns)
    agree({OURS: ours(frame), LOOPS: theirs(columns)})
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in (
            (OURS, lambda: ours(frame)),
            (LOOPS, lambda: theirs(columns)),
            (VERDICT, lambda: verdict(int(systems))),
        ):
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(), queries=QUERIES, systems=SYSTEMS, **_) -> dict:
    """Nothing is read from the folder. queries, systems: how many."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the process that is started
    spent = json.loads(start([sys.executable, __file__, "--work", str(queries), str(systems), str(runs)]).output)
    found = {name: Medians(name, median(cpu)) for name, cpu in spent.items()}
    label = f"{queries * NUGGETS * ANSWERERS:,} judgments of nuggets"
    label_of_verdict = f"verdict on a judge, {systems} systems, {TOPICS} queries"
    lines = [
        ratio(label, found[OURS], found[LOOPS], 0.5),
        absolute(label_of_verdict, found[VERDICT], found[VERDICT].cpu, "CPU s", None),
    ]
    return report("nuggets", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
