"""LETOR's scripts, beside a loop written from their description; perl's numbers, rank positions, the t-test."""

from __future__ import annotations

import math
import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers
from hypothesis import given
from hypothesis import strategies as st

from rankscope.compat.letor import (
    Stopped,
    letor_rank,
    letor_score,
    letor_ttest,
    letor_ttests,
    letor_values,
    perl_number,
)
from rankscope.errors import InputError, UnknownName
from rankscope.io.letor import BLOCK_SIZE

PATTERNS = {
    "letor3": r"(\d+) qid:(\S+).*?#docid = (\S+)$",
    "letor4": r"(\d+) qid:(\S+).*?#docid = (\S+) inc = (\S+) prob = (\S+)",
    "mslr": r"(\d+) qid:(\S+)",
}
GAINS = {"0": 0, "1": 1, "2": 3}
GAINS_MSLR = {**GAINS, "3": 7, "4": 15}


def naive(test: str, predictions: str, preset: str) -> tuple[str, str] | str:
    """Both files, or the message with which the script stops."""
    gains = GAINS_MSLR if preset == "mslr" else GAINS
    relevant = {"2", "3", "4"} if preset == "mslr" else {"1", "2"}
    queries: dict[str, dict[str, tuple[str, float]]] = {}
    predicted = predictions.removesuffix("\n").split("\n") if predictions else []
    for number, line in enumerate(test.removesuffix("\n").split("\n"), 1):
        if number > len(predicted):
            return f"Error to read pred at line {number}."
        found = re.match(PATTERNS[preset], line)
        if not found:
            return f"Error to parse test at line {number}:\n{line}"
        docs = queries.setdefault(found[2], {})
        doc = str(number) if preset == "mslr" else found[3]
        docs.pop(doc, None)
        docs[doc] = (found[1], perl_number(predicted[number - 1].encode()))
    rows = []
    for query in sorted(queries, key=lambda id_: perl_number(id_.encode())):
        ranked = [label for label, _ in sorted(queries[query].values(), key=lambda pair: -pair[1])]
        rows.append((query, len(ranked), *one_query(ranked, gains, relevant)))
    return (numbered if preset == "letor3" else tables)(rows)


def one_query(ranked, gains, relevant):
    """P and NDCG at all ranks of the list, and AP."""
    hits, precision, total = 0, [], 0.0
    for rank, label in enumerate(ranked, 1):
        hits += label in relevant
        precision.append(hits / rank)
        total += precision[-1] if label in relevant else 0.0
    own = [gains.get(label, 0) for label in ranked]
    dcg, ideal = (curve(g) for g in (own, sorted(own, reverse=True)))
    ndcg = [a / b if b else 0.0 for a, b in zip(dcg, ideal, strict=True)]
    return precision, total / hits if hits else 0.0, ndcg


def curve(gains):
    total, found = 0.0, []
    for rank, gain in enumerate(gains, 1):
        total += gain if rank < 3 else gain * math.log(2) / math.log(rank)
        found.append(total)
    return found


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def tables(rows):
    texts = []
    for by_query in (False, True):
        text = ""
        for name, last in (("P", "MAP"), ("NDCG", "MeanNDCG")):
            text += "\t".join(["qid", *(f"{name}@{n}" for n in range(1, 11)), last]) + "\n"
            columns = []
            for query, n, precision, ap, ndcg in rows:
                if name == "P":
                    at = [*precision[:10], *(precision[-1] * n / k for k in range(n + 1, 11))]
                    at = [round(p * k) / k for k, p in enumerate(at, 1)]
                    columns.append((query, *at, ap))
                else:
                    columns.append((query, *(ndcg + [0.0] * 10)[:10], mean(ndcg)))
            averages = ("Average", *(mean(column) for column in list(zip(*columns, strict=True))[1:]))
            for query, *values in [*(columns if by_query else []), averages]:
                text += "\t".join([query, *(f"{value:.4f}" for value in values)]) + "\n"
            text += "\n"
        texts.append(text)
    return tuple(texts)


