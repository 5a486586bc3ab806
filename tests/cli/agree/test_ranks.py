"""`rankscope agree ranks`: files of rankings, folders of experiments, two runs, and what is refused in one line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.paths import TESTS

import rankscope as rs

README = TESTS / "reference" / "rankeval" / "readme.jcml"
QUICK = ("--resamples", "20")
TABLE = "segment,system,gold,chrf,bleu\n1,a,1,3,20\n1,b,2,1,30\n1,c,3,2,10\n2,a,2,2,15\n2,b,1,1,25\n"


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, in which one is, with a table of rankings."""
    (tmp_path / "judged.csv").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


class TestFiles:
    def test_jcml_with_its_usual_columns_needs_no_options(self, cli: Callable[..., Any]) -> None:
        done = cli("agree", "ranks", README, *QUICK, "--format", "csv")
        assert done.code == 0
        rows = [row for row in rows_of(done.out) if row["pair"] == "all"]
        values = {row["statistic"]: float(row["value"]) for row in rows}
        assert values["tau"] == pytest.approx((1 - 5) / 6)
        assert list(rows[0]) == ["metric", "pair", "statistic", "value", "low", "high", "n"]

    def test_columns_are_named_and_scores_inverted(self, cli: Callable[..., Any], judged: Path) -> None:
        done = cli("agree", "ranks", "judged.csv", "--metrics", "bleu", "--higher", "bleu", "--format", "json", *QUICK)
        values = {row["statistic"]: row["value"] for row in json.loads(done.out)}
        # List 1: b a c against a b c, 2 of 3 pairs; list 2: the one pair.
        assert values["tau"] == pytest.approx((3 - 1) / 4)

    def test_several_columns_are_a_table_of_metrics(self, cli: Callable[..., Any], judged: Path) -> None:
        done = cli("agree", "ranks", "judged.csv", "--metrics", "chrf,bleu", *QUICK)
        assert done.code == 0
        lines = done.out.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("metric "))
        assert [line.split()[0] for line in lines[head : head + 3]] == ["metric", "chrf", "bleu"]

    def test_by_segment_shows_every_list(self, cli: Callable[..., Any], judged: Path) -> None:
        done = cli("agree", "ranks", "judged.csv", "--metrics", "chrf", "--by-segment", *QUICK, "--format", "csv")
        found = {(row["segment"], row["statistic"]): row["value"] for row in rows_of(done.out)}
        assert float(found["2", "tau"]) == 1.0
        assert ("all", "tau") in found

    def test_the_preset_prints_the_tools_digits(self, cli: Callable[..., Any]) -> None:
        done = cli("agree", "ranks", README, "--preset", "rankeval")
        assert ["mrr", "0.416666666667"] in [line.split() for line in done.out.splitlines()]
        assert mentions(done.out.splitlines()[-1], "preset:rankeval |", "gold:rank |", f"rankscope {rs.__version__}")

    def test_details_show_the_pairs(self, cli: Callable[..., Any], judged: Path) -> None:
        args = ("agree", "ranks", "judged.csv", "--metrics", "chrf", *QUICK)
        assert "Pairs of items" not in cli(*args).out
        assert "Pairs of items" in cli(*args, "--details").out

    def test_ties_are_treated_as_options_say(self, cli: Callable[..., Any], tmp_path: Path) -> None:
        path = tmp_path / "tied.csv"
        path.write_text("segment,system,gold,m\n1,a,1,2\n1,b,2,2\n1,c,2,2\n1,d,2,1\n")

        def tau(*options: str) -> float:
            done = cli("agree", "ranks", path, *options, "--format", "csv", *QUICK)
            return float(next(row["value"] for row in rows_of(done.out) if row["statistic"] == "tau"))

        assert tau() == (0 - 3) / 3
        assert tau("--ignore-predicted-ties") == (0 - 1) / 1
        assert tau("--count-gold-ties") == pytest.approx((1 - 5) / 6)
        assert tau("--count-gold-ties", "--ignore-predicted-ties") == (1 - 3) / 4

    def test_one_seed_gives_one_output(self, cli: Callable[..., Any], judged: Path) -> None:
        args = ("agree", "ranks", "judged.csv", "--metrics", "chrf", *QUICK)
        assert cli(*args).out == cli(*args).out


