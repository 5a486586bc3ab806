"""The search for the defaults of `Ranker`: all that was tried, by its figures on validation lists, into a log.

    python benchmarks/learning_search.py [--seeds 2] [--keep FILE] [--write]

For each line of TRIED a ranker is trained on the five folds of MQ2007 from each seed. Printed are its mean nDCG@10 on
the validation lists (gain 2 ** grade - 1), by which the best epoch was chosen, and its MAP there, by which nothing was
chosen within a training; of several models, those of their averaged scores. The test lists are not looked at. With
--write the tables in docs/learning-log.md are replaced. --keep: a file of lines of JSON with what was found already,
which is not done again. One thread; half a CPU minute a line.
"""

import argparse
import json
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from letor_folds import HERE, folds, parts

LOG = HERE.parent / "docs" / "learning-log.md"
BEGIN, END = "<!-- written by benchmarks/learning_search.py --write -->", "<!-- end of what was tried -->"
HEAD = ("changed", "valid nDCG@10", "between seeds", "valid MAP", "best epoch")
#: What a line does not say.
BASE = {"hidden": (64,), "dropout": 0.3, "batch_lists": 16, "learning_rate": 0.001, "patience": 15, "epochs": 100,
        "transform": "standard", "weight_decay": 0.0}  # fmt: skip
TWO = "lambdaloss(kind='2')"
#: Trees by LightGBM's own defaults, but for their number.
PLAIN = "leaves=31, rate=0.1, min_documents=20, features=1.0, documents=1.0"
#: By what was to be found out.
TRIED: dict[str, list[dict]] = {
    "Networks by loss, and lists before each step": [
        {"loss": "listnet"},
        {"loss": "listmle"},
        {"loss": "ranknet"},
        {"loss": TWO},
        {"loss": "listnet", "batch_lists": 8},
        {"loss": "listmle", "batch_lists": 8},
        {"loss": "ranknet", "batch_lists": 8},
        {"loss": TWO, "batch_lists": 8},
    ],
    "LambdaLoss: how a network is trained": [
        {"loss": TWO, "batch_lists": 8, "hidden": (128,), "dropout": 0.5},
        {"loss": TWO, "batch_lists": 8, "dropout": 0.2},
        {"loss": TWO, "batch_lists": 8, "dropout": 0.5},
        {"loss": TWO, "batch_lists": 8, "learning_rate": 0.0005},
        {"loss": TWO, "batch_lists": 8, "learning_rate": 0.002},
        {"loss": TWO, "batch_lists": 8, "weight_decay": 0.1},
        {"loss": TWO, "batch_lists": 8, "hidden": (64, 32)},
    ],
    "Larger steps": [
        {"loss": "ranknet", "batch_lists": 8, "learning_rate": 0.002},
        {"loss": "listnet", "batch_lists": 8, "learning_rate": 0.002},
        {"loss": "listmle", "batch_lists": 8, "learning_rate": 0.002},
        {"loss": TWO, "batch_lists": 8, "learning_rate": 0.002, "hidden": (128,), "dropout": 0.5},
        {"loss": TWO, "batch_lists": 8, "learning_rate": 0.004},
        {"loss": TWO, "learning_rate": 0.002},
        {"loss": "listmle", "learning_rate": 0.002},
    ],
    "Linear scorers": [
        {"loss": "listnet", "hidden": ()},
        {"loss": "listnet", "hidden": (), "weight_decay": 0.001},
        {"loss": "listnet", "hidden": (), "transform": "auto"},
        {"loss": "ranknet", "hidden": ()},
    ],
    "Other kinds of LambdaLoss and its kin, larger steps": [
        {"loss": "lambdaloss(kind='2', sigma=2.0)", "batch_lists": 8, "learning_rate": 0.002},
        {"loss": "lambdaloss(kind='2++')", "batch_lists": 8, "learning_rate": 0.002},
        {"loss": "lambdarank", "batch_lists": 8, "learning_rate": 0.002},
    ],
    "Logarithms of features where they make them less skewed": [
        {"loss": TWO, "batch_lists": 8, "learning_rate": 0.002, "transform": "auto"},
        {"loss": "lambdaloss(kind='2++')", "batch_lists": 8, "learning_rate": 0.002, "transform": "auto"},
        {"loss": "listnet", "batch_lists": 8, "learning_rate": 0.002, "transform": "auto"},
        {"loss": "ranknet", "batch_lists": 8, "learning_rate": 0.002, "transform": "auto"},
        {"loss": "listmle", "batch_lists": 8, "learning_rate": 0.002, "transform": "auto"},
    ],
    "Trees: how they are grown, and by what": [
        {"loss": f"lambdamart({PLAIN})"},
        {"loss": "lambdamart"},
        {"loss": "lambdamart(objective='listnet')"},
        {"loss": "lambdamart(objective='ranknet')"},
        {"loss": "lambdamart(objective=\"lambdaloss(kind='2++')\")"},
    ],
    "Trees: ranks within the list": [
        {"loss": "lambdamart(objective='listnet', ranks=True)"},
        {"loss": "lambdamart(objective='ranknet', ranks=True)"},
    ],
    "Trees: averages of several models": [
        {"loss": "lambdamart", "models": 4},
        {"loss": "lambdamart(objective='listnet')", "models": 4},
        {"loss": "lambdamart(objective='listnet', ranks=True, patience=50)", "models": 6},
        {"loss": "lambdamart(objective='listnet', ranks=True, rate=0.1, patience=50)", "models": 6},
    ],
}


