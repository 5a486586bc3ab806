"""Claim: Borda and Copeland of 1,000 voters who rank 1,000 items take at most 1 CPU second in all.

From a table of ranks, its check included; the orders are at random. Beside it corankco's BordaCount and CopelandMethod,
with a fifth of the voters and items, times 25 (Borda goes through all ranks) and 125 (Copeland through all pairs of
each voter): it would take most of a minute. Its data set is made before its time is taken. Both find the same orders of
those few. Also shown: the same votes as lists of names, and Schulze, ranked pairs, median ranks and a Markov chain. All
run in one process, in turn, which measures its own CPU (`time.process_time`); BLAS has one thread.
"""

import json
import os
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

PEER = "corankco"
VOTERS, ITEMS, PART = 1_000, 1_000, 5
OTHERS = ("median-rank", "mc4", "schulze", "ranked-pairs")


def table_of(voters, items):
    import numpy as np

    return np.argsort(np.random.default_rng(7).random((voters, items)), axis=1) + 1.0


def names(items):
    return tuple(f"item {i}" for i in range(items))


def ways_of(voters, items, peers):
    """Name of the work -> what to call."""
    from rankscope.consensus import METHODS
    from rankscope.data.votes import Votes

    table = table_of(voters, items)
    known = names(items)
    lists = [[known[i] for i in row] for row in table.argsort(axis=1).tolist()]

    def both(votes):
        return METHODS["borda"]().order(votes), METHODS["copeland"]().order(votes)

    ways = {
        "table": lambda: both(Votes(ranks=table, items=names(items))),
        "lists": lambda: both(Votes.of(lists)),
    }
    for name in OTHERS:
        ways[name] = lambda name=name: METHODS[name]().order(Votes(ranks=table, items=names(items)))
    if PEER in peers:
        few = table_of(max(2, voters // PART), max(2, items // PART))
        found = both(Votes(ranks=few, items=names(few.shape[1])))
        peer = corankco_ways(few)
        agree({OURS: digests(o.ranks for o in found), PEER: digests(call() for call in peer.values())})
        ways |= peer
    return ways


def corankco_ways(table):
    """Each gives (items) the ranks from 1, tied ones the first of theirs."""
    import numpy as np
    from corankco.algorithms.borda.borda import BordaCount
    from corankco.algorithms.copeland.copeland import CopelandMethod
    from corankco.dataset import Dataset
    from corankco.scoringscheme import ScoringScheme

    votes = Dataset.from_raw_list([[{i} for i in row] for row in table.argsort(axis=1).tolist()])
    scheme = ScoringScheme.get_unifying_scoring_scheme_p(1.0)

    def ranks(method):
        found, before = np.zeros(table.shape[1]), 1
        for bucket in method().compute_consensus_rankings(votes, scheme, False).consensus_rankings[0]:
            found[[element.value for element in bucket]] = before
            before += len(bucket)
        return found

    return {"peer borda": lambda: ranks(BordaCount), "peer copeland": lambda: ranks(CopelandMethod)}


def digests(orders):
    """Equal where the ranks are."""
    return {str(i): float(sum(rank * (j + 1) ** 2 for j, rank in enumerate(ranks))) for i, ranks in enumerate(orders)}


def work(voters, items, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    ways = ways_of(int(voters), int(items), peers)
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(PEER,), voters=VOTERS, items=ITEMS, **_) -> dict:
    """Nothing is read from the folder."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the process that is started
    command = [sys.executable, __file__, "--work", str(voters), str(items), str(runs), *available(peers)]
    done = start(command)
    spent = {name: median(cpu) for name, cpu in json.loads(done.output).items()}
    size = f"{voters:,} voters x {items:,} items"
    found = {name: Medians(OURS, cpu) for name, cpu in spent.items() if not name.startswith("peer ")}
    label = f"{size}: Borda and Copeland"
    lines = [absolute(label, found["table"], found["table"].cpu, "CPU s", 1.0)]
    if len(found) < len(spent):
        there = spent["peer borda"] * PART**2 + spent["peer copeland"] * PART**3
        found[PEER] = Medians(f"{PEER}, extrapolated", there)
        lines.append(ratio(label, found["table"], found[PEER]))
    for name in ("lists", *OTHERS):
        what = "as lists of names" if name == "lists" else name.replace("-", " ")
        lines.append(absolute(f"{size}: {what}", found[name], found[name].cpu, "CPU s", None))
    return report("consensus_votes", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
