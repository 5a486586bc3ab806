"""Claim: `rankscope evaluate` on ten lines takes at most 0.30 CPU seconds, all of them starting up.

A whole process, Python and NumPy included. Also shown: the peers, which load NumPy and more as well.
A start is short and varies much, so there are three times as many runs.
"""

from measuring import DATA, OURS, RUNS, absolute, available, collection, in_turn, main, ours, peer, ratio, report

PEERS = ("pytrec_eval", "ranx", "ir_measures")


def measure(runs=RUNS, folder=DATA, peers=PEERS, queries=1, documents=10, judged=10) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    found = in_turn([ours(qrels, run), *(peer(p, qrels, run) for p in available(peers))], 3 * runs)
    label = f"{queries * documents} lines, whole process"
    lines = [absolute(label, found[OURS], found[OURS].cpu, "CPU s", 0.30)]
    lines += [ratio(label, found[OURS], found[p]) for p in found if p != OURS]
    return report("ten_lines", lines, found, 3 * runs)


if __name__ == "__main__":
    main(measure, __doc__)
