"""Claims: rankers trained on MQ2007 (five folds, stopped by nDCG@10 on validation lists, mean over folds and three
seeds; a blend is of seeds of its own, and trained once) reach the nDCG@10 and MAP on test lists that the table of
the issue asks for, within so many CPU seconds a fold; one epoch of ListNet, an MLP of 64, on 133,000 documents x 136
features takes at most .35 CPU seconds.

nDCG has gains 2 ** grade - 1, and both count queries without relevant documents as 0. Beside ours, on the same folds in
the same run, LightGBM, XGBoost and CatBoost with their defaults, and tuned: of ten settings each, the best one on the
validation lists (`learning_peers.py`). Our blend and one of the tuned peers are trained from several seeds each; their
difference is tested over queries (sign flips of the mean over seeds) and over seeds (t). RankLib's figures are quoted
from the issue, where they were found on the same files; the program is Java and does not run here, so there is no
ratio. Without the files, rankers are trained on made data, which is said, and nothing is to be reached. Beside the
epoch the same network and loss in PyTorch, on one thread; both must find the same loss for the same weights.

CPU seconds are those of training with selection (`time.process_time`), without reading, on one thread.
"""

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

from learning_peers import MODULES, SETTINGS, choose_setting, fit_blend, fit_peer, setting_text
from letor_folds import there
from measuring import DATA, OURS, RUNS, Line, Medians, absolute, agree, available, main, median, ratio, report, start

EPOCH_SECONDS = 0.35
#: Parameters of a `Ranker`, and what its nDCG@10, its MAP (at least) and its CPU seconds a fold (at most) are to be.
RANKERS = {
    "ListNet, linear": ({"loss": "listnet", "hidden": ()}, (0.4485, 0.462, 1.0)),
    "ListNet": ({"loss": "listnet"}, (0.450, 0.463, 3.0)),
    "ListMLE": ({"loss": "listmle"}, (0.450, 0.463, 3.0)),
    "RankNet": ({"loss": "ranknet"}, (0.450, 0.463, 4.0)),
    "LambdaLoss 2": ({"loss": "lambdaloss(kind='2')"}, (0.455, 0.468, 10.0)),
    "LambdaMART": ({"loss": "lambdamart"}, (None, None, None)),
    "trees by ListNet with ranks, average of 6": (
        {"loss": "lambdamart(objective='listnet', ranks=True, rate=0.1, patience=50)", "models": 6},
        (0.457, 0.470, 15.0),
    ),
}
#: What a `Blend` is made of, as `crossvalidate --blend` makes it: a ranker of each loss from each of so many seeds; and
#: what is to be reached, as above.
BLENDS = {
    "blend of trees and networks, both with and without ranks, 2 seeds each": (
        ("lambdamart", "lambdamart(ranks=True)", "lambdaloss(kind='2')", "lambdaloss(kind='2', ranks=True)"),
        2,
        (0.462, 0.474, 40.0),
    ),
}
#: A blend of the tuned peers, each from so many seeds, so that it has no fewer models than ours.
PEER_BLEND, PEER_SEEDS = "blend of LightGBM, XGBoost and CatBoost, tuned, 3 seeds each", 3
#: From how many seeds each blend is trained: what the difference between the blends varies by.
BLEND_SEEDS = 5
#: From the issue: nDCG@10, MAP and CPU seconds a fold, on the same files.
QUOTED = {
    "ListNet": "RankLib ListNet .423, .444, 55 s, quoted",
    "ListNet, linear": "RankLib ListNet .423, .444, 55 s, quoted",
    "RankNet": "RankLib RankNet .432, .451, 46 s, quoted",
    "LambdaLoss 2": "RankLib LambdaMART .451, .465, 12 s, quoted",
}
PEERS = ("lightgbm", "xgboost", "catboost", "torch")
#: Ours that LightGBM grows, and those that it grows a part of.
TREES, BLENDED = "rankscope, trees", "rankscope, blends"
PEERED = "peers"
#: Of what has nothing to reach.
NOTHING = (None, None, None)


