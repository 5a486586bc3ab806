"""Claim: files to numbers on a run of a million lines takes at most 0.40 of pytrec_eval's CPU, 0.05 of ranx's.

1,000 queries x 1,000 documents, 100 judged a query, nDCG@10 AP RR P@10, whole processes. ir_measures'
command line is shown too. ranx compiles with numba and caches it: its warm-up run takes a minute, and is not counted.
"""

from measuring import DATA, RUNS, collection, files_to_numbers, main, report

TARGETS = {"pytrec_eval": 0.40, "ranx": 0.05}
PEERS = ("pytrec_eval", "ranx", "ir_measures")


def measure(runs=RUNS, folder=DATA, peers=PEERS, queries=1000, documents=1000, judged=100) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    label = f"files to numbers, {queries:,} x {documents:,}"
    lines, found = files_to_numbers(label, qrels, run, peers, TARGETS, runs)
    return report("files_1m", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
