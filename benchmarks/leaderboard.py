"""Claims: Bradley and Terry's strengths of 100 systems from a million comparisons, with 100 bootstrap resamples, take
at most 10 CPU seconds, and at most .1 of the CPU of choix and of evalica with as many resamples.

Comparisons are drawn with a fixed seed from strengths that are normal; there are no ties, of which choix knows nothing.
choix (`ilsr_pairwise`, its fastest for lists) and evalica (`bootstrap` of `bradley_terry`, percentiles) draw a few
resamples only; their CPU is extrapolated by the number of resamples. Beside it, for information: choix's
`ilsr_pairwise_dense` on matrices of wins that NumPy draws, all resamples, as somebody would write it who knows that
order does not matter; and Davidson's model with ties, and 1,000 resamples, of ours. All run in one process, in turn,
which measures its own CPU (`time.process_time`, all threads); memory is that of a process that runs only ours. All must
find the same strengths to 1e-5.
"""

import json
import sys
import time
from collections import defaultdict

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

SECONDS, RATIO = 10, 0.1
#: Resamples that a peer draws, where it takes long.
FEW = 3
EXTRAPOLATED = {"choix", "evalica"}
PLAIN = "plain"


def make_preferences(systems, comparisons, tied=0.0):
    import numpy as np

    from rankscope.data.preferences import Preferences

    rng = np.random.default_rng(1)
    strengths = rng.normal(size=systems)
    left = rng.integers(0, systems, comparisons)
    right = (left + rng.integers(1, systems, comparisons)) % systems
    better = rng.random(comparisons) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
    outcome = np.where(rng.random(comparisons) < tied, 0, np.where(better, 1, -1))
    names = tuple(f"s{i}" for i in range(systems))
    return Preferences(systems=names, left=left, right=right, outcome=outcome)


def our_ways(size, resamples):
    """Name of the work -> what to call for strengths of mean 0."""
    from rankscope.consensus.models import fit_preferences

    seen, tied = make_preferences(*size), make_preferences(*size, 0.2)

    def strengths(preferences, times, **options):
        return fit_preferences(preferences, n_resamples=times, rng=1, **options).ratings[0]

    return {
        PLAIN: lambda: strengths(seen, resamples),
        "with ties, Davidson": lambda: strengths(tied, resamples, model="davidson"),
        f"{10 * resamples:,} resamples": lambda: strengths(seen, 10 * resamples),
    }


def choix_ways(seen, resamples):
    import choix
    import numpy as np

    n, rng = len(seen.systems), np.random.default_rng(1)
    first = seen.outcome > 0
    pairs = np.column_stack([np.where(first, seen.left, seen.right), np.where(first, seen.right, seen.left)])

    def lists():
        for _ in range(min(FEW, resamples)):
            found = choix.ilsr_pairwise(n, pairs[rng.integers(0, len(pairs), len(pairs))].tolist())
        return found

    def dense():
        wins = np.bincount(pairs[:, 0] * n + pairs[:, 1], minlength=n * n)
        for drawn in rng.multinomial(len(pairs), wins / len(pairs), resamples):
            choix.ilsr_pairwise_dense(drawn.reshape(n, n).astype(float))
        return choix.ilsr_pairwise_dense(wins.reshape(n, n).astype(float))

    return {"choix": lists, "choix, dense": dense}, dense


def evalica_ways(seen, resamples):
    import evalica
    import numpy as np

    names = np.array(seen.systems)
    left, right = names[seen.left].tolist(), names[seen.right].tolist()
    winners = [evalica.Winner.X if won > 0 else evalica.Winner.Y for won in seen.outcome.tolist()]
    options = {"n_resamples": min(FEW, resamples), "bootstrap_method": "percentile", "random_state": 1}

    def value():
        scores = evalica.bradley_terry(left, right, winners, tolerance=1e-10, limit=1000).scores
        logs = np.log(scores.reindex(list(seen.systems)).to_numpy())
        return logs - logs.mean()

    return {"evalica": lambda: evalica.bootstrap(evalica.bradley_terry, left, right, winners, **options)}, value


PEERS = {"choix": choix_ways, "evalica": evalica_ways}


def work(runs, systems, comparisons, resamples, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way, extrapolated where resamples were few."""
    size, resamples = (int(systems), int(comparisons)), int(resamples)
    ways = our_ways(size, resamples)
    values = {OURS: named(ways[PLAIN]())}
    for peer in peers:
        theirs, value = PEERS[peer](make_preferences(*size), resamples)
        ways |= theirs
        values[peer] = named(value())
    agree(values, 1e-5)
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            times = resamples / min(FEW, resamples) if name in EXTRAPOLATED else 1
            spent[name].append((time.process_time() - begin) * times)
    print(json.dumps(spent))


def named(strengths):
    return {f"s{i}": float(value) for i, value in enumerate(strengths)}


def remember(systems, comparisons, resamples) -> None:
    """Runs in a process of its own: ours once, so that its peak is that of this."""
    our_ways((int(systems), int(comparisons)), int(resamples))[PLAIN]()


def measure(runs=RUNS, folder=DATA, peers=tuple(PEERS), systems=100, comparisons=1_000_000, resamples=100) -> dict:
    """Nothing is kept in the folder."""
    del folder
    there = available(peers)
    size = [str(systems), str(comparisons), str(resamples)]
    memory = start([sys.executable, __file__, "--memory", *size]).memory
    spent = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, *there]).output)
    found = {name: Medians(OURS, median(cpu), None, cpu) for name, cpu in spent.items()}
    found[PLAIN] = Medians(OURS, found[PLAIN].cpu, memory, spent[PLAIN])
    label = f"Bradley-Terry, {comparisons:,}, {resamples:,} resamples"
    lines = [absolute(label, found[PLAIN], found[PLAIN].cpu, "CPU s", SECONDS)]
    for name in ("choix", "evalica", "choix, dense"):
        if name in found:
            called = f"{name}, extrapolated" if name in EXTRAPOLATED else name
            found[name] = Medians(called, median(spent[name]), None, spent[name])
            lines.append(ratio(label, found[PLAIN], found[name], RATIO if name in EXTRAPOLATED else None))
    others = [name for name in spent if name not in {PLAIN, "choix", "evalica", "choix, dense"}]
    label = f"Bradley-Terry, {comparisons:,}"
    lines += [absolute(f"{label}: {name}", found[name], found[name].cpu, "CPU s", None) for name in others]
    return report("leaderboard", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work, memory=remember)
