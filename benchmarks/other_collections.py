"""The search for the bound of scaled features: rankers trained on one collection and tested on another.

    python benchmarks/other_collections.py [--seeds 6] [--public]

For each bound, and each number of documents that is a handful, rankers are trained on made collections. Printed are the
mean nDCG@10 (gain 2 ** grade - 1) on other lists of the same collection and on another collection, by kind of ranker.
In the other collection, means of dense features move by half a deviation, heavy tails grow, features that are above 0
in .2 to 20 % of documents are so in six times as many, and six features that 1 to 20 of 6,000 documents had are common.
With --public the bound that was chosen is measured on MQ2007 and MQ2008, on which nothing was chosen: single models,
and the averaged scores of four, each with its difference from trees over queries. With --left-out kinds of queries of
MQ2007 are left out of training, and tested on. One thread; half a CPU minute a seed, five for public collections.
"""

import argparse
import os
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from letor_folds import PLACE, parts

LINEAR = {"hidden": ()}
#: What is trained on made collections, and beside it trees.
RANKERS = (("listnet", LINEAR), ("ranknet", LINEAR), ("listmle", {}), ("ranknet", {}))
#: Most documents of a handful, and bounds; infinite for none.
HANDFULS, BOUNDS = (0, 10, 40), (3.0, 5.0, 8.0, 15.0, float("inf"))
DOCUMENTS = 30
TREES = ("lambdamart", {})
#: Trained on public collections.
PUBLIC = (*RANKERS, ("listnet", {}), ("lambdaloss(kind='2')", {}))
#: Models whose scores are averaged.
MODELS = 4


def query_values(features, scores):
    """(queries) nDCG@10."""
    from rankscope.evaluation.judged_lists import FullyJudgedLists
    from rankscope.measures.names import parse_measure

    ordered = scores if features.order is None else scores[features.order]
    hits = FullyJudgedLists(features.relevance, features.offsets, max_grade=2, by_lot=True).hits(ordered)
    return parse_measure("nDCG(gain='exp')@10")(hits)


def ndcg(features, scores):
    return float(query_values(features, scores).mean())


def single_and_average(loss, parameters, train, stopping, held, seed):
    """(queries) the mean of MODELS models, and the values of their averaged scores."""
    import numpy as np

    from rankscope.learning import Ranker

    ranker = Ranker(loss, models=MODELS, rng=seed, **parameters).fit(train, eval_set=stopping)
    models, values = ranker.models_, []
    for model in models:
        ranker.models_ = [model]
        values.append(query_values(held, ranker.predict(held)))
    ranker.models_ = models
    return np.mean(values, axis=0), query_values(held, ranker.predict(held))


def difference(values, trees):
    """The mean over queries of the difference from trees, its standard error and the p-value of a paired t test."""
    from scipy.stats import ttest_rel

    spread = (values - trees).std(ddof=1) / values.size**0.5
    return (
        f"{values.mean():.4f} ({values.mean() - trees.mean():+.4f}, {spread:.4f}, p {ttest_rel(values, trees)[1]:.3f})"
    )


def made_collection(weights, rng, lists, is_other):
    """Lists whose grades come from features of all kinds. weights: what dense, heavy and rare features are worth."""
    import numpy as np

    from rankscope.data.features import Features

    n = lists * DOCUMENTS
    of_list = np.repeat(rng.normal(size=(lists, 1)), DOCUMENTS, axis=0)
    dense = rng.normal(size=(n, 15)) * (1.2 if is_other else 1.0) + 0.5 * is_other + 0.3 * of_list
    heavy = np.exp(rng.normal(size=(n, 8)) * 1.5 + 0.4 * is_other)
    counts = rng.pareto(1.8, size=(n, 4))
    shares = np.array([0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2])
    shares = np.minimum(6 * shares, 0.5) if is_other else shares
    rare = (rng.random((n, 8)) < shares) * rng.uniform(0.2, 1, size=(n, 8))
    few = np.zeros((n, 6))
    for j, number in enumerate(np.array([0.6, 0.5, 0.3, 0.3, 0.4, 0.2]) * n if is_other else [1, 2, 3, 5, 8, 20]):
        documents = rng.choice(n, int(number), replace=False)
        few[documents, j] = rng.uniform(0.1, 1, size=documents.size)
    worth = dense @ weights["dense"] + np.log(heavy) @ weights["heavy"] + 0.5 * np.log1p(counts).sum(axis=1)
    worth += 2 * (rare > 0) @ weights["rare"] + 1.5 * np.maximum(dense[:, 0] * dense[:, 1], 0) + 6 * rng.normal(size=n)
    place = worth.reshape(lists, DOCUMENTS).argsort(axis=1).argsort(axis=1)
    grades = (place >= 0.8 * DOCUMENTS).astype(int) + (place >= 0.93 * DOCUMENTS)
    values = np.hstack([dense, heavy, counts, rare, few]).astype(np.float32)
    return Features.of(values, grades.ravel(), sizes=[DOCUMENTS] * lists)