@dataclass(frozen=True)
class Quality(Line):
    """A line whose value is to be `at_most` or more: with four digits, and judged by them."""

    @property
    def reached(self) -> bool | None:
        return None if self.at_most is None else round(self.value, 4) >= self.at_most

    def cells(self) -> list[str]:
        *before, _, _, reached = super().cells()
        return [*before, f"{self.value:.4f}", "" if self.at_most is None else f"{self.at_most:.4f} or more", reached]


def by_trees(name) -> bool:
    return RANKERS[name][0]["loss"].startswith("lambdamart")


def data_of(queries):
    """MQ2007, or made data of so many queries."""
    from letor_folds import made_parts, parts

    return made_parts(int(queries)) if int(queries) else parts()


def judged(features, scores):
    """nDCG@10 and average precision of each query, (2, queries)."""
    import numpy as np

    from rankscope.evaluation.judged_lists import FullyJudgedLists
    from rankscope.measures.names import parse_measure

    hits = FullyJudgedLists(features.relevance, features.offsets).hits(scores)
    return np.array([parse_measure(name)(hits) for name in ("nDCG(gain='exp')@10", "AP")])


def train(who, seeds, queries, epochs, *modules) -> None:
    """Rankers on all folds: nDCG@10, MAP and CPU seconds, validation and test, means, by name.

    who: our networks, our trees, our blends, or the peers. The nDCG@10 of each test query is added, by seed; for peers
    also their setting. modules: of the peers that are installed.
    """
    from letor_folds import folds

    cuts = list(folds(data_of(queries)))
    if who == PEERED:
        values = peers_of([peer for peer, module in MODULES.items() if module in modules], int(seeds), cuts)
    else:
        fit = blend if who == BLENDED else ours
        n_seeds = blend_seeds(int(seeds)) if who == BLENDED else int(seeds)
        names = BLENDS if who == BLENDED else [name for name in RANKERS if (who == TREES) == by_trees(name)]
        values = {name: over_seeds(partial(fit, name, int(epochs)), n_seeds, cuts) for name in names}
    print(json.dumps(values))


def peers_of(peers, seeds, cuts):
    """Each peer with its defaults, and with the best of its settings; the blend of the latter."""
    values, chosen = {}, {}
    for peer in peers:
        chosen[peer] = choose_setting(peer, cuts, lambda *judgment: float(judged(*judgment)[0].mean()))
        for name, setting in (("defaults", SETTINGS[peer][0]), ("tuned", chosen[peer])):
            means = over_seeds(partial(fit_peer, peer, setting), seeds, cuts)
            values[f"{peer}, {name}"] = {**means, "setting": setting_text(setting)}
    if len(peers) == len(MODULES):
        values[PEER_BLEND] = over_seeds(partial(fit_blend, chosen, PEER_SEEDS), blend_seeds(seeds), cuts)
    return values


def blend_seeds(seeds):
    """Where there is one seed, as in tests, blends have one, too."""
    return BLEND_SEEDS if seeds > 1 else 1


def over_seeds(fit, seeds, cuts):
    """Means over folds and seeds, and the nDCG@10 of each test query, (seeds, queries)."""
    import numpy as np

    spent, means, queries = [], [], []
    for seed in range(seeds):
        tested = []
        for training, valid, test in cuts:
            begin = time.process_time()
            predict = fit(seed, training, valid)
            spent.append(time.process_time() - begin)
            values = judged(test, predict(test))
            means.append([*judged(valid, predict(valid)).mean(axis=1), *values.mean(axis=1)])
            tested.append(values[0])
        queries.append(np.concatenate(tested).tolist())
    names = ("valid nDCG@10", "valid MAP", "nDCG@10", "MAP")
    return {"cpu": mean(spent), **dict(zip(names, np.mean(means, axis=0).tolist(), strict=True)), "queries": queries}


def ours(name, epochs, seed, training, valid):
    from rankscope.learning import Ranker

    parameters = RANKERS[name][0] if by_trees(name) else {"epochs": epochs, **RANKERS[name][0]}
    return Ranker(**parameters, rng=seed).fit(training, eval_set=valid).predict