class TestExperiments:
    @pytest.fixture
    def folder(self, judged: Path) -> Path:
        experiments = judged / "experiments"
        experiments.mkdir()
        for i, ranks in enumerate(("12", "21", "11")):
            text = f"segment,system,gold,predicted\n1,a,1,{ranks[0]}\n1,b,2,{ranks[1]}\n2,a,1,1\n2,b,2,2\n"
            (experiments / f"run{i}.csv").write_text(text)
        (experiments / "notes.txt").write_text("not one of them")
        return experiments

    def test_a_folder_is_so_many_experiments(self, cli: Callable[..., Any], folder: Path) -> None:
        (folder / "run2.CSV.GZ").write_bytes(gzip.compress((folder / "run2.csv").read_bytes()))
        (folder / "run2.csv").unlink()
        done = cli("agree", "ranks", folder, "--format", "csv", *QUICK)
        taus = {row["metric"]: float(row["value"]) for row in rows_of(done.out) if row["statistic"] == "tau"}
        assert taus == {"run0": 1.0, "run1": 0.0, "run2": 0.0}

    def test_their_figure_has_a_line_a_measure(self, cli: Callable[..., Any], folder: Path) -> None:
        pytest.importorskip("altair")
        done = cli("agree", "ranks", folder, "--plot", "lines.json", *QUICK)
        assert done.code == 0
        drawn = json.loads((folder.parent / "lines.json").read_text())
        assert "ordered by MRR" in json.dumps(drawn)

    def test_the_measure_that_orders_the_figure_may_be_chosen(self, cli: Callable[..., Any], folder: Path) -> None:
        pytest.importorskip("altair")
        done = cli("agree", "ranks", folder, "--plot", "lines.json", "--order-by", "nDCG", "--cutoff", "1", *QUICK)
        assert done.code == 0
        assert "ordered by nDCG@1" in (folder.parent / "lines.json").read_text()
        refused = cli("agree", "ranks", folder, "--preset", "rankeval", "--order-by", "ERR")
        assert mentions(refused.err, "--order-by", "--preset")

    def test_a_table_names_them_in_a_column(self, cli: Callable[..., Any], folder: Path) -> None:
        """The same three in one file give the same numbers as three files."""
        names = [f"run{i}" for i in range(3)]
        rows = [f"{name},{line}" for name in names for line in (folder / f"{name}.csv").read_text().splitlines()[1:]]
        table = folder.parent / "all.csv"
        table.write_text("\n".join(["Experiment,segment,system,gold,predicted", *rows[::2], *rows[1::2], ""]))
        apart, together = (cli("agree", "ranks", path, "--format", "csv", *QUICK) for path in (folder, table))
        assert together.code == 0
        assert [row["metric"] for row in rows_of(together.out)] == [row["metric"] for row in rows_of(apart.out)]
        taus = [[row["value"] for row in rows_of(done.out) if row["statistic"] == "tau"] for done in (apart, together)]
        assert taus[0] == taus[1]

    def test_what_is_wrong_in_such_a_table_is_told_with_its_line(self, cli: Callable[..., Any], folder: Path) -> None:
        table = folder / "all.csv"
        table.write_text("experiment,segment,system,judge,gold,m\nx,1,a,j,1,1\ny,1,a,j,1,1\ny,1,a,j,2,2\n")
        done = cli("agree", "ranks", table, *QUICK)
        assert mentions(done.err, "all.csv:4: ", "'a'", "twice")

    def test_two_files_of_rankings_are_two_experiments_and_no_runs(self, cli: Callable[..., Any], folder: Path) -> None:
        done = cli("agree", "ranks", folder / "run0.csv", folder / "run1.csv", "--format", "csv", *QUICK)
        assert {row["metric"] for row in rows_of(done.out)} == {"run0", "run1"}

    def test_a_folder_without_rankings_and_a_file_named_twice_are_refused(
        self, cli: Callable[..., Any], folder: Path
    ) -> None:
        empty = folder / "empty"
        empty.mkdir()
        assert mentions(cli("agree", "ranks", empty).err, "empty: ", "no file")
        path = folder / "run0.csv"
        assert "names one file twice" in cli("agree", "ranks", path, path).err


