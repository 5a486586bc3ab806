"""Claims: `rankscope stability` on 10 systems x 1,000 entities x 10 measures x 50 iterations x 1,000 bootstrap samples
x 10 splits x 5 levels takes at most 4 CPU seconds, workers included, and stays below 1 GB; 100 systems of real queries
stay below it, too. The example of Dunaiski's tool (14 entities, 5 systems, 2 splits) takes at most 1 s above the start
of the command. Twice the iterations, or twice the bootstrap samples, take about twice the time at most.

Tables of ranks are drawn with a fixed seed. That tool is Python 2.7 and does not run here: the times quoted of it were
recorded on another machine, and no ratio is made of them. The peer is the same definitions written with NumPy and SciPy
as the tool goes about it, pair by pair for every measure and level, its bootstrap samples drawn and averaged as arrays.
It does a few of the iterations for one measure and level, extrapolated to all of them; its values are compared with
ours on the same samples.
"""

import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, main, median, medians, program, ratio, report, start

SECONDS, MEGABYTES, EXAMPLE_SECONDS, TWICE = 4.0, 1000, 1.0, 2.2
MEASURES = ("MeanRank", "MedianRank", "P@10", "R@10", "R@100", "AP", "nDCG", "RPrec", "nDCG@100", "MeanRank@1000")
LEVELS = (0.005, 0.01, 0.05, 0.1, 0.15)
SPLITS, TOTAL = 10, 100_000
#: Seconds of Dunaiski's tool on work of this size by its numbers of systems, and on its example: from the issue that
#: asks for this command, recorded elsewhere.
QUOTED = {10: "10,841 s", 5: "3,307 s"}
QUOTED_EXAMPLE = "935 s"
PEER = "loops of NumPy, SciPy"
#: Iterations that the peer does.
FEW = 10


def make_ranks(systems, entities):
    """(systems, entities) ranks: entities found more or less easily, by systems that differ a little."""
    import numpy as np

    rng = np.random.default_rng(1)
    ease = rng.gumbel(size=entities)
    level = ease + (0.5 + 0.03 * np.arange(systems))[:, None] * rng.gumbel(size=(systems, entities))
    return 1 + np.round(TOTAL / 2 * np.exp(-10 * (level - level.min()) / np.ptp(level))).astype(int)


