"""Claim: a run whose million lines are in random order takes at most twice as much CPU as the sorted one.

Also shown: pytrec_eval, which puts every line into a dict and so hardly minds the order.
"""

from measuring import DATA, RUNS, available, collection, in_turn, main, ours, peer, ratio, report


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=1000, documents=1000, judged=100) -> dict:
    shape = {"queries": queries, "documents": documents, "judged": judged}
    qrels, run = collection(folder, **shape)
    _, shuffled = collection(folder, **shape, variant="shuffled")
    contestants = [ours(qrels, shuffled, name="shuffled"), ours(qrels, run, name="sorted")]
    found = in_turn(contestants + [peer(p, qrels, shuffled) for p in available(peers)], runs)
    label = f"shuffled lines, {queries:,} x {documents:,}"
    lines = [ratio(f"{label}: shuffled to sorted", found["shuffled"], found["sorted"], 2.0)]
    lines += [ratio(label, found["shuffled"], found[p]) for p in found if p in peers]
    return report("shuffled", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