def numbered(rows):
    longest = min(max(n for _, n, *_ in rows), 16)
    texts = []
    for by_query in (False, True):
        text = ""
        for one, every, lists, tab in (
            ("precision", "precision", [row[2] for row in rows], "\t"),
            ("Map", "MAP", [[row[3]] for row in rows], ""),
            ("NDCG", "NDCG", [row[4] for row in rows], "\t"),
        ):
            for i, values in enumerate(lists if by_query else []):
                text += f"{one} of query{i}:\t" + "\t".join(f"{v:.15g}" for v in values[:16]) + f"{tab}\n"
            width = longest if tab else 1
            averages = [mean([values[n] if n < len(values) else 0.0 for values in lists]) for n in range(width)]
            text += f"{every}:\t" + "\t".join(f"{v:.15g}" for v in averages) + f"{tab}\n\n"
        texts.append(text)
    return tuple(texts)


def ours(folder: Path, test: str, predictions: str, preset: str) -> tuple[str, str] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("test").write_bytes(test.encode())
        Path("pred").write_bytes(predictions.encode())
        try:
            return tuple(letor_score("test", "pred", preset=preset, by_query=by) for by in (False, True))
        except Stopped as stop:
            return str(stop) if stop.code == 254 else f"exit code {stop.code}"


SCORES = ["0", "1", "0.5", "0.50", "5e-1", "-2", "", "x", "inf", "-inf", ".25z", " 7", "123456789.125"]
COMMENTS = {"letor3": "#docid = {}", "letor4": "#docid = {} inc = 1 prob = 0.5", "mslr": "#docid = {}"}


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str, str]:
    """A preset and files that its script reads: mixed queries, repeated ids, ties, labels outside its table."""
    preset = draw(st.sampled_from(list(PATTERNS)))
    n = draw(st.integers(1, 60))
    pick = random.Random(draw(st.integers(0, 10**9)))
    documents = pick.choice([5, 40, 10**6])
    lines, predicted = [], []
    for _ in range(n):
        label, query = (
            pick.choice("000112234567") if pick.random() < 0.98 else "10",
            pick.choice(["2", "10", "7a", "3"]),
        )
        middle = "1:0.5 2:0.1 " * pick.randint(0, 4)
        comment = COMMENTS[preset].format(f"D{pick.randrange(documents)}")
        lines.append(f"{label} qid:{query} {middle}{comment}")
        predicted.append(pick.choice(SCORES) if pick.random() < 0.7 else repr(pick.random()))
    longer = pick.randint(0, 1)
    return preset, "\n".join(lines) + "\n" * pick.randint(0, 1), "\n".join(predicted + ["9"] * longer) + "\n"


@given(files(), st.sampled_from([3, 100, BLOCK_SIZE]))
def test_outputs_are_those_of_a_loop(tmp_path: Path, made: tuple[str, str, str], size: int) -> None:
    preset, test, predictions = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankscope.io.letor.labels.BLOCK_SIZE", size)
        patch.setattr("rankscope.io.letor.predictions.BLOCK_SIZE", size)
        patch.setattr("rankscope.compat.letor.values.CELLS", size)
        assert ours(tmp_path, test, predictions, preset) == naive(test, predictions, preset)