class TestTwoRuns:
    @pytest.fixture
    def runs(self, tmp_path: Path) -> tuple[Path, Path]:
        a, b = tmp_path / "a.run", tmp_path / "b.run"
        a.write_text("q Q0 d1 1 3 A\nq Q0 d2 2 2 A\nq Q0 d3 3 1 A\n")
        b.write_text("q Q0 d1 1 3 B\nq Q0 d3 2 2 B\nq Q0 d2 3 1 B\n")
        return a, b

    def test_all_coefficients_are_printed(self, cli: Callable[..., Any], runs: tuple[Path, Path]) -> None:
        done = cli("agree", "ranks", *runs, "--format", "csv")
        means = {row["statistic"]: float(row["value"]) for row in rows_of(done.out) if row["query"] == "all"}
        assert means["tau"] == pytest.approx(1 / 3)
        assert means["spearman"] == pytest.approx(0.5)
        assert set(means) == {"tau", "tau_ap", "weighted_tau", "spearman", "gamma", "rbo"}

    def test_options_of_rankings_are_refused(self, cli: Callable[..., Any], runs: tuple[Path, Path]) -> None:
        done = cli("agree", "ranks", *runs, "--by-segment")
        assert (done.code, done.out) == (2, "")
        assert mentions(done.err, "--by-segment", "rankings")


