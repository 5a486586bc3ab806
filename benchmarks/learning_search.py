"""The search for the defaults of `Ranker`: all that was tried, by its figures on validation lists, into a log.

    python benchmarks/learning_search.py [--seeds 2] [--keep FILE] [--write]

For each line of TRIED a ranker is trained on the five folds of MQ2007 from each seed. Printed are its mean nDCG@10 on
the validation lists (gain 2 ** grade - 1), by which the best epoch was chosen, and its MAP there, by which nothing was
chosen within a training. The test lists are not looked at. With --write the tables in docs/learning-log.md are
replaced. --keep: a file of lines of JSON with what was found already, which is not done again. One thread; half a CPU
minute a line.
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from letor_folds import HERE, folds, parts

LOG = HERE.parent / "docs" / "learning-log.md"
BEGIN, END = "<!-- written by benchmarks/learning_search.py --write -->", "<!-- end of what was tried -->"
HEAD = ("changed", "valid nDCG@10", "between seeds", "valid MAP", "best epoch", "CPU s a fold")
#: What a line does not say.
BASE = {"hidden": (64,), "dropout": 0.3, "batch_lists": 16, "learning_rate": 0.001, "patience": 15, "epochs": 100,
        "transform": "standard", "weight_decay": 0.0}  # fmt: skip
TWO = "lambdaloss(kind='2')"
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
}


def key_of(given: dict, seeds: int) -> str:
    return json.dumps([{**BASE, **given}, seeds], sort_keys=True)


def tried(given: dict, data, seeds: int) -> dict:
    """Means over folds, by seed; the best epoch and the CPU seconds of a fold."""
    import numpy as np

    from rankscope.evaluation.lists import JudgedLists
    from rankscope.learning.ranker import Ranker
    from rankscope.measures.names import parse_measure

    found, precision = np.zeros((5, seeds, 4)), parse_measure("AP")
    for k, (train, valid, _) in enumerate(folds(data)):
        lists = JudgedLists(valid.relevance, valid.offsets)
        for seed in range(seeds):
            begin = time.process_time()
            ranker = Ranker(**{**BASE, **given}, rng=seed).fit(train, eval_set=valid)
            cpu, model = time.process_time() - begin, ranker.models_[0]
            average = precision(lists.hits(ranker.predict(valid))).mean()
            found[k, seed] = model.values[model.best_epoch], average, model.best_epoch + 1, cpu
    average, epoch, cpu = found[..., 1:].mean(axis=(0, 1)).tolist()
    return {"valid": found[..., 0].mean(axis=0).tolist(), "average": average, "epoch": epoch, "cpu": cpu}


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
        f"{found['cpu']:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="what was found, as lines of JSON")
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
    for title, lines in groups.items():
        text += [f"### {title}", "", "| " + " | ".join(HEAD) + " |", "|:--|--:|--:|--:|--:|--:|"]
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
    if args.write:
        before, rest = LOG.read_text(encoding="utf-8").split(BEGIN)
        LOG.write_text(before + BEGIN + "\n\n" + "\n".join(text) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