GOOD = "1 qid:1 1:0.5 #docid = A inc = 1 prob = 0.5"
ODD_LINES = {
    "no features": "1 qid:1 #docid = B inc = 1 prob = 0.5",
    "a sign before the comment": "1 qid:1 1:#5 #docid = B inc = 1 prob = 0.5",
    "a sign in the query": "1 qid:1#docid = B inc = 1 prob = 0.5",
    "two comments": "1 qid:1 #docid = X inc = 1 #docid = B inc = 1 prob = 0.5",
    "a sign in the document": "1 qid:1 #docid = B#1 inc = 1 prob = 0.5",
    "something behind the comment": "1 qid:1 #docid = B inc = 1 prob = 0.5 and more",
    "a long document": f"1 qid:1 #docid = {'B' * 300} inc = {'1' * 99} prob = {'5' * 200}",
    "a long query": f"1 qid:{'1' * 300} #docid = B inc = 1 prob = 0.5",
    "a document only": "1 qid:1 #docid = B",
    "a document and spaces": "1 qid:1 #docid = B  ",
    "carriage return": "1 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5\r",
    "carriage return in 3.0": "1 qid:1 1:0.5 #docid = B\r",
    "no comment": "1 qid:1 1:0.5",
    "nothing behind the query": "1 qid:1",
    "two spaces": "1  qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a tab": "1\tqid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a tab behind the query": "1 qid:1\t1:0.5\t#docid = B inc = 1 prob = 0.5",
    "a space first": " 1 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a sign before the label": "+1 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a negative label": "-1 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a fraction": "1.0 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a label with a zero before it": "01 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "a long label": "123456789012345678901234567890 qid:1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "an empty query": "1 qid: 1:0.5 #docid = B inc = 1 prob = 0.5",
    "no query": "1 1:0.5 #docid = B inc = 1 prob = 0.5",
    "tabs in the comment": "1 qid:1 1:0.5 #docid\t= B inc = 1 prob = 0.5",
    "two spaces in the comment": "1 qid:1 1:0.5 #docid = B  inc = 1 prob = 0.5",
    "an empty value": "1 qid:1 1:0.5 #docid = B inc = 1 prob = ",
    "a blank line": "",
    "a comment": "# 1 qid:1",
}


@pytest.mark.parametrize("preset", PATTERNS)
@pytest.mark.parametrize("kind", ODD_LINES)
def test_a_line_parses_where_the_scripts_pattern_matches_it(tmp_path: Path, kind: str, preset: str) -> None:
    good = GOOD if preset == "letor4" else "1 qid:1 1:0.5 #docid = A"
    for lines in ([ODD_LINES[kind]], [good, ODD_LINES[kind], good]):
        test, predictions = "\n".join(lines) + "\n", "1\n2\n3\n"
        assert ours(tmp_path, test, predictions, preset) == naive(test, predictions, preset)


def test_of_two_errors_the_one_that_comes_first_stops_the_script(tmp_path: Path) -> None:
    bad = "no line"
    for lines, n in (([GOOD, bad, GOOD], 2), ([GOOD, bad, GOOD], 1), ([GOOD, GOOD, bad], 1), ([bad], 0), ([GOOD], 0)):
        test, predictions = "\n".join(lines) + "\n", "1\n" * n
        assert ours(tmp_path, test, predictions, "letor4") == naive(test, predictions, "letor4")
    assert mentions(ours(tmp_path, f"{GOOD}\n{bad}\n", "1\n", "letor4"), "Error to read pred", "line 2.")
    assert ours(tmp_path, f"{GOOD}\n{bad}\n", "1\n1\n", "letor4") == "Error to parse test at line 2:\nno line"


def test_a_byte_order_mark_is_part_of_the_first_line(tmp_path: Path) -> None:
    assert ours(tmp_path, f"\ufeff{GOOD}\n", "1\n", "letor4") == f"Error to parse test at line 1:\n\ufeff{GOOD}"
    two = f"{GOOD}\n{GOOD.replace('1 qid', '0 qid').replace('= A', '= B')}\n"
    assert ours(tmp_path, two, "\ufeff9\n1\n", "letor4") == ours(tmp_path, two, "0\n1\n", "letor4")


def test_bytes_that_are_no_text_are_printed_as_they_came(tmp_path: Path) -> None:
    (tmp_path / "test").write_bytes(b"\xff\n")
    (tmp_path / "pred").write_bytes(b"1\n")
    with pytest.raises(Stopped) as stop:
        letor_score(tmp_path / "test", tmp_path / "pred")
    assert str(stop.value).encode("utf-8", "surrogateescape").endswith(b" at line 1:\n\xff")