def blend(name, epochs, seed, training, valid):
    from rankscope.experiments.crossvalidation import parse_rankers, untrained_blend
    from rankscope.learning.blend import BlendSettings
    from rankscope.learning.settings import RankerSettings

    losses, seeds, _ = BLENDS[name]
    parts = untrained_blend(parse_rankers(losses, RankerSettings(epochs=epochs)), BlendSettings(), seeds, seed * seeds)
    return parts.fit(training, eval_set=valid).predict


def large(documents, features):
    """Documents of about 120 a list, with grades 0 to 4."""
    import numpy as np

    from rankscope.data.features import Features

    rng = np.random.default_rng(14)
    values = rng.standard_normal((documents, features)).astype(np.float32)
    worth = values[:, :5].sum(axis=1) / 2 + rng.standard_normal(documents)
    sizes = np.diff([*range(0, documents, 120), documents])
    return Features.of(values, np.clip(worth.round(), 0, 4), sizes=sizes)


def epochs_of_ours(documents, features, epochs) -> None:
    """The loss of the first weights, and CPU seconds of each epoch."""
    import numpy as np

    from rankscope.learning import Ranker
    from rankscope.learning.losses.listwise import listnet
    from rankscope.learning.network import initial_weights, score_documents

    data = large(int(documents), int(features))
    weights = initial_weights((int(features), 64, 1), np.random.default_rng(0))
    value, _ = listnet(score_documents(weights, data.values), data.relevance, data.offsets)
    times = []
    Ranker(epochs=int(epochs) + 1, transform="none").fit(data, progress=lambda _: times.append(time.process_time()))
    print(json.dumps({"loss": value, "cpu": np.diff(times).tolist()}))


def epochs_of_torch(documents, features, epochs) -> None:
    """The same with PyTorch: lists as lines of a table behind the network, which runs on flat documents."""
    import numpy as np
    import torch

    from rankscope.learning.network import initial_weights

    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = large(int(documents), int(features))
    values, offsets = torch.from_numpy(data.values), data.offsets
    grades = torch.from_numpy(data.relevance.astype(np.float32))
    net = torch.nn.Sequential(
        torch.nn.Linear(int(features), 64), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(64, 1)
    )
    with torch.no_grad():
        for given, weight in zip(initial_weights((int(features), 64, 1), np.random.default_rng(0)), (
            net[0].weight, net[0].bias, net[3].weight, net[3].bias), strict=True):  # fmt: skip
            weight.copy_(torch.from_numpy(given.T.copy()))

    def loss_of(scores, wanted, sizes):
        inside = torch.arange(int(sizes.max())) < sizes[:, None]
        tables = []
        for flat in (scores, wanted):
            table = torch.full(inside.shape, -torch.inf)
            table[inside] = flat
            tables.append(table)
        logs = torch.log_softmax(tables[0], 1)[inside]
        return -(torch.softmax(tables[1], 1)[inside] * logs).sum() / len(sizes)

    sizes = torch.from_numpy(np.diff(offsets))
    net.eval()
    with torch.no_grad():
        value = float(loss_of(net(values)[:, 0], grades, sizes))
    net.train()
    adam = torch.optim.Adam(net.parameters(), lr=0.001)
    times, rng = [time.process_time()], np.random.default_rng(0)
    for _ in range(int(epochs) + 1):
        lists = rng.permutation(len(sizes))
        for begin in range(0, lists.size, 16):
            chosen = lists[begin : begin + 16]
            rows = torch.cat([torch.arange(offsets[i], offsets[i + 1]) for i in chosen])
            loss = loss_of(net(values[rows])[:, 0], grades[rows], sizes[chosen])
            adam.zero_grad()
            loss.backward()
            adam.step()
        times.append(time.process_time())
    print(json.dumps({"loss": value, "cpu": np.diff(times[1:]).tolist()}))


def run(*arguments) -> dict:
    return json.loads(start([sys.executable, __file__, *map(str, arguments)]).output.splitlines()[-1])


