"""The plugin of pytest: the fixture `ranking_gate`, by which a test fails with the sentence of a gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rankscope.comparison.gate import Gate, GateInput, GateSettings
    from rankscope.evaluation.conventions import ConventionSettings

__all__ = [
    "ranking_gate",
]


#: What a test does at a verdict that these queries cannot give.
FAIL, SKIP = "fail", "skip"


@pytest.fixture(scope="session")
def ranking_gate() -> Callable[..., Gate]:
    """A function that tests whether a ranking is no worse than a baseline, and fails the test where it is not.

    Its arguments are those of `rankscope gate`: judgments, one or more baselines (runs, or scores that were saved) and
    the new run, each a file or what `rankscope.evaluate` takes; or a file of scores, or `rankscope.Scores`, with
    `baseline="old"`. `margin` is needed: a number, a percentage such as "2%", or a mapping from measures to these.
    `measures`, `baseline`, `new`, `seen` (ids) and all settings of `rankscope.gate` and of the conventions of
    `rankscope.evaluate` are named. `undecided="skip"` skips the test where the queries are too few to tell. The
    function gives the `Gate`.
    """
    return require_pass


def require_pass(
    qrels: Any,
    *runs: Any,
    margin: float | str | Mapping[str, float | str],
    measures: str | Sequence[str] | None = None,
    baseline: str | Sequence[str] = (),
    new: str | None = None,
    seen: Sequence[str] = (),
    undecided: str = FAIL,
    looks_file: Any = None,
    **settings: Any,
) -> Gate:
    """The gate, if it passes; else the test fails, or is skipped."""
    __tracebackhide__ = True
    from rankscope.comparison.gate import default_looks_file, gate_of_input, gate_sentence
    from rankscope.errors import ParameterError, RankscopeError

    try:
        if undecided not in (FAIL, SKIP):
            raise ParameterError(f"undecided is {undecided!r}, expected {FAIL!r} or {SKIP!r}")
        if measures is None and isinstance(margin, Mapping):
            measures = [name for name in margin if name]
        names = [measures] if isinstance(measures, str) else list(measures or ())
        gate_settings, conventions = split_settings({"margin": margin, **settings})
        if gate_settings.plans_looks and looks_file is None:
            looks_file = default_looks_file(runs[0] if len(runs) > 1 else qrels)
        baselines = (baseline,) if isinstance(baseline, str) else tuple(baseline)
        given, new, baselines = load_input(qrels, runs, names, conventions, new, baselines)
        gate = gate_of_input(
            given,
            gate_settings,
            names or None,
            system=new,
            baseline_systems=baselines,
            seen=seen,
            looks_file=looks_file,
        )
    except RankscopeError as error:
        message = str(error)
    else:
        if gate.verdict == "pass":
            return gate
        message = f"{gate_sentence(gate)}{hurt_text(gate)}"
        if gate.verdict == "undecided" and undecided == SKIP:
            pytest.skip(message)
    pytest.fail(message, pytrace=False)


def split_settings(settings: Mapping[str, Any]) -> tuple[GateSettings, ConventionSettings]:
    """The settings of the gate, and those of the evaluation. Raises ParameterError for what is neither."""
    from rankscope.comparison.gate import GateSettings
    from rankscope.errors import ParameterError
    from rankscope.evaluation.conventions import ConventionSettings

    parts: list[dict[str, Any]] = [{}, {}]
    names = [settings_class.declared() for settings_class in (GateSettings, ConventionSettings)]
    for name, value in settings.items():
        places = [place for place, declared in enumerate(names) if name in declared]
        if not places:
            listed = ", ".join(sorted(set(names[0]) | set(names[1])))
            raise ParameterError(f"{name} is no setting of a gate, expected one of {listed}")
        parts[places[0]][name] = value
    return GateSettings(**parts[0]), ConventionSettings(**parts[1])


def load_input(
    qrels: Any,
    runs: Sequence[Any],
    measures: list[str],
    conventions: ConventionSettings,
    new: str | None,
    baselines: tuple[str, ...],
) -> tuple[GateInput, str | None, tuple[str, ...]]:
    """What is compared, the name of the new system, and those of the baselines."""
    from rankscope.comparison.gate import GateInput, input_of_runs, input_of_scores, systems_of_one_file
    from rankscope.data.scores import Scores
    from rankscope.evaluation.read_scores import is_score_file
    from rankscope.evaluation.score_tables import ScoreTableSettings

    if isinstance(qrels, Scores):
        new, baselines = systems_of_one_file(qrels, "scores", new, baselines)
        return GateInput(qrels, (qrels,)), new, baselines
    if is_score_file(qrels, alone=not runs):
        return input_of_scores([qrels, *runs], measures or None, ScoreTableSettings(), system=new, baselines=baselines)
    return input_of_runs(qrels, runs, measures, conventions), new, baselines


def hurt_text(gate: Gate) -> str:
    """The queries that the new system hurts most, in a line."""
    own = next(own for own in gate.measure_gates if own.verdict == gate.verdict)
    queries = own.measure_values.queries[own.hurt].tolist()
    losses = own.differences[own.hurt].tolist()
    parts = [f"{gate.scores.query_ids[query]} ({loss:+.4f})" for query, loss in zip(queries, losses, strict=True)]
    return f"\nHurt most, by {own.measure} against {own.baseline}: {', '.join(parts)}" if parts else ""