def test_an_empty_or_missing_file_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test").write_bytes(b"")
    (tmp_path / "pred").write_bytes(b"1\n")
    with pytest.raises(InputError, match="the file is empty"):
        letor_score(tmp_path / "test", tmp_path / "pred")
    with pytest.raises(InputError, match="no such file"):
        letor_score(tmp_path / "none", tmp_path / "pred")
    with pytest.raises(UnknownName, match="did you mean letor4"):
        letor_score(tmp_path / "test", tmp_path / "pred", preset="letor5")


def write_lists(folder: Path, labels: str, predictions: list[object]) -> tuple[Path, Path]:
    """One query of MSLR with these labels."""
    test, pred = folder / "test", folder / "pred"
    test.write_text("".join(f"{label} qid:1\n" for label in labels))
    pred.write_text("".join(f"{p}\n" for p in predictions))
    return test, pred


def test_the_worked_example_of_the_tools(tmp_path: Path) -> None:
    """Relevance 1,0,0,1,1,1,0,0,1,1 in this order; label 2 is what MSLR calls relevant."""
    test, pred = write_lists(tmp_path, "2002220022", list(range(10, 0, -1)))
    expected = [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 5 / 9, 6 / 10]
    found = letor_values(test, pred, preset="mslr")
    assert_same_numbers(found.precision.tolist(), [expected])
    assert found.average_precision[0] == pytest.approx((1 / 1 + 2 / 4 + 3 / 5 + 4 / 6 + 5 / 9 + 6 / 10) / 6)
    assert found.mean_ndcg[0] == pytest.approx(found.ndcg[0].mean())


def test_label_1_of_mslr_gains_but_is_not_relevant(tmp_path: Path) -> None:
    found = letor_values(*write_lists(tmp_path, "1", [1]), preset="mslr")
    assert (found.precision[0, 0], found.average_precision[0], found.ndcg[0, 0]) == (0, 0, 1)


def test_scores_that_are_no_number_come_last_in_file_order(tmp_path: Path) -> None:
    """Perl's sort leaves their place to chance; recorded is `abc`, `nan`, `0.5`, and this agrees with it."""
    found = letor_values(*write_lists(tmp_path, "0240", ["nan", 1, 3, "nan"]), preset="mslr")
    # Ranked: label 4 (score 3), label 2 (score 1), the others.
    assert found.ndcg.tolist() == [[1, 1, 1, 1, 0, 0, 0, 0, 0, 0]]


def test_a_very_long_list_beside_short_ones(tmp_path: Path) -> None:
    test, pred = tmp_path / "test", tmp_path / "pred"
    test.write_text("1 qid:2\n" + "0 qid:1\n" * 5000 + "2 qid:1\n" + "".join(f"1 qid:{q}\n" for q in range(3, 300)))
    pred.write_text("1\n" * (1 + 5000 + 1 + 297))
    found = letor_values(test, pred, preset="mslr")
    assert found.query_ids == tuple(map(str, range(1, 300)))
    assert found.lengths.tolist() == [5001] + [1] * 298
    assert_same_numbers(found.average_precision.tolist(), [1 / 5001] + [0] * 298)


# Perl's numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5), ("  -2e3 ", -2000), ("1e", 1), ("1e+x", 1), (".5.5", 0.5), ("5.", 5), ("1_000", 1), ("0x1F", 0),
        ("", 0), (".", 0), ("- 1", 0), ("abc", 0), ("1e400", math.inf), ("Infinite", math.inf), ("-INF", -math.inf),
    ],
)  # fmt: skip
def test_a_number_is_what_perl_takes_of_the_text(text: str, number: float) -> None:
    assert perl_number(text.encode()) == number


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
def test_numbers_are_those_of_perl() -> None:
    pick = random.Random(1)
    parts = ["0", "12", "9.", "e", "E", "+", "-", ".", " ", "\t", "inf", "NaN", "x", "_", "0x", "infinity", "\r", ","]
    texts = ["".join(pick.choices(parts, k=pick.randint(0, 5))) for _ in range(5000)]
    texts += [repr(pick.random() * 10.0 ** pick.randint(-30, 30)) for _ in range(1000)]
    script = 'chomp; printf "%.17g\\n", 0 + $_'
    done = subprocess.run(["perl", "-ne", script], input="\n".join(texts), capture_output=True, text=True, check=True)
    theirs = np.array([float(line) for line in done.stdout.splitlines()])
    found = np.array([perl_number(text.encode()) for text in texts])
    assert np.array_equal(found, theirs, equal_nan=True)


