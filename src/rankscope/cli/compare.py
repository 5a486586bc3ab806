"""`rankscope compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from rankscope.cli.comparison_options import comparison_options, take_comparison
from rankscope.cli.options import evaluation_options, scores_of
from rankscope.cli.output import progress_bar
from rankscope.cli.results import result_options, take_showing
from rankscope.comparison.compare import compare as compare_scores
from rankscope.comparison.gate import Gate, check_gate
from rankscope.comparison.gate import gate as gate_scores
from rankscope.comparison.joined import join_scores
from rankscope.comparison.matched import system_of
from rankscope.comparison.standardise import standardise as standardise_scores
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.saved import check_save, read_baseline, write_scores
from rankscope.stats.standardisation import STANDARDISATIONS

__all__ = ["compare"]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@evaluation_options
@comparison_options
@click.option(
    "--standardise",
    type=click.Choice(list(STANDARDISATIONS)),
    help="Scores by query in standard deviations (z), or these mapped to 0..1 by the normal distribution (cdf).",
)
@click.option("--against", metavar="FILE", help="The baseline: a run, or scores that --save has saved.")
@click.option(
    "--gate",
    type=float,
    metavar="MARGIN",
    help="With --against: exit 0 where RUN is shown not to be worse by more than this, 3 where it is shown to be "
    "worse, 4 where the queries cannot tell.",
)
@click.option("--save", metavar="FILE", help="Save the scores of the RUNs in a file named .parquet, for --against.")
@click.option("--details", is_flag=True, help="Show bootstrap intervals, effect sizes and single queries, too.")
@result_options
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    standardise: str | None,
    against: str | None,
    gate: float | None,
    save: str | None,
    details: bool,
    **options: Any,
) -> None:
    """Say which of the RUNs is better, and how sure that is.

    Every two systems are compared on the same queries, by a paired t-test with Holm's correction unless you ask for
    another; or all with one, the --baseline.

    \b
    rankscope compare robust.qrels bm25.run dense.run -m nDCG@10
    rankscope compare robust.qrels *.run -m AP --baseline bm25 --test permutation --seed 7
    rankscope compare robust.qrels new.run --against old.run -m nDCG@10 --gate 0.01
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    asked, showing = take_comparison(options), take_showing(options)
    if gate is not None:
        check_gate_options(gate, against, standardise, asked)
    inputs = (qrels, *runs, *([against] if against is not None else []))
    showing.check(inputs)
    if save is not None:
        check_save(save, inputs, beside=showing.output)
    new, old = new_and_old(qrels, runs, measures, against, options)
    if save is not None:
        write_scores(new, save)
    if gate is not None and old is not None:
        found: Gate = gate_scores(
            new,
            old,
            margin=gate,
            baseline_system=asked["baseline"],
            **{name: asked[name] for name in ("level", "test", "n_resamples", "rng")},
        )
        showing.show(found, details=details)
        click.get_current_context().exit(found.exit_code)
    scores = new
    if old is not None:
        asked["baseline"] = asked["baseline"] or only_system(old, against)
        scores = join_scores(new, old)
        if asked["baseline"] in new.systems:  # both have one name, and it is the old one that is meant
            asked["baseline"] = f"{asked['baseline']} (baseline)"
    elif len(runs) == 1 and save is not None:
        raise ParameterError(
            f"{save} is written, but one run has nothing to be compared with; `rankscope evaluate --save` saves one"
        )
    if standardise is not None:
        scores = standardise_scores(scores, method=standardise)
    asked["baseline"] = system_of(asked["baseline"], runs, scores)
    pairs = len(scores.measures) * len(scores.systems) * (len(scores.systems) - 1) // 2
    with progress_bar(pairs if asked["baseline"] is None else None, "comparing pairs") as progress:
        result = compare_scores(scores, progress=progress, **asked)
    showing.show(result, details=details)


def check_gate_options(margin: float, against: str | None, standardise: str | None, asked: Mapping[str, Any]) -> None:
    """Raise for what a gate cannot be asked for."""
    if against is None:
        raise ParameterError("--gate needs the baseline: pass --against with a run, or with scores saved by --save")
    if standardise is not None:
        raise ParameterError("--gate takes its margin in units of the measure; leave --standardise out")
    if asked["alternative"] != "two-sided":
        raise ParameterError("--gate looks at one side by itself; leave --alternative out")
    check_gate(margin=margin, level=asked["level"], test=asked["test"], n_resamples=asked["n_resamples"])


def new_and_old(
    qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], against: str | None, options: dict[str, Any]
) -> tuple[Scores, Scores | None]:
    """The scores of the runs, and those of the baseline where there is one of its own."""
    if against is None:
        return scores_of(qrels, runs, measures, **options), None
    saved = read_baseline(against)
    if saved is not None:
        return scores_of(qrels, runs, measures or saved.measure_names, **options), saved
    if not runs:
        raise click.UsageError("Missing argument 'RUN...'.")
    both = scores_of(qrels, (*runs, against), measures, **options)
    last = len(both.systems) - 1
    return both.select(systems=range(last)), both.select(systems=[last])


def only_system(old: Scores, against: str | None) -> str:
    if len(old.systems) > 1:
        raise ParameterError(
            f"{against}: {len(old.systems)} systems; say with --baseline which of {', '.join(old.systems)}"
        )
    return old.systems[0]