def measure(
    runs=RUNS, folder=DATA, peers=PEERS, seeds=3, documents=133_000, features=136, queries=None, most=100
) -> dict:
    """Nothing is kept in the folder. runs: epochs behind a median; rankers are trained once from each seed, for `most`
    epochs at most. queries: of made data; default MQ2007, where it is.
    """
    del folder
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that are started
    present = available(peers)
    real = queries is None and there()
    data = "MQ2007" if real else "made data"
    work = (0 if real else queries or 60, most)
    lines, found = [], {}
    values = run("--train", OURS, seeds, *work)
    if "lightgbm" in present:
        values |= run("--train", TREES, seeds, *work) | run("--train", BLENDED, seeds, *work)
    installed = [module for module in MODULES.values() if module in present]
    if installed:
        values |= run("--train", PEERED, seeds, *work, *installed)
    for name, ranker in values.items():
        found[name] = Medians(OURS if name in RANKERS | BLENDS else "peer", ranker["cpu"])
        at_least = (RANKERS | BLENDS).get(name, [NOTHING])[-1] if real else NOTHING
        beside = ranker.get("setting", QUOTED.get(name, "") if real else "")
        lines += quality(f"{name} on {data}", found[name], ranker, at_least, beside)
    if PEER_BLEND in values and "lightgbm" in present:
        (our_blend,) = BLENDS
        lines.append(
            difference(f"our blend less that of peers on {data}: nDCG@10", values[our_blend], values[PEER_BLEND])
        )
    ways = {OURS: "--epochs", **({"PyTorch": "--torch"} if "torch" in present else {})}
    timed = {name: run(way, documents, features, runs) for name, way in ways.items()}
    agree({name: {"loss": values["loss"]} for name, values in timed.items()}, 1e-4)
    epochs = {name: Medians(name, median(values["cpu"]), None, values["cpu"]) for name, values in timed.items()}
    label = f"an epoch of ListNet, {documents:,} x {features}"
    goal = EPOCH_SECONDS if documents == 133_000 and features == 136 else None
    lines.append(absolute(label, epochs[OURS], epochs[OURS].cpu, "s", goal))
    if "PyTorch" in epochs:
        lines.append(ratio(label, epochs[OURS], epochs["PyTorch"]))
    return report("learning", lines, {**found, **{f"epoch {k}": v for k, v in epochs.items()}}, runs)


def quality(label, who, values, targets, beside):
    """The three lines of a ranker."""
    ndcg, precision, seconds = targets
    return [
        Quality(f"{label}: nDCG@10", f"{who.name}, valid {values['valid nDCG@10']:.4f}", beside, values["nDCG@10"], "",
                ndcg),
        Quality(f"{label}: MAP", f"{who.name}, valid {values['valid MAP']:.4f}", "", values["MAP"], "", precision),
        absolute(f"{label}: a fold", who, values["cpu"], "s", seconds),
    ]  # fmt: skip


def difference(label, ours, theirs):
    """The mean difference in nDCG@10 on test queries, with its tests."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "queries.json")
        place.write_text(json.dumps([ours["queries"], theirs["queries"]]))
        compared = run("--compare", place)
    seeds = ", ".join(f"{value:.4f}" for value in compared["seeds"])
    tests = f"p over {compared['n']} queries {compared['over queries']:.4f}, over {len(compared['seeds'])} seeds "
    return Quality(label, f"by seed {seeds}", f"{tests}{compared['over seeds']:.4f}", compared["mean"], "", None)


def compare(place) -> None:
    """From the values of two blends, (2, seeds, queries): p over queries, of the means over seeds, and p over seeds."""
    import numpy as np

    from rankscope.stats import randomisation_test, t_test

    differences = np.subtract(*np.array(json.loads(Path(place).read_text())))
    by_seed = differences.mean(axis=1)
    over_queries = randomisation_test(differences.mean(axis=0), n_resamples=100_000, rng=0).pvalue
    over_seeds = t_test(by_seed).pvalue if by_seed.size > 1 else float("nan")
    compared = {"mean": float(differences.mean()), "n": differences.shape[1], "seeds": by_seed.tolist()}
    print(json.dumps({**compared, "over queries": float(over_queries), "over seeds": float(over_seeds)}))


if __name__ == "__main__":
    ways = {"--train": train, "--compare": compare, "--epochs": epochs_of_ours, "--torch": epochs_of_torch}
    if sys.argv[1:2] and sys.argv[1] in ways:
        ways[sys.argv[1]](*sys.argv[2:])
    else:
        main(measure, __doc__)