# Rank positions


def test_rank_positions_give_what_their_negatives_give_as_scores(tmp_path: Path) -> None:
    test, ranks = write_lists(tmp_path, "0123401", [3, 1, 2, 2, 7, 5, 6])
    values = letor_values(test, ranks, preset="mslr", ranks=True)
    # In the order of the ranks, ties in file order: labels 1, 2, 3, 0, 0, 1, 4.
    gains = [1, 3, 7, 0, 0, 1, 15]
    ideal = sorted(gains, reverse=True)
    expected = [a / b for a, b in zip(curve(gains), curve(ideal), strict=True)]
    assert values.ndcg[0, :7] == pytest.approx(expected)
    text = letor_rank(test, ranks, preset="mslr", by_query=True)
    ranks.write_text("-3\n-1\n-2\n-2\n-7\n-5\n-6\n")
    assert text == letor_score(test, ranks, preset="mslr", by_query=True)


# The t-test


def outputs(folder: Path, preset: str, seed: int = 7, n: int = 30) -> tuple[Path, Path]:
    """What the script writes for two random systems."""
    rng = np.random.default_rng(seed)
    test, pred = folder / "test", folder / "pred"
    queries = np.sort(rng.integers(0, n, 12 * n))
    test.write_text("".join(f"{rng.integers(3)} qid:{q} {COMMENTS[preset].format(i)}\n" for i, q in enumerate(queries)))
    found = []
    for name in "ab":
        pred.write_text("".join(f"{x}\n" for x in rng.random(queries.size)))
        found.append(folder / f"{name}.{preset}")
        found[-1].write_text(letor_score(test, pred, preset=preset, by_query=True))
    return found[0], found[1]


@pytest.mark.parametrize("preset", PATTERNS)
def test_the_t_test_is_scipys(tmp_path: Path, preset: str) -> None:
    from scipy.stats import ttest_rel

    a, b = outputs(tmp_path, preset)
    tests = letor_ttests(a, b)
    names = [test.measure for test in tests]
    assert names[0] == "P@1"
    assert names[-1] == ("NDCG@16" if preset == "letor3" else "MeanNDCG")
    assert "MAP" in names

    def column(path: Path, measure: str) -> list[float]:
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        if preset == "letor3":
            kind, _, at = measure.partition("@")
            head = {"P": "precision", "MAP": "Map", "NDCG": "NDCG"}[kind] + " of query"
            rows = [[cell for cell in row[1:] if cell] for row in lines if row[0].startswith(head)]
            place = int(at or 1) - 1
            return [float(row[place]) if place < len(row) else 0.0 for row in rows]
        start = next(i for i, row in enumerate(lines) if measure in row)
        place = lines[start].index(measure)
        rows = lines[start + 1 :]
        end = next(i for i, row in enumerate(rows) if row[0] == "Average")
        return [float(row[place]) for row in rows[:end]]

    for test in tests:
        x, y = column(a, test.measure), column(b, test.measure)
        assert test.mean_a - test.mean_b == pytest.approx(test.difference)
        assert (test.mean_a, test.mean_b) == pytest.approx((np.mean(x), np.mean(y)))
        theirs = ttest_rel(x, y)
        assert (test.statistic, test.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), nan_ok=True)
        assert test.df == theirs.df


