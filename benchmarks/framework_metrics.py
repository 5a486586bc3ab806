"""Claim: `feval("nDCG@10")` costs no more CPU than the metric that LightGBM and XGBoost bring, on 1M documents.

The documents stand in lists of 100, and few scores are tied, since training begins with random ones. Beside it the
library's own ndcg@10 of the same scores, on one thread: LightGBM's `Booster.eval_train` and XGBoost's `Booster.eval`,
whose predictions are kept from training. All run in one process, in turn, which measures its own CPU
(`time.process_time`).
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, agree, available, main, median, ratio, report, start

PEERS = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}


def ways_of(queries, documents, peers):
    """Name of the way -> what to call, which gives nDCG@10."""
    import numpy as np

    from rankscope.learning import feval

    rng = np.random.default_rng(7)
    sizes = np.full(queries, documents)
    grades = rng.integers(0, 5, queries * documents).astype(np.float32)
    features, start_scores = rng.normal(size=(grades.size, 1)), rng.normal(size=grades.size)
    ways = {}
    if "lightgbm" in peers:
        import lightgbm

        options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1, "num_threads": 1}
        data = lightgbm.Dataset(
            features, grades, group=sizes, init_score=start_scores, params={"verbose": -1}
        ).construct()
        booster = lightgbm.Booster(options, data)
        booster.update()
        scores, ours = start_scores + booster.predict(features), feval("nDCG@10", preset="lightgbm")
        ways["beside LightGBM"] = lambda: {"nDCG@10": ours(scores, data)[1]}
        ways["LightGBM"] = lambda: {"nDCG@10": booster.eval_train()[0][2]}
    if "xgboost" in peers:
        import xgboost

        matrix = xgboost.DMatrix(features, grades, group=sizes, base_margin=start_scores)
        options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "nthread": 1, "max_depth": 3}
        trees = xgboost.train(options, matrix, 1)
        predicted, metric = trees.predict(matrix), feval("nDCG@10", preset="xgboost")
        ways["beside XGBoost"] = lambda: {"nDCG@10": metric(predicted, matrix)[1]}
        ways["XGBoost"] = lambda: {"nDCG@10": float(trees.eval(matrix).split(":")[-1])}
    for name in PEERS.values():
        if name in ways:
            agree({way: ways[way]() for way in (name, f"beside {name}")})
    return ways


def work(queries, documents, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    ways = ways_of(int(queries), int(documents), peers)
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[name].append(1e3 * (time.process_time() - begin))
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=tuple(PEERS), queries=10_000, documents=100, **_) -> dict:
    """Nothing is read from the folder."""
    runs = 3 * runs
    present = available(peers)
    arguments = [str(x) for x in (queries, documents, runs, *present)]
    spent = json.loads(start([sys.executable, __file__, "--work", *arguments]).output)
    lines, everything = [], {}
    for peer in present:
        name = PEERS[peer]
        work_name = f"nDCG@10 of {queries * documents:,} documents, {name}"
        ours = Medians(OURS, median(spent[f"beside {name}"]), None, spent[f"beside {name}"])
        theirs = Medians(name, median(spent[name]), None, spent[name])
        everything |= {f"{work_name}: {OURS}": ours, f"{work_name}: {name}": theirs}
        lines.append(ratio(work_name, ours, theirs, 1.0, "ms"))
    return report("framework_metrics", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