BAD = {
    "all-tied.csv": ("segment,system,gold,m\n1,a,1,1\n1,b,1,2\n", "in column 'gold' no item is ranked above another"),
    "one-item.csv": ("segment,system,gold,m\n1,a,1,1\n2,a,1,2\n", "in column 'gold' no item is ranked above another"),
    "not-ranked.csv": ("segment,system,gold,m\n1,a,1,-1\n1,b,2,2\n", "m is -1 (not ranked), expected a rank"),
    "missing.csv": ("segment,system,gold,m\n1,a,1,\n1,b,2,2\n", "m has no value"),
    "below.csv": ("segment,system,gold,m\n1,a,-3,1\n1,b,2,2\n", "gold is -3, expected a rank of at least 0"),
    "no-machine.csv": ("segment,system,gold\n1,a,1\n1,b,2\n", "no metric to compare with people"),
    "text.jcml": ('<jcml>\n<judgedsentence><tgt rank="x"/></judgedsentence></jcml>', ":2: rank is 'x'"),
    "broken.jcml": ("<jcml>\n<judgedsentence>", ":2: broken XML"),
    "bomb.jcml": ('<!DOCTYPE a [<!ENTITY b "c">]>\n<jcml>&b;</jcml>', ":1: a document type"),
    "empty.jcml": ("", "the file is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_code_2(cli: Callable[..., Any], tmp_path: Path, name: str) -> None:
    text, why = BAD[name]
    path = tmp_path / name
    path.write_text(text)
    done = cli("agree", "ranks", path, *QUICK)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert done.err.count("\n") == 1


def test_not_ranked_items_may_be_left_out_and_the_preset_takes_them(cli: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text("segment,system,gold,m\n1,a,1,-1\n1,b,1,2\n1,c,2,3\n")
    done = cli("agree", "ranks", path, "--missing", "drop", *QUICK)
    assert done.code == 0
    assert mentions(done.out.splitlines(), "note: m: ", "1 item", "skipped")
    assert "tau_valid_pairs" in cli("agree", "ranks", path, "--preset", "rankeval").out


class TestScores:
    """The files of `agree segments`: which file is of scores is seen from what it holds."""

    WMT = (
        "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
        "German,English,1,j,A,B,C,1,2,3\nGerman,English,2,j,A,B,C,3,2,1\nGerman,English,3,j,A,B,C,1,2,-1\n"
    )
    BLEU = {"A": (0.9, 0.1, 0.5), "B": (0.5, 0.2, 0.7), "C": (0.7, 0.3, 0.6)}  # noqa: RUF012 - nobody changes it

    @pytest.fixture
    def wmt(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        Path("wmt.csv").write_text(self.WMT)
        for name, sign in (("BLEU", 1), ("TER", -1)):
            scores = {system: [sign * value for value in values] for system, values in self.BLEU.items()}
            lines = [
                f"{name}\tde-en\tset\t{system}\t{i}\t{value}"
                for system, values in scores.items()
                for i, value in enumerate(values, 1)
            ]
            Path(f"{name}.seg.scr").write_text("\n".join(lines) + "\n")
            folder = Path("folder", "metric-scores", "de-en")
            folder.mkdir(parents=True, exist_ok=True)
            lines = [f"{system}\t{value}" for system, values in scores.items() for value in values]
            Path(folder, f"{name}.seg.score").write_text("\n".join(lines) + "\n")
        return tmp_path

    def values(self, done: Any) -> dict[tuple[str, str], str]:
        assert (done.code, done.err) == (0, "")
        return {(row["metric"], row["statistic"]): row["value"] for row in rows_of(done.out)}

    def test_a_csv_of_wmt_with_files_or_a_folder_of_scores(self, cli: Callable[..., Any], wmt: Path) -> None:
        options = ("--lower", "TER", "--format", "csv", *QUICK)
        found = self.values(cli("agree", "ranks", "wmt.csv", "BLEU.seg.scr", "TER.seg.scr", *options))
        # The predicted ranks of people's best: A is 1st, C is 1st, A is 2nd of A and B, since C is not ranked.
        assert float(found["BLEU", "MRR"]) == pytest.approx((1 + 1 + 1 / 2) / 3)
        assert float(found["BLEU", "tau"]) == (5 - 2) / 7  # B and C in the first list, A and B in the third
        assert {value for (metric, _), value in found.items() if metric == "TER"}
        assert all(found["TER", name] == value for (metric, name), value in found.items() if metric == "BLEU")
        assert self.values(cli("agree", "ranks", "wmt.csv", "folder", *options)) == found
        one = self.values(cli("agree", "ranks", "wmt.csv", "folder", "--metrics", "BLEU", *options[2:]))
        assert {metric for metric, _ in one} == {"BLEU"}

    def test_files_of_rankings_and_of_scores_do_not_mix(self, cli: Callable[..., Any], wmt: Path) -> None:
        done = cli("agree", "ranks", "wmt.csv", "wmt.csv", "BLEU.seg.scr")
        assert (done.code, done.out) == (2, "")
        assert mentions(done.err, "wmt.csv: ", "BLEU.seg.scr", "one file of judgments")
        turned = cli("agree", "ranks", "BLEU.seg.scr", "wmt.csv")
        assert mentions(turned.err, "BLEU.seg.scr: ", "wmt.csv", "judgments first")

    def test_human_scores_come_first_and_runs_with_numbers_as_tags_stay_runs(
        self, cli: Callable[..., Any], wmt: Path
    ) -> None:
        found = self.values(cli("agree", "ranks", "BLEU.seg.scr", "TER.seg.scr", "--lower", "TER", "--format", "csv"))
        assert float(found["TER", "tau"]) == 1.0
        for name in ("a", "b"):
            Path(name).write_text("q Q0 d1 1 3 7\nq Q0 d2 2 2 7\n")
        assert "Agreement of the runs" in cli("agree", "ranks", "a", "b").out
        refused = cli("agree", "ranks", "a", "b", "--lower", "TER")
        assert mentions(refused.err, "--lower", "two runs")


def test_help_names_every_option(cli: Callable[..., Any]) -> None:
    text = cli("agree", "ranks", "--help").out
    for option in ("--metrics", "--gold", "--preset", "--by-segment", "--higher", "--missing", "--cutoff", "--plot"):
        assert option in text
    assert "ranks" in cli("agree", "--help").out


def test_columns_may_be_called_otherwise(cli: Callable[..., Any], judged: Path) -> None:
    Path("other.csv").write_text(TABLE.replace("segment,system", "prompt_no,engine", 1))
    Path("several.csv").write_text(
        TABLE.replace("segment,system", "experiment,prompt_no,engine", 1)
        .replace("\n1,", "\nx,1,")
        .replace("\n2,", "\nx,2,")
    )
    usual = cli("agree", "ranks", "judged.csv", "--metrics", "chrf", *QUICK, "--seed", "1", "--format", "csv")
    names = ("--columns", "segment=prompt_no,system=engine")
    other = cli("agree", "ranks", "other.csv", "--metrics", "chrf", *names, *QUICK, "--seed", "1", "--format", "csv")
    assert (usual.code, other.code) == (0, 0)
    assert rows_of(other.out) == rows_of(usual.out)
    several = cli(
        "agree", "ranks", "several.csv", "--metrics", "chrf", *names, *QUICK, "--seed", "1", "--format", "csv"
    )
    assert [row["value"] for row in rows_of(several.out)] == [row["value"] for row in rows_of(usual.out)]
    refused = cli("agree", "ranks", "other.csv", "--metrics", "chrf", "--gold", "gold")
    assert (refused.code, refused.out) == (2, "")
    assert mentions(refused.err, "other.csv:1: no column 'segment'", "--columns segment=NAME")