def key_of(given: dict, seeds: int) -> str:
    return json.dumps([whole(given), seeds], sort_keys=True)


def whole(given: dict) -> dict:
    """With what a line does not say; of trees, that is in the defaults."""
    return given if given["loss"].startswith("lambdamart") else {**BASE, **given}


def tried(given: dict, data, seeds: int) -> dict:
    """Means over folds, by seed; the best epoch."""
    import numpy as np

    from rankscope.evaluation.judged_lists import FullyJudgedLists
    from rankscope.learning.ranker import Ranker
    from rankscope.measures.names import parse_measure

    found, precision, watched = np.zeros((5, seeds, 3)), parse_measure("AP"), parse_measure("nDCG(gain='exp')@10")
    for k, (train, valid, _) in enumerate(folds(data)):
        lists = FullyJudgedLists(valid.relevance, valid.offsets, by_lot=True)
        for seed in range(seeds):
            ranker = Ranker(**whole(given), rng=seed).fit(train, eval_set=valid)
            models = ranker.models_
            hits = lists.hits(ranker.predict(valid))
            value = models[0].values[models[0].best_epoch] if len(models) == 1 else watched(hits).mean()
            epoch = sum(model.best_epoch + 1 for model in models) / len(models)
            found[k, seed] = value, precision(hits).mean(), epoch
    average, epoch = found[..., 1:].mean(axis=(0, 1)).tolist()
    return {"valid": found[..., 0].mean(axis=0).tolist(), "average": average, "epoch": epoch}


def label(given: dict) -> str:
    return "`" + (", ".join(f"{name}={value!r}" for name, value in given.items()) or "nothing") + "`"


def row(given: dict, found: dict) -> str:
    valid = found["valid"]
    spread = f"{max(valid) - min(valid):.4f}" if len(valid) > 1 else ""
    cells = (
        label(given),
        f"{sum(valid) / len(valid):.4f}",
        spread,
        f"{found['average']:.4f}",
        f"{found['epoch']:.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="what was found, as lines of JSON")
    parser.add_argument("--only", metavar="TITLE", help="of TRIED, the parts whose titles begin so; nothing is written")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {LOG.name}")
    parser.add_argument(
        "--try", dest="one", action="append", metavar="ARGUMENTS", help="only dict(ARGUMENTS), not TRIED"
    )
    args = parser.parse_args()
    known = {}
    if args.keep and args.keep.exists():
        known = {line["key"]: line for line in map(json.loads, args.keep.read_text().splitlines())}
    data = parts()
    text = []
    groups = {"": [eval(f"dict({one})") for one in args.one]} if args.one else TRIED
    if args.only:
        groups = {title: lines for title, lines in TRIED.items() if title.startswith(args.only)}
    for title, lines in groups.items():
        text += [f"### {title}", "", "| " + " | ".join(HEAD) + " |", "|:--|--:|--:|--:|--:|"]
        for given in lines:
            key = key_of(given, args.seeds)
            if key not in known:
                known[key] = {"key": key, **tried(given, data, args.seeds)}
                if args.keep:
                    with args.keep.open("a") as file:
                        file.write(json.dumps(known[key]) + "\n")
            text.append(row(given, known[key]))
            print(text[-1], flush=True)
        text.append("")
    if args.write and not args.only:
        before, rest = LOG.read_text(encoding="utf-8").split(BEGIN)
        LOG.write_text(before + BEGIN + "\n\n" + "\n".join(text) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
