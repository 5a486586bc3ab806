"""Claim: a table of how many queries a comparison needs takes at most half the CPU of statsmodels' `solve_power`, with
the same numbers: for the paired t-test (`TTestPower`), and one-way analysis of variance (`FTestAnovaPower`).

Five differences, three standard deviations, two powers, many times over. All run in one process, in turn, which
measures its own CPU (`time.process_time`). Also shown: a whole plan, with curve and sentences, of 20 systems.
"""

import json
import math
import sys
import time
from collections import defaultdict
from itertools import product

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start

CLAIMED = 0.5
CASES = tuple(product((0.005, 0.01, 0.02, 0.05, 0.1), (0.1, 0.2, 0.3), (0.8, 0.9)))
SYSTEMS = 10


def our_ways(queries):
    """Name of the work -> what to call; of the needs, how many queries in each case."""
    from rankscope import stats

    planned = plan_of(20, queries)
    return {
        "t": lambda: [stats.queries_for_t(d, sd, power=p) for d, sd, p in CASES],
        "one-way ANOVA": lambda: [
            stats.queries_for_anova(SYSTEMS, d, sd, power=p, design="one-way") for d, sd, p in CASES
        ],
        "plan": planned,
    }


def plan_of(systems, queries):
    """A call that makes a plan and its text."""
    import numpy as np

    from rankscope.comparison.plan import plan
    from rankscope.data.scores import Scores
    from rankscope.measures.names import parse_measures

    rng = np.random.default_rng(1)
    scores = Scores(
        systems=tuple(f"s{i}" for i in range(systems)),
        measures=tuple(parse_measures(["AP"])),
        query_ids=tuple(map(str, range(queries))),
        values=rng.random((systems, 1, queries)),
        missing=np.zeros((systems, queries), bool),
        undefined=np.zeros((1, queries), bool),
    )
    return lambda: str(plan(scores, difference=0.02))


def statsmodels_ways():
    from statsmodels.stats.power import FTestAnovaPower, TTestPower

    def anova(d, sd, p):
        # It takes Cohen's f, and counts the scores of all systems.
        f = d / (sd * math.sqrt(2 * SYSTEMS))
        scores = FTestAnovaPower().solve_power(f, alpha=0.05, power=p, k_groups=SYSTEMS)
        return math.ceil(scores / SYSTEMS - 1e-9)

    return {
        "t": lambda: [math.ceil(TTestPower().solve_power(d / sd, alpha=0.05, power=p)) for d, sd, p in CASES],
        "one-way ANOVA": lambda: [anova(*case) for case in CASES],
    }


def work(runs, queries, repeats, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    contestants = {OURS: our_ways(int(queries)), **({"statsmodels": statsmodels_ways()} if peers else {})}
    spent = defaultdict(list)
    for name in contestants[OURS]:
        ways = {who: found[name] for who, found in contestants.items() if name in found}
        found = {who: call() for who, call in ways.items()}  # a first time, with what it loads
        if name != "plan":
            agree({who: {f"case {i}": n for i, n in enumerate(some)} for who, some in found.items()})
        for _ in range(int(runs)):
            for who, call in ways.items():
                begin = time.process_time()
                for _ in range(int(repeats)):
                    call()
                spent[f"{name}|{who}"].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("statsmodels",), queries=250, repeats=20) -> dict:
    there = available(peers)
    spent = json.loads(
        start([sys.executable, __file__, "--work", str(runs), str(queries), str(repeats), *there]).output
    )
    found = defaultdict(list)
    for key, cpu in spent.items():
        name, who = key.split("|")
        found[name].append(Medians(who, median(cpu), None, cpu))
    lines = []
    for name, (ours, *others) in found.items():
        what = "a plan of 20 systems and its text" if name == "plan" else f"{len(CASES)} needs of queries, {name}"
        label = f"{what}, {repeats} times"
        lines += [ratio(label, ours, theirs, CLAIMED) for theirs in others]
        if not others:
            lines.append(absolute(label, ours, ours.cpu, "CPU s", None))
    everything = {f"{name} {m.name}": m for name, some in found.items() for m in some}
    return report("planning", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
