"""Claims: the work of all of WMT12 (8 language pairs, 12,339 judgments of five translations, one metric of 309 thousand
scores) takes at most 1.5 CPU seconds by the command line, reading and 1,000 bootstrap samples included. Epsilon of 15
systems x 2,000 segments is calibrated in at most .1 CPU seconds. JCML of 100 MB is read in under 100 MB of memory.

All data are drawn with a fixed seed. Beside it, in the same run: a script that reads the same two files and goes
through the judgments one by one with NumPy (values alone, no bootstrap, nothing checked); a loop of NumPy over
candidate epsilons, of which it tries a few, extrapolated to all that occur; scipy.stats.kendalltau called for each
segment (beside it our mean of the same values); and xml.etree, which keeps what it reads of the same JCML. All must
find the same values.
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from measuring import (
    DATA,
    OURS,
    RUNS,
    Contestant,
    Medians,
    absolute,
    agree,
    available,
    in_turn,
    main,
    median,
    medians,
    program,
    ratio,
    report,
    start,
)

SECONDS, CALIBRATION_SECONDS, MEGABYTES = 1.5, 0.1, 100
#: Of each language pair of WMT12, how many judgments and how many systems; segments of the test set.
JUDGMENTS = {
    "fr-en": (1395, 15),
    "de-en": (1427, 16),
    "es-en": (1141, 12),
    "cs-en": (1294, 6),
    "en-fr": (1547, 15),
    "en-de": (1752, 15),
    "en-es": (1475, 11),
    "en-cs": (2308, 13),
}
SEGMENTS, LIST = 3003, 5
LANGUAGES = {"fr": "French", "de": "German", "es": "Spanish", "cs": "Czech", "en": "English"}
EVALUATED = "mt-metrics-eval, quoted, not measured: 1.5 s"  # from the issue that asks for this
BY_JUDGMENT, BY_CANDIDATE, ETREE = "csv, loop of NumPy, no bootstrap", "loop of NumPy, extrapolated", "xml.etree"
#: Candidate epsilons that the loop tries.
FEW = 100
MADE = ("judged.csv", "made.seg.scr", "judged.jcml")


def write_files(place, share, megabytes) -> None:
    """Runs in a process of its own. share: of the judgments of WMT12. megabytes: of JCML."""
    import numpy as np

    rng, share = np.random.default_rng(1), float(share)
    names = [f"system{i}{what}" for what in ("Id", "rank") for i in range(1, LIST + 1)]
    rows, scores = [",".join(["srclang", "trglang", "srcIndex", "judgeId", *names])], []
    segments = max(2, round(SEGMENTS * share))
    for pair, (n, systems) in JUDGMENTS.items():
        good = 0.15 * np.arange(systems) + rng.normal(size=(segments, systems))
        metric = 0.3 + 0.05 * (good + 2 * rng.normal(size=good.shape))
        source, target = (LANGUAGES[code] for code in pair.split("-"))
        for i in rng.integers(0, segments, max(2, round(n * share))).tolist():
            shown = rng.permutation(systems)[:LIST]
            seen = np.rint(good[i, shown] + rng.normal(size=LIST))
            ranks = 1 + (seen > seen[:, None]).sum(axis=1)
            cells = [source, target, i + 1, f"judge{i % 60}", *(f"sys{s}" for s in shown), *ranks]
            rows.append(",".join(map(str, cells)))
        for s, column in enumerate(metric.T.tolist()):
            begin = f"made\t{pair}\tnewstest2012\tsys{s}"
            scores += [f"{begin}\t{i}\t{x:.6f}" for i, x in enumerate(column, 1)]
    for name, lines in zip(MADE, (rows, scores), strict=False):
        Path(place, name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_jcml(Path(place, MADE[2]), float(megabytes) * 1e6, rng)


def write_jcml(path, size, rng) -> None:
    """Judgments of five translations with their texts, until the file is as large as that."""
    texts = ["".join(letters) for letters in rng.choice(list("abcdefgh   "), (500, 120))]
    with open(path, "w", encoding="utf-8") as file:
        file.write("<jcml>\n")
        done = 0
        while file.tell() < size:
            ranks, bleu = rng.integers(1, LIST + 1, (1000, LIST)).tolist(), rng.random((1000, LIST)).tolist()
            for i in range(1000):
                done += 1
                file.write(f'<judgedsentence id="{done}" langsrc="de" langtgt="en" judge_id="j{done % 50}">\n')
                file.write(f" <src>{texts[i % 500]}</src>\n")
                for s in range(LIST):
                    numbers = f'rank="{ranks[i][s]}" bleu="{bleu[i][s]:.6f}"'
                    file.write(f' <tgt system="s{s}" {numbers}>{texts[(i + 7 * s) % 500]}</tgt>\n')
                file.write(f" <ref>{texts[(i + 99) % 500]}</ref>\n</judgedsentence>\n")
        file.write("</jcml>\n")


def by_judgment(judgments, scores) -> None:
    """Runs in a process of its own: the values of wmt12 with what everybody has, judgment by judgment."""
    import csv

    import numpy as np

    codes = {name: code for code, name in LANGUAGES.items()}
    metric, totals = {}, defaultdict(lambda: np.zeros(2))
    with open(scores, encoding="utf-8") as file:
        for line in file:
            _, pair, _, system, segment, score = line.split("\t")
            metric[pair, system, segment] = float(score)
    one, other = np.triu_indices(LIST, 1)
    with open(judgments, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            pair = f"{codes[row['srclang']]}-{codes[row['trglang']]}"
            ranks = np.array([int(row[f"system{i}rank"]) for i in range(1, LIST + 1)])
            found = np.array([metric[pair, row[f"system{i}Id"], row["srcIndex"]] for i in range(1, LIST + 1)])
            people = np.sign(ranks[other] - ranks[one])
            right = people * np.where(found[one] == found[other], -people, np.sign(found[one] - found[other]))
            totals[pair] += right.sum(), np.abs(people).sum()
    say({pair: above / below for pair, (above, below) in totals.items()})


def by_us(judgments, scores) -> None:
    """Runs in a process of its own: the same values, all digits."""
    from rankscope.agreement import segments

    found = segments(judgments, scores, n_resamples=1, rng=1)
    say(dict(zip(found.pairs, found.value[0].tolist(), strict=True)))


def jcml_by_us(path) -> None:
    """Runs in a process of its own: all numbers of a file."""
    from rankscope.io.translation import read_jcml

    found = read_jcml(path)
    say({"items": len(found.system), **{name: float(values.sum()) for name, values in found.columns.items()}})


def jcml_by_etree(path) -> None:
    """Runs in a process of its own."""
    from xml.etree import ElementTree as ET

    items = list(ET.parse(path).iter("tgt"))
    say({"items": len(items), **{name: sum(float(item.get(name)) for item in items) for name in ("rank", "bleu")}})


def say(values) -> None:
    for name, value in values.items():
        print(json.dumps({"measure": name, "value": value}))


def in_memory(systems, segments, runs, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import numpy as np

    from rankscope.agreement import segments as agreement
    from rankscope.agreement.judgments import GOLD, lists_of_scores
    from rankscope.agreement.statistics import CONVENTIONS, calibrate
    from rankscope.data.metric_scores import MetricScores, PairScores

    rng = np.random.default_rng(3)
    good = rng.normal(size=(int(systems), int(segments)))
    gold, metric = np.rint(2 * good), good + rng.normal(size=good.shape)
    names = tuple(f"s{i}" for i in range(int(systems)))
    lines = tuple(map(str, range(int(segments))))
    judged = lists_of_scores(MetricScores("people", {"": PairScores(names, lines, gold)}))
    judged = judged.with_column("m", metric.T.ravel(), higher_is_better=True)
    one, other = np.triu_indices(int(systems), 1)
    apart, people = metric[one] - metric[other], np.sign(gold[one] - gold[other])
    best = calibrate(-gold.T, -metric.T, convention=CONVENTIONS["acc_eq"])
    tried = np.append(rng.choice(np.abs(apart).ravel(), FEW - 1, replace=False), best.epsilon)

    def candidates():
        return max((float((np.where(np.abs(apart) <= e, 0, np.sign(apart)) == people).mean()), e) for e in tried)

    ways = {
        "calibrated": lambda: calibrate(-gold.T, -metric.T, convention=CONVENTIONS["acc_eq"]),
        "kendall": lambda: agreement(judged, statistic="kendall_b", grouping="segment", gold=GOLD, n_resamples=1),
    }
    agree({OURS: best._asdict(), BY_CANDIDATE: dict(zip(("value", "epsilon"), candidates(), strict=True))})
    if peers:
        ways["candidates"] = candidates
        from scipy import stats

        def one_by_one():
            return np.nanmean([stats.kendalltau(a, b).statistic for a, b in zip(gold.T, metric.T, strict=True)])

        agree({OURS: {"tau": float(ways["kendall"]().value[0, 0])}, "scipy": {"tau": float(one_by_one())}})
        ways["scipy"] = one_by_one
    spent = defaultdict(list)
    for _ in range(int(runs)):
        for name, call in ways.items():
            begin = time.process_time()
            call()
            spent[name].append(time.process_time() - begin)
    if "candidates" in spent:
        share = FEW / np.unique(np.abs(apart)).size
        spent["candidates"] = [cpu / share for cpu in spent["candidates"]]
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("scipy",), share=1.0, systems=15, segments=2000, megabytes=100) -> dict:
    """Nothing is kept in the folder. share: of the judgments of WMT12. megabytes: of JCML. Without peers, no others."""
    del folder
    present = available(peers)
    with tempfile.TemporaryDirectory() as place:
        start([*this("write"), place, str(share), str(megabytes)])
        judged, scores, jcml = (str(Path(place, name)) for name in MADE)
        command = [*program(), "agree", "segments", judged, scores]
        ours = [Contestant(OURS, command, [*this("us"), judged, scores]), Contestant(OURS, [*this("jcml"), jcml])]
        others = [Contestant(BY_JUDGMENT, [*this("judgments"), judged, scores])]
        others += [Contestant(ETREE, [*this("etree"), jcml])]
        files, read = (in_turn([one, other][: 1 + bool(peers)], runs) for one, other in zip(ours, others, strict=True))
        size = f"JCML of {Path(jcml).stat().st_size / 1e6:.0f} MB"
        # Once: it takes long, and what is asked is its memory.
        whole = start([*program(), "agree", "ranks", jcml, "--metrics", "bleu", "--higher", "bleu", "--gold", "rank"])
    spent = json.loads(start([*this("memory"), *map(str, (systems, segments, runs)), *present]).output)
    found = {name: Medians(OURS, median(cpu), None, cpu) for name, cpu in spent.items()}
    found |= {"files": files.pop(OURS), "jcml": read.pop(OURS), "ranks": medians(OURS, [whole]), **files, **read}
    return report("agreement", lines_of(found, f"{systems} systems x {segments:,} segments", size), found, runs)


def lines_of(found, shape, size):
    work, epsilon, files, jcml = "agree segments: all of WMT12, made up", f"epsilon of {shape}", "files", "jcml"
    calibrated = found["calibrated"]
    lines = [
        absolute(work, found[files], found[files].cpu, "CPU s", SECONDS),
        absolute(epsilon, calibrated, calibrated.cpu, "CPU s", CALIBRATION_SECONDS, EVALUATED),
        absolute(f"{size}, read: peak memory", found[jcml], found[jcml].memory, "MB", MEGABYTES),
        absolute(f"{size}, agree ranks: peak memory", found["ranks"], found["ranks"].memory, "MB", None),
    ]
    beside = (
        (work, files, BY_JUDGMENT, BY_JUDGMENT),
        (epsilon, "calibrated", "candidates", BY_CANDIDATE),
        (f"tau-b by segment, {shape}", "kendall", "scipy", "scipy"),
        (f"{size}, read", jcml, ETREE, ETREE),
    )
    for label, name, other, called in beside:
        if other in found:
            lines.append(ratio(label, found[name], replace(found[other], name=called)))
    return lines


WAYS = {
    "write": write_files,
    "us": by_us,
    "judgments": by_judgment,
    "jcml": jcml_by_us,
    "etree": jcml_by_etree,
    "memory": in_memory,
}


def this(way) -> list[str]:
    """This script, in a process of its own, for one of its ways."""
    return [sys.executable, __file__, "--way", way]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--way"]:
        WAYS[sys.argv[2]](*sys.argv[3:])
    else:
        main(measure, __doc__)