def on_made_collections(seeds):
    """(within, other) nDCG@10 of each seed, by handful, bound and ranker."""
    import numpy as np

    from rankscope.learning import Ranker, scaling

    found = {}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        weights = {"dense": rng.normal(size=15), "heavy": 0.6 * rng.normal(size=8), "rare": 0.8 * rng.normal(size=8)}
        train, valid, within, other = (
            made_collection(weights, rng, lists, is_other)
            for lists, is_other in ((200, False), (60, False), (150, False), (150, True))
        )
        settings = [(None, None, TREES), *product(HANDFULS, BOUNDS, RANKERS)]
        for handful, bound, (loss, parameters) in settings:
            if handful is not None:
                scaling.HANDFUL, scaling.MOST_DEVIATIONS = handful, bound
            ranker = Ranker(loss, **parameters).fit(train, eval_set=valid)
            name = f"{'linear ' if parameters else ''}{loss}"
            found.setdefault((handful, bound, name), []).append([ndcg(f, ranker.predict(f)) for f in (within, other)])
    return {key: np.mean(values, axis=0) for key, values in found.items()}


def show_made(found):
    names = [f"{'linear ' if parameters else ''}{loss}" for loss, parameters in RANKERS]
    print(f"trees: within {found[None, None, 'lambdamart'][0]:.4f}, other {found[None, None, 'lambdamart'][1]:.4f}\n")
    print(f"| handful | bound | {' | '.join(f'{name}: within, other' for name in names)} |")
    print(f"|--:|--:|{'--:|' * len(names)}")
    for handful, bound in product(HANDFULS, BOUNDS):
        values = (found[handful, bound, name] for name in names)
        cells = " | ".join(f"{within:.4f}, {other:.4f}" for within, other in values)
        print(f"| {handful} | {'none' if bound == float('inf') else f'{bound:g}'} | {cells} |")


def on_public_collections():
    """Trained on MQ2007, all with MQ2008's validation lists, and in folds without looking at MQ2008."""
    import numpy as np

    from rankscope.experiments.crossvalidation import join_features
    from rankscope.io.letor import read_features
    from rankscope.learning import Ranker, scaling

    chosen = scaling.HANDFUL, scaling.MOST_DEVIATIONS
    parts_2007 = parts()
    valid, test = (read_features(PLACE.parent / "MQ2008_Fold1" / f"{part}.txt") for part in ("vali", "test"))
    for names, training, stopping, tested in (
        ("S1 to S5, vali, test", parts_2007, valid, [test]),
        ("S1 to S4, S5, vali and test", parts_2007[:4], parts_2007[4], [valid, test]),
    ):
        train, held, trees = join_features(training, "MQ2007"), join_features(tested, "MQ2008"), None
        for loss, parameters in (TREES, *PUBLIC):
            values = []
            for handful, bound in ((0, float("inf")), chosen):
                scaling.HANDFUL, scaling.MOST_DEVIATIONS = handful, bound
                fitted = [Ranker(loss, rng=seed, **parameters).fit(train, eval_set=stopping) for seed in range(3)]
                values.append(np.mean([query_values(held, ranker.predict(held)) for ranker in fitted], axis=0))
            _, averaged = single_and_average(loss, parameters, train, stopping, held, 100)
            trees = (values[1], averaged) if trees is None else trees
            print(
                f"{names}: {'linear ' if parameters else ''}{loss}: {values[0].mean():.4f} unbounded, "
                f"{difference(values[1], trees[0])} bounded, {difference(averaged, trees[1])} {MODELS} models"
            )


def on_queries_left_out():
    """Trained on MQ2007 without one of four kinds of queries (by the means of their features), and tested on that."""
    import numpy as np
    from scipy.cluster.vq import kmeans2

    from rankscope.experiments.crossvalidation import join_features
    from rankscope.learning import scaling

    features = join_features(parts(), "MQ2007")
    scaled = scaling.learn_scaling(features.values, "auto")(features.values)
    means = np.add.reduceat(scaled, features.offsets[:-1], axis=0) / np.diff(features.offsets)[:, None]
    means = means[:, means.std(axis=0) > 0]
    left, sizes, _ = np.linalg.svd((means - means.mean(axis=0)) / means.std(axis=0), full_matrices=False)
    kinds = kmeans2((left * sizes)[:, :6], 4, seed=3, minit="++")[1]
    is_valid = np.random.default_rng(0).random(kinds.size) < 0.25
    for kind in range(4):
        train, valid, held = (
            features.select(np.flatnonzero(rows))
            for rows in ((kinds != kind) & ~is_valid, (kinds != kind) & is_valid, kinds == kind)
        )
        for loss, parameters in (TREES, *PUBLIC):
            single, averaged = single_and_average(loss, parameters, train, valid, held, kind)
            print(
                f"{(kinds == kind).sum()} queries left out: {'linear ' if parameters else ''}{loss}: "
                f"{single.mean():.4f} one model, {averaged.mean():.4f} {MODELS} models"
            )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=6)
    options.add_argument("--public", action="store_true")
    options.add_argument("--left-out", action="store_true")
    given = options.parse_args()
    if given.public:
        on_public_collections()
    elif given.left_out:
        on_queries_left_out()
    else:
        show_made(on_made_collections(given.seeds))
