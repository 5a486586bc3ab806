"""Claim: 100,000 queries of 10 documents take under 0.7 of pytrec_eval's CPU.

As many lines as 1,000 x 1,000, but a hundred times as many queries: nothing may cost much once a query.
10 judged a query, 6 of them retrieved; nDCG@10 AP RR P@10, whole processes.
"""

from measuring import DATA, RUNS, collection, files_to_numbers, main, report


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=100_000, documents=10, judged=10) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    label = f"short lists, {queries:,} x {documents:,}"
    lines, found = files_to_numbers(label, qrels, run, peers, {"pytrec_eval": 0.70}, runs)
    return report("short_lists", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
