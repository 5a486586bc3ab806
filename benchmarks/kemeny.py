"""Claim: the exact Kemeny order of 40 items takes at most 2 CPU seconds, its proof included, of 100 voters whose
rankings are at random, and of 7.

Each is a process of its own, from its start to its end, with all that it loads and starts. Beside it corankco's
ExactAlgorithmPulp, once, on 100 rankings of 30 items only: of these 40 it did not finish in several minutes on a busy
machine. It may tie items, which is made to cost as much as a disagreement, so that ties gain it nothing; the two must
find the same distance. Also shown: 50 items, and the search without proof, whose distance may be 0.2 % greater.
"""

import json
import os
import sys

from measuring import DATA, OURS, RUNS, Contestant, absolute, agree, available, main, medians, ratio, report, start

PEER = "corankco"
VOTERS, FEW, ITEMS, MORE, FEWER = 100, 7, 40, 50, 30
LIMIT = 2.0
#: The search may be as much further away as this share.
ROOM = 0.002


def table_of(voters, items):
    import numpy as np

    return np.argsort(np.random.default_rng(1).random((voters, items)), axis=1) + 1.0


def ours(voters, items, exact=True):
    from rankscope.consensus.optimal import Kemeny
    from rankscope.data.votes import Votes

    votes = Votes(ranks=table_of(voters, items), items=tuple(f"item {i}" for i in range(items)))
    found = Kemeny(exact=exact).order(votes)
    if exact and found.details["gap"]:
        raise SystemExit("the Kemeny order was not proved")
    return found.details["distance"]


def corankco(voters, items):
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp
    from corankco.dataset import Dataset
    from corankco.scoringscheme import ScoringScheme

    rows = table_of(voters, items).argsort(axis=1).tolist()
    votes = Dataset.from_raw_list([[{i} for i in row] for row in rows])
    scheme = ScoringScheme.get_unifying_scoring_scheme_p(1.0)  # a tie costs what a disagreement does
    return ExactAlgorithmPulp().compute_consensus_rankings(votes, scheme, True).kemeny_score


def work(who, voters, items) -> None:
    """Runs in a process of its own; prints the distance."""
    ways = {OURS: ours, PEER: corankco, "search": lambda *size: ours(*size, exact=False)}
    print(json.dumps({"distance": float(ways[who](int(voters), int(items)))}))


def contestant(who, voters, items):
    return Contestant(who, [sys.executable, __file__, "--work", who, str(voters), str(items)])


def timed(one, runs):
    """The medians, and the distance found."""
    spent = [start(one.command) for _ in range(runs)]
    return medians(OURS if one.name == "search" else one.name, spent), json.loads(spent[0].output)


def measure(runs=RUNS, folder=DATA, peers=(PEER,), voters=VOTERS, items=ITEMS, more=MORE, fewer=FEWER) -> dict:
    """Nothing is read from the folder."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes that are started
    lines, found = [], {}
    for some, many, limit in ((voters, items, LIMIT), (FEW, items, LIMIT), (voters, more, None)):
        label = f"Kemeny, proved: {some} random voters x {many} items"
        found[label], distance = timed(contestant(OURS, some, many), runs)
        lines.append(absolute(label, found[label], found[label].cpu, "CPU s", limit))
        if (some, many) == (voters, items):
            best = distance
    searched, distance = timed(contestant("search", voters, items), runs)
    agree({OURS: best, "search": distance}, ROOM * best["distance"])
    found["search"] = searched
    lines.append(
        absolute(f"Kemeny, searched: {voters} random voters x {items} items", searched, searched.cpu, "CPU s", None)
    )
    for _ in available(peers):
        mine, best = timed(contestant(OURS, voters, fewer), runs)
        found[PEER], distance = timed(contestant(PEER, voters, fewer), 1)
        agree({OURS: best, PEER: distance})
        lines.append(ratio(f"Kemeny, proved: {voters} random voters x {fewer} items", mine, found[PEER]))
    return report("kemeny", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
