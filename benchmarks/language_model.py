"""Claims: an n-gram model of order 4 with modified Kneser-Ney smoothing is trained on 100,000 sentences (about 2.4
million words) within 120 CPU seconds and 2,000 MB, reading the text and writing the model included.

The text is drawn with a fixed seed: frequencies of words fall as Zipf's law says, and half of all words are one of a
few that often follow the one before. Beside it, without a target: sentences scored by a model of a fifth of the text,
against kenlm, whose query is C++ called for each sentence, and a plain loop of Python over a dictionary of n-grams.
These take the ARPA file that ours wrote; CPU seconds are those of scoring alone, without loading, the second time: ours
makes its tables of n-grams at the first call, and kenlm while it loads. The first call is shown, too. All must find the
same mean.
"""

import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from measuring import (
    DATA,
    OURS,
    RUNS,
    Medians,
    absolute,
    agree,
    available,
    main,
    median,
    medians,
    ratio,
    report,
    start,
)

SECONDS, MEGABYTES = 120, 2000
SENTENCES, WORDS, ORDER = 100_000, 24, 4
VOCABULARY, FOLLOWERS = 50_000, 20
#: Scored: so many sentences, of which one word in a hundred is in no text.
ASKED, UNSEEN = 20_000, 0.01
PEERS = ("kenlm",)
LOOP = "loop of Python"
NAMES = ("all.txt", "some.txt", "asked.txt")


def write_texts(place, sentences, asked) -> None:
    """Runs in a process of its own: all sentences, the first fifth of them, and others to be scored."""
    import numpy as np

    rng, sentences, asked = np.random.default_rng(15), int(sentences), int(asked)
    n = sentences + asked
    lengths = np.maximum(rng.poisson(WORDS, n), 1)
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    share /= share[-1]
    followers = np.searchsorted(share, rng.random((VOCABULARY, FOLLOWERS)))
    words = np.empty((n, int(lengths.max())), np.int64)
    words[:, 0] = np.searchsorted(share, rng.random(n))
    for i in range(1, words.shape[1]):
        usual = followers[words[:, i - 1], rng.integers(0, FOLLOWERS, n)]
        words[:, i] = np.where(rng.random(n) < 0.5, usual, np.searchsorted(share, rng.random(n)))
    unseen = rng.random(words.shape) < UNSEEN
    lines = []
    for i, (row, size) in enumerate(zip(words.tolist(), lengths.tolist(), strict=True)):
        line = [f"w{word}" for word in row[:size]]
        if i >= sentences:
            line = [f"unseen{word}" if new else word for word, new in zip(line, unseen[i, :size].tolist(), strict=True)]
        lines.append(" ".join(line))
    parts = (lines[:sentences], lines[: max(sentences // 5, 1)], lines[sentences:])
    for name, part in zip(NAMES, parts, strict=True):
        Path(place, name).write_text("\n".join(part) + "\n", encoding="utf-8")


def train(text, path) -> None:
    from rankscope.translation import save_language_model, train_language_model

    save_language_model(train_language_model(text, order=ORDER), path)


def score(who, arpa, asked) -> None:
    """The mean of log10 over sentences, and CPU seconds of scoring for the first and the second time."""
    sentences = Path(asked).read_text(encoding="utf-8").splitlines()
    found = {OURS: by_ours, "kenlm": by_kenlm, LOOP: by_loop}[who](arpa)
    times = [time.process_time()]
    for _ in range(2):
        total = found(sentences)
        times.append(time.process_time())
    first, again = (end - begin for begin, end in pairwise(times))
    print(json.dumps({"mean": total / len(sentences), "first": first, "cpu": again}))


def by_ours(arpa):
    from rankscope.translation import load_language_model

    model = load_language_model(arpa)
    return lambda sentences: float(model.scores(sentences).log10.sum())


def by_kenlm(arpa):
    import kenlm

    model = kenlm.Model(str(arpa))
    return lambda sentences: sum(model.score(sentence) for sentence in sentences)


def by_loop(arpa):
    """What a script does: all n-grams in a dictionary by their text, and back-off word by word."""
    table = {}
    with open(arpa, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) > 1:
                table[fields[1]] = float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0

    def log10_of(words):
        if " ".join(words) in table:
            return table[" ".join(words)][0]
        if len(words) == 1:
            return table["<unk>"][0]
        return table.get(" ".join(words[:-1]), (0.0, 0.0))[1] + log10_of(words[1:])

    def total(sentences):
        found = 0.0
        for sentence in sentences:
            words = ["<s>", *sentence.split(), "</s>"]
            found += sum(log10_of(words[max(i - ORDER, 0) : i]) for i in range(2, len(words) + 1))
        return found

    return total


def measure(runs=RUNS, folder=DATA, peers=PEERS, sentences=SENTENCES, asked=ASKED, **_) -> dict:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        python = [sys.executable, __file__]
        start([*python, "write_texts", place, str(sentences), str(asked)])
        all_, some, held = (str(Path(place, name)) for name in NAMES)
        arpa = str(Path(place, "some.arpa"))
        trained = medians(OURS, [start([*python, "train", all_, str(Path(place, "model"))]) for _ in range(runs)])
        start([*python, "train", some, arpa])
        scored = {who: scoring([*python, "score", who, arpa, held], runs) for who in (OURS, *available(peers), LOOP)}
    agree({who: {"mean log10": values["mean"]} for who, values in scored.items()}, within=1e-4)
    found = {who: Medians(who, values["cpu"]) for who, values in scored.items()}
    first = {who: Medians(who, values["first"]) for who, values in scored.items()}
    work = f"model of order {ORDER}, {sentences:,} sentences"
    lines = [
        absolute(work, trained, trained.cpu, "CPU s", SECONDS),
        absolute(f"{work}: memory", trained, trained.memory, "MB", MEGABYTES),
        *(ratio(f"{asked:,} sentences scored", found[OURS], found[who]) for who in found if who != OURS),
        *(ratio(f"{asked:,} sentences scored: first call", first[OURS], first[who]) for who in first if who == "kenlm"),
    ]
    return report("language_model", lines, {"trained": trained, **found}, runs)


def scoring(command, runs) -> dict[str, float]:
    """The mean that was found, and the medians of CPU seconds."""
    outputs = [json.loads(start(command).output.splitlines()[-1]) for _ in range(runs)]
    return {"mean": outputs[0]["mean"], **{name: median(o[name] for o in outputs) for name in ("first", "cpu")}}


JOBS = {"write_texts": write_texts, "train": train, "score": score}

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in JOBS:
        JOBS[sys.argv[1]](*sys.argv[2:])
    else:
        main(measure, __doc__)
