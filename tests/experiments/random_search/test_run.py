"""search: chosen by validation lists alone, the same in one go, resumed and by any number of processes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.folds import made, rankers, write_folds
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.data.result import as_text
from rankscope.data.section import Marked
from rankscope.errors import InputError, ParameterError
from rankscope.experiments import Search, cross_validate, search
from rankscope.experiments.random_search import Trial
from rankscope.experiments.random_search import run as searching
from rankscope.learning import LambdaMART, Ranker
from rankscope.learning.lambdamart import parse_objective

#: A network, some of whose parameters are set, and a linear scorer.
LOSSES = ("ranknet", "linear:listnet")
PARAMETERS: dict[str, Any] = {"epochs": 2, "hidden": (4,), "batch_lists": 4}


def searched(
    trials: int = 3,
    losses: tuple[str, ...] = LOSSES,
    measures: Any = "AP",
    *,
    parameters: dict[str, Any] = PARAMETERS,
    **more: Any,
) -> Search:
    return search(made(), rankers(*losses, **parameters), measures, trials=trials, **{"folds": 3, "seeds": 1, **more})


@cache
def in_one_go() -> Search:
    return searched()


def all_but_time(found: Search) -> list[tuple[Any, ...]]:
    return [(one.model, one.number, dict(one.changed), one.value, one.by_fold, one.best_epoch) for one in found.trials]


def check_same(found: Search, other: Search) -> None:
    assert_same_bits(all_but_time(found), all_but_time(other))
    assert [one.number for one in found.best] == [one.number for one in other.best]
    assert_same_bits(list(found.records()), list(other.records()))
    assert found.signature() == other.signature()


def test_every_trial_has_the_value_that_cross_validation_gives_its_setting() -> None:
    for one in in_one_go().trials:
        given = {key: PARAMETERS[key] for key in ("epochs", "batch_lists")}
        hidden = () if one.model == "linear:listnet" else PARAMETERS["hidden"]
        loss = one.model.removeprefix("linear:")
        ranker = Ranker(loss, **{**given, "hidden": hidden, **one.changed})
        plain = cross_validate(made(), {one.model: ranker}, "AP", folds=3, seeds=1)
        assert one.value == pytest.approx(float(plain.valid.overall[0, 0]), abs=1e-12)
        assert one.by_fold == pytest.approx([float(plain.valid.of_fold(k)[0, 0]) for k in range(3)], abs=1e-12)


def test_the_best_of_each_ranker_is_tested_and_it_is_the_best() -> None:
    found = in_one_go()
    assert [one.model for one in found.best] == list(LOSSES)
    for m, best in enumerate(found.best):
        mine = [one.value for one in found.trials if one.model == best.model]
        assert len(mine) == 3
        assert best.value == max(mine) == pytest.approx(float(found.cross_validation.valid.overall[m, 0]))
    given = rankers(*LOSSES, **PARAMETERS)
    best = [ranker.set_params(**best.changed) for ranker, best in zip(given, found.best, strict=True)]
    plain = cross_validate(made(), best, "AP", folds=3, seeds=1)
    assert_same_bits(list(plain.records()), list(found.records()))


def test_the_first_trial_is_the_ranker_as_given_and_what_was_set_stays() -> None:
    for one in in_one_go().trials:
        assert one.number > 1 or one.changed == {}
        assert not {"hidden", "epochs", "batch_lists"} & set(one.changed)


@pytest.mark.parametrize("after", [0, 1, 4])
def test_an_interrupted_search_goes_on_to_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    add = searching.SearchLog.add

    def interrupted(log: searching.SearchLog, setting: Trial) -> None:
        if len(log.trials) == after:
            raise KeyboardInterrupt
        add(log, setting)

    with monkeypatch.context() as patched:
        patched.setattr(searching.SearchLog, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            searched(log=tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 1 + after
    trained: list[str] = []
    run = searching.run_fold_task
    monkeypatch.setattr(searching, "run_fold_task", lambda unit: (trained.append(unit.model), run(unit))[1])
    resumed = searched(log=tmp_path / "log")
    assert len(trained) == 3 * (6 - after)  # what was done is not done again
    check_same(resumed, in_one_go())
    assert resumed.n_logged == after
    assert (tmp_path / "log").read_text().splitlines()[: 1 + after] == lines


def test_more_trials_go_on_where_fewer_ended(tmp_path: Path) -> None:
    searched(2, log=tmp_path / "log")
    more = searched(3, log=tmp_path / "log")
    check_same(more, in_one_go())
    assert more.n_logged == 4
    fewer = searched(2, log=tmp_path / "log")
    assert_same_bits(all_but_time(fewer), [one for one in all_but_time(in_one_go()) if one[1] <= 2])


@pytest.mark.usefixtures("forked_workers")
def test_any_number_of_workers_finds_the_same(tmp_path: Path) -> None:
    check_same(searched(workers=2, log=tmp_path / "log"), in_one_go())
    check_same(searched(log=tmp_path / "log"), in_one_go())


def test_the_test_lists_decide_nothing_and_are_no_part_of_the_log(tmp_path: Path) -> None:
    given = rankers(*LOSSES, epochs=2, hidden=(4,))
    first = search(write_folds(tmp_path / "data"), given, "AP", trials=3, seeds=1, log=tmp_path / "a")
    shuffled = write_folds(tmp_path / "data", shuffled_tests=True)
    other = search(shuffled, given, "AP", trials=3, seeds=1, log=tmp_path / "b", blend="stacked")
    assert_same_bits(all_but_time(first), all_but_time(other))
    assert [one.number for one in first.best] == [one.number for one in other.best]
    assert first.cross_validation.test.overall.tolist() != other.cross_validation.test.overall[:2].tolist()
    heads = [(tmp_path / name).read_text().splitlines()[0] for name in "ab"]
    assert heads[0] == heads[1]


def test_where_less_is_better_the_least_is_chosen() -> None:
    found = searched(measures="MinRank")
    for best in found.best:
        assert best.value == min(one.value for one in found.trials if one.model == best.model)


def fails(name: str, ranker: Ranker, trial: int, seed: int) -> dict[str, Any]:
    return {"learning_rate": 1e30} if trial > 1 else {}


def test_a_setting_that_cannot_be_trained_is_told_and_not_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "draw_setting", fails)
    for _ in range(2):  # the second time from the log
        found = searched(losses=("squared",), log=tmp_path / "log")
        assert [np.isnan(one.value) for one in found.trials] == [False, True, True]
        assert found.best[0].number == 1
        assert mentions(found.notes, "2 settings", "squared, trial 2: ")
    assert found.trial_frame()["value"].to_list() == [found.best[0].value, None, None]
    as_text(found)


def test_what_was_given_and_cannot_be_trained_is_an_error() -> None:
    with pytest.raises(InputError, match=r"\bsquared, Fold1: .*\bepoch 1\b"):
        searched(losses=("squared",), parameters={**PARAMETERS, "learning_rate": 1e30})


def test_the_log_of_other_data_or_settings_is_left_as_it_is(tmp_path: Path) -> None:
    searched(1, log=tmp_path / "log")
    before = (tmp_path / "log").read_bytes()
    said = {
        ("rng", 0, 1): lambda: searched(1, log=tmp_path / "log", rng=1),
        ("measure", '"AP"', '"RR"'): lambda: searched(1, log=tmp_path / "log", measures="RR"),
        ("of ranknet",): lambda: searched(1, log=tmp_path / "log", losses=("ranknet",)),
        ("ranknet", "epochs:2", "epochs:3"): lambda: searched(
            1, log=tmp_path / "log", parameters={**PARAMETERS, "epochs": 3}
        ),
        ("training or validation lists", "not"): lambda: search(
            made(24, 6), rankers(*LOSSES, **PARAMETERS), "AP", trials=1, log=tmp_path / "log", folds=3, seeds=1
        ),
    }
    for parts, again in said.items():
        with pytest.raises(InputError) as caught:
            again()
        assert mentions(caught.value, *parts)
        assert (tmp_path / "log").read_bytes() == before
    # What is looked at only in the test, or beside it, is no part of the search.
    searched(1, log=tmp_path / "log", measures=["AP", "RR"], seeds=2, blend=True, test="permutation")


def test_the_result_is_shown_and_kept() -> None:
    found = in_one_go()
    as_text(found)
    for name in LOSSES:
        assert mentions([section.title for section in found.sections()], f"{name}: settings")
    assert mentions(found.sections()[0].sentence, "best of many", "too good")
    assert mentions(found.signature(), "search:3 by validation AP", "chosen:")
    assert mentions(repr(found), "Search(6 trials", "2 rankers)")
    frame = found.trial_frame()
    assert frame.columns == ["model", "trial", "measure", "value", "best_epoch", "seconds", "changed"]
    assert frame["value"].to_list() == [one.value for one in found.trials]
    assert found.frame().equals(found.cross_validation.frame())
    assert isinstance(found.frame(), pl.DataFrame)
    assert mentions(found.notes, "no log", "--log FILE")


def test_many_trials_are_shown_by_the_best_ten_and_that_as_given() -> None:
    found = searched(13, losses=("linear:listnet",))
    section = found.section(found.best[0])
    assert section.table is not None
    numbers = [row[0] for row in section.table.rows]
    assert len(numbers) in (10, 11)
    assert "1" in numbers
    (note,) = section.notes
    assert mentions(note, f"{13 - len(numbers)} settings", "not shown")
    ranked = sorted((one for one in found.trials), key=lambda one: -one.value)
    assert section.table.rows[0][1] == Marked(f"{ranked[0].value:.4f}", bold=True)


def test_progress_is_told_of_the_whole(tmp_path: Path) -> None:
    for _ in range(2):
        told: list[float] = []
        searched(2, log=tmp_path / "log", progress=told.append)
        assert sum(told) == pytest.approx(1)


def test_wrong_arguments_are_refused_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="trials is 0"):
        search("no such file", trials=0)
    with pytest.raises(ParameterError, match="blend is 'x'"):
        search("no such file", LOSSES, blend="x")
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ParameterError, match=r"(?i)lightgbm is not installed"):
        search("no such file", "lambdamart", log=tmp_path / "log")
    assert not (tmp_path / "log").exists()


def test_it_is_there_by_name(tmp_path: Path) -> None:
    assert rs.experiments.search is search
    rs.experiments.search(made(), "linear:listnet", "AP", trials=1, folds=3, log=tmp_path / "log")
    head, *trials = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert head["rankscope_search"] == 1
    assert [one["trial"] for one in trials] == [1]


def test_a_drawn_setting_that_does_not_go_together_or_takes_too_much_is_told_and_the_search_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Ranker.fit
    raised = {0.01: ParameterError("hidden and heads do not fit"), 0.02: MemoryError()}

    def fit(self: Ranker, *given: Any, **more: Any) -> Ranker:
        if self.weight_decay in raised:
            raise raised[self.weight_decay]
        return real(self, *given, **more)

    drawn = iter([{}, {"weight_decay": 0.01}, {"weight_decay": 0.02}, {"weight_decay": 0.03}])
    monkeypatch.setattr(searching, "draw_setting", lambda *_: next(drawn))
    monkeypatch.setattr(Ranker, "fit", fit)
    found = searched(4, ("linear:listnet",))
    assert [one.error for one in found.trials] == ["", str(raised[0.01]), "MemoryError", ""]
    assert found.best[0].number in (1, 4)
    assert mentions(found.notes, "2 settings", "not be trained")


def squares(scores: Any, relevance: Any, offsets: Any) -> Any:
    """A loss of somebody's own."""
    return float(((scores - relevance) ** 2).sum()), 2 * (scores - relevance)


def test_trees_grown_by_a_function_are_searched_too_and_grown_by_it_still() -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed; it is what grows trees")
    given = Ranker(LambdaMART(objective=squares, trees=3, min_documents=1, documents=0.9))
    found = search(made(), {"own": given}, "AP", trials=3, folds=3, seeds=1)
    for one in found.trials[1:]:
        drawn = parse_objective(one.changed["loss"])
        ranker = Ranker(replace(drawn, objective=squares))
        plain = cross_validate(made(), {"own": ranker}, "AP", folds=3, seeds=1)
        assert one.value == pytest.approx(float(plain.valid.overall[0, 0]), abs=1e-12)