def table(folder: Path, name: str, values: list[float], heads: str = "P@1\tMAP") -> Path:
    path = folder / name
    cells = heads.count("\t") + 1
    lines = [
        f"qid\t{heads}",
        *("\t".join([str(q), *[f"{v:.4f}"] * cells]) for q, v in enumerate(values)),
        "Average\t0",
        "",
    ]
    path.write_text("\n".join(lines))
    return path


def test_the_t_test_worked_out_by_hand(tmp_path: Path) -> None:
    """Differences .1, .2, .3: variance .01, so t = .2 / (.1 / sqrt(3)); with 2 degrees p = 1 - t / sqrt(2 + t^2)."""
    a, b = table(tmp_path, "a", [0.5, 0.6, 0.7]), table(tmp_path, "b", [0.4, 0.4, 0.4])
    t = 0.2 / (0.1 / math.sqrt(3))
    first = letor_ttests(a, b)[0]
    assert (first.measure, first.mean_a, first.mean_b) == ("P@1", pytest.approx(0.6), pytest.approx(0.4))
    assert first.difference == pytest.approx(0.2)
    assert (first.statistic, first.df) == (pytest.approx(t), 2)
    assert first.pvalue == pytest.approx(1 - t / math.sqrt(2 + t * t))
    p = 1 - t / math.sqrt(2 + t * t)
    line = f"0.6000\t0.4000\t0.2000\t{t:.4f}\t2\t{p:.4g}\n"
    assert letor_ttest(a, b) == f"measure\tmean A\tmean B\tdifference\tt\tdf\tp\nP@1\t{line}MAP\t{line}"


@pytest.mark.parametrize("more", [0.0, 0.1])
def test_without_variance_there_is_no_t_and_no_p(tmp_path: Path, more: float) -> None:
    values = [0.1, 0.3, 0.7, 0.2]
    a, b = table(tmp_path, "a", [v + more for v in values]), table(tmp_path, "b", values)
    assert letor_ttest(a, b).splitlines()[1].split("\t")[3:] == [f"{more:.4f}", "nan", "3", "nan"]


def test_the_t_test_of_b_and_a_is_that_of_a_and_b_with_the_other_sign(tmp_path: Path) -> None:
    a, b = outputs(tmp_path, "letor4")
    for one, other in zip(letor_ttests(a, b), letor_ttests(b, a), strict=True):
        assert_same_numbers((one.statistic, one.pvalue), (-other.statistic, other.pvalue))


def test_queries_are_paired_by_their_ids(tmp_path: Path) -> None:
    a, b = outputs(tmp_path, "letor4")
    lines = b.read_text().splitlines(keepends=True)
    body = slice(1, next(i for i, line in enumerate(lines) if line.startswith("Average")))
    shuffled = tmp_path / "shuffled"
    shuffled.write_text("".join([lines[0], *reversed(lines[body]), *lines[body.stop :]]))
    assert letor_ttest(a, shuffled) == letor_ttest(a, b)


def test_files_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    a = table(tmp_path, "a", [0.1, 0.2])
    refused = {
        "query '2' only": table(tmp_path, "three", [0.1, 0.2, 0.3]),
        "MAP .*only": table(tmp_path, "other", [0.1, 0.2], "P@1\tAP"),
        "no lines by query": table(tmp_path, "flag0", []),
    }
    for said, b in refused.items():
        with pytest.raises(InputError, match=said):
            letor_ttest(a, b)
    with pytest.raises(InputError, match=r"1 query, .* 2"):
        letor_ttest(table(tmp_path, "one", [0.1]), table(tmp_path, "uno", [0.2]))
    for text, said in (("qid\tP@1\n1\tx\n", ":2: .*'1' .*no number"),
                       ("qid\tP@1\n1\t1\n1\t1\n", ":3: P@1 .*'1' .*twice"),
                       ("qid\tP@1\n1\t1\t1\n", ":2: 2 values .*'1', .* 1"),
                       ("1\t1\n", r":1: .*names \(qid, P@1")):  # fmt: skip
        (tmp_path / "bad").write_text(text)
        with pytest.raises(InputError, match=said):
            letor_ttest(a, tmp_path / "bad")
