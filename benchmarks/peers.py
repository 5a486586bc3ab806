"""The work as a user of each peer would write it: read both files, evaluate, print the means.

    python benchmarks/peers.py pytrec_eval QRELS RUN

Each is started as a process of its own and prints a JSON line for each measure, under our names.
"""

import json
import sys


def pytrec_eval(qrels_path, run_path):
    import gzip

    import pytrec_eval

    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with gzip.open(run_path, "rt") if run_path.endswith(".gz") else open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "RR": "recip_rank", "P@10": "P_10"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recip_rank", "P.10"})
    values = evaluator.evaluate(run)
    return {
        ours: pytrec_eval.compute_aggregated_measure(theirs, [value[theirs] for value in values.values()])
        for ours, theirs in names.items()
    }


def ranx(qrels_path, run_path):
    from ranx import Qrels, Run, evaluate

    names = {"nDCG@10": "ndcg@10", "AP": "map", "RR": "mrr", "P@10": "precision@10"}
    qrels = Qrels.from_file(qrels_path, kind="trec")
    run = Run.from_file(run_path, kind="trec")
    values = evaluate(qrels, run, list(names.values()))
    return {ours: float(values[theirs]) for ours, theirs in names.items()}


if __name__ == "__main__":
    for measure, value in {"pytrec_eval": pytrec_eval, "ranx": ranx}[sys.argv[1]](*sys.argv[2:]).items():
        print(json.dumps({"measure": measure, "value": value}))