def write_tables(folder, *sizes) -> None:
    """Runs in a process of its own: a file for each of the sizes, given as SYSTEMSxENTITIES."""
    for size in sizes:
        systems, entities = map(int, size.split("x"))
        lines = ["entity\t" + "\t".join(f"s{i}" for i in range(systems))]
        ranks = make_ranks(systems, entities).T.tolist()
        lines += [f"e{e}\t" + "\t".join(map(str, row)) for e, row in enumerate(ranks)]
        Path(folder, f"{size}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def stability(path, iterations, resamples, *more) -> list[str]:
    """Our command line."""
    measures = [x for m in MEASURES for x in ("-m", m)]
    numbers = ["--splits", str(SPLITS), "--iterations", str(iterations), "--resamples", str(resamples), "--seed", "1"]
    levels = ["--alpha", ",".join(map(str, LEVELS))]
    return [*program(), "stability", str(path), "--input", "entity-ranks", *measures, *numbers, *levels, *more]


def example(path, iterations, resamples) -> list[str]:
    """The call that the tool's README has, on a table of its size."""
    numbers = ["--boot", str(resamples), "--iter", str(iterations), "--threads", "12", "--splits", "2", "--seed", "1"]
    return [*program(), "dunaiski", "-f", str(path), *numbers, "--printing", "all", "-n", str(TOTAL)]


def many_systems(systems, queries, iterations, resamples) -> None:
    """Runs in a process of its own: a study of real queries."""
    import numpy as np

    from rankscope.data.scores import Scores
    from rankscope.measures.names import parse_measures
    from rankscope.stability import study

    rng = np.random.default_rng(1)
    measures, shape = parse_measures(["AP", "nDCG@10", "RR", "P@10", "R@100"]), (int(systems), int(queries))
    level = 0.4 + 0.02 * rng.standard_normal((shape[0], 1, 1)) + 0.15 * rng.standard_normal(shape[1])
    scores = Scores(
        systems=tuple(f"s{i}" for i in range(shape[0])),
        measures=tuple(measures),
        query_ids=tuple(map(str, range(shape[1]))),
        values=np.clip(level + 0.1 * rng.standard_normal((shape[0], 5, shape[1])), 0, 1),
        missing=np.zeros(shape, bool),
        undefined=np.zeros((5, shape[1]), bool),
        settings={"queries": queries},
        measure_settings=({},) * 5,
    )
    study(scores, rng=1, iterations=int(iterations), n_resamples=int(resamples))


def peer_pair(a, b, one, other, level):
    """t-test, achieved significance level, difference needed and swap rates of one pair at one level.

    a, b: values of two systems on the groups; one, other: (resamples, groups) the groups of two bootstrap samples.
    """
    import numpy as np
    from scipy import stats

    difference = a - b
    n = len(difference)
    mean = difference.mean()
    observed = abs(mean) / (difference.std(ddof=1) / n**0.5)
    shifted = (difference - mean)[one]
    means = shifted.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(means) / (shifted.std(axis=1, ddof=1) / n**0.5)
    asl = (1 + (t >= observed * (1 - 1e-12)).sum()) / (1 + len(t))
    needed = abs(means[np.argsort(-t, kind="stable")[max(0, int(level * len(t)) - 1)]])
    first, second = difference[one].mean(axis=1), difference[other].mean(axis=1)
    place = np.minimum(np.abs(first) / 0.01, 99).astype(int)
    seen, swapped = np.bincount(place, minlength=100), np.bincount(place[first * second < 0], minlength=100)
    return stats.ttest_rel(a, b).pvalue, asl, needed, swapped / np.maximum(seen, 1)


def peer(systems, entities, iterations, resamples, runs) -> None:
    """Runs in a process of its own; prints the CPU seconds of the peer, extrapolated to all of the work."""
    import numpy as np

    systems, resamples = int(systems), int(resamples)
    rng = np.random.default_rng(2)
    ranks = make_ranks(systems, int(entities))
    groups = rng.permutation(int(entities))[: int(entities) // SPLITS * SPLITS].reshape(SPLITS, -1)
    values = (ranks[:, groups] ** -0.5).mean(axis=2)  # (systems, groups); any measure would do
    first, second = np.triu_indices(systems, 1)
    compare_with_ours(values[first] - values[second], values[first], values[second], resamples)
    few = min(FEW, int(iterations))
    share = few / int(iterations) / len(MEASURES) / len(LEVELS)
    spent = []
    for _ in range(int(runs)):
        begin = time.process_time()
        for a, b in [*zip(values[first], values[second], strict=True)] * few:
            one, other = rng.integers(0, SPLITS, (2, resamples, SPLITS))
            peer_pair(a, b, one, other, 0.05)
        spent.append((time.process_time() - begin) / share)
    print(json.dumps(spent))


def compare_with_ours(differences, a, b, resamples) -> None:
    import numpy as np

    from rankscope.kernels.resample import counts_of
    from rankscope.stability.discriminative_power import significance_levels

    one, other = np.random.default_rng(3).integers(0, SPLITS, (2, resamples, SPLITS))
    asl, needed = significance_levels(differences, counts_of(one, SPLITS), (0.05,))
    theirs = [peer_pair(*pair, one, other, 0.05) for pair in zip(a, b, strict=True)]
    for name, ours, place in (("level", asl, 1), ("difference needed", needed[:, 0], 2)):
        found = {OURS: ours, PEER: [pair[place] for pair in theirs]}
        agree({who: {f"{name} {i}": float(x) for i, x in enumerate(values)} for who, values in found.items()}, 1e-9)


def measure(
    runs=RUNS, folder=DATA, peers=("scipy",), systems=10, entities=1000, iterations=50, resamples=1000, many=(100, 249)
) -> dict:
    """Nothing is kept in the folder. many: systems and queries of the study of real queries, of 5 iterations."""
    del folder
    size = (entities, iterations, resamples)
    with tempfile.TemporaryDirectory() as place:
        tables = {f"{systems}x{entities}", f"{systems // 2}x{entities}", "5x14"}
        start([sys.executable, __file__, "--tables", place, *tables])
        found, lines = our_lines(Path(place), systems, size, runs)
    if importlib.util.find_spec("scipy") and peers:
        arguments = map(str, (systems, *size, runs))
        cpu = json.loads(start([sys.executable, __file__, "--peer", *arguments]).output)
        found[PEER] = Medians(f"{PEER}, extrapolated", median(cpu), None, cpu)
        lines.append(ratio(lines[0].work, found["whole"], found[PEER]))
    few = min(iterations, 5)
    real = start([sys.executable, __file__, "--queries", *map(str, (*many, few, resamples))])
    found["queries"] = Medians(OURS, real.cpu, real.memory, [real.cpu])
    work = f"stability: {many[0]} systems x {many[1]} queries, {few} iterations"
    lines.append(absolute(f"{work}: peak memory", found["queries"], real.memory, "MB", MEGABYTES))
    return report("stability", lines, found, runs)


def our_lines(place, systems, size, runs):
    """All that the command line does."""
    entities, iterations, resamples = size
    table, half = (place / f"{n}x{entities}.tsv" for n in (systems, systems // 2))
    alone = ("--workers", "1")
    found = each_in_turn(
        {
            "whole": stability(table, iterations, resamples),
            "half": stability(half, iterations, resamples),
            "alone": stability(table, iterations, resamples, *alone),
            "iterations": stability(table, 2 * iterations, resamples, *alone),
            "resamples": stability(table, iterations, 2 * resamples, *alone),
            "example": example(place / "5x14.tsv", iterations, resamples),
            "start": [*program(), "dunaiski", "--help"],
        },
        runs,
    )
    whole, half_, once, small = (found[name] for name in ("whole", "half", "alone", "example"))
    label, says = f"systems x {entities:,} entities", "Dunaiski's tool, quoted, not measured:"
    quoted = {n: f"{says} {text}" for n, text in QUOTED.items() if size == (1000, 50, 1000)}
    above = small.cpu - found["start"].cpu
    return found, [
        absolute(f"stability: {systems} {label}", whole, whole.cpu, "CPU s", SECONDS, quoted.get(systems, "")),
        absolute(f"stability: {systems} {label}: peak memory", whole, whole.memory, "MB", MEGABYTES),
        absolute(f"stability: {systems // 2} {label}", half_, half_.cpu, "CPU s", None, quoted.get(systems // 2, "")),
        ratio("stability: twice the iterations", found["iterations"], once, TWICE),
        ratio("stability: twice the bootstrap samples", found["resamples"], once, TWICE),
        absolute(
            "dunaiski: 5 systems x 14 entities, above start-up",
            small,
            above,
            "CPU s",
            EXAMPLE_SECONDS,
            f"{says} {QUOTED_EXAMPLE}" if quoted else "",
        ),
    ]


def each_in_turn(commands, runs):
    """As `measuring.in_turn`, but each does work of its own, so that there are no values to be compared."""
    for name in ("half", "example"):  # a warm-up leaves all that is needed compiled
        start(commands[name])
    spent = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(start(command))
    return {name: medians(OURS, found) for name, found in spent.items()}


if __name__ == "__main__":
    ways = {"--tables": write_tables, "--peer": peer, "--queries": many_systems}
    if sys.argv[1:2] and sys.argv[1] in ways:
        ways[sys.argv[1]](*sys.argv[2:])
    else:
        main(measure, __doc__)
