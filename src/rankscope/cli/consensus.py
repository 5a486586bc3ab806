"""`rankscope consensus`: many rankings into one order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, seed_option
from rankscope.consensus.by_query import merge_queries
from rankscope.consensus.intervals import DRAWS, LEAST
from rankscope.consensus.merge import merge_rankings
from rankscope.consensus.pairwise import STRENGTHS
from rankscope.consensus.registry import METHODS, parameters_of
from rankscope.consensus.run_votes import votes_of_runs
from rankscope.consensus.voting import PVALUES
from rankscope.data.votes import UNRANKED
from rankscope.errors import ParameterError
from rankscope.io.ballots import VOTE_FORMATS, read_votes
from rankscope.io.core import check_single_stdin
from rankscope.settings import LARGEST

__all__ = [
    "consensus",
]


#: The value of --input for runs.
RUN_INPUT = "run"
Command = TypeVar("Command", bound=Callable[..., Any])


class NumberTuple(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """Numbers with commas between them."""

    name = "number,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return tuple(float(number) for number in value.split(","))
        except ValueError:
            self.fail(f"{value!r}, expected numbers with commas between them, as 3,1,0", param, ctx)


class ResampleCount(click.IntRange):
    """0, or enough resamples for an interval."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        n_draws = super().convert(value, param, ctx)
        if 0 < n_draws < LEAST:
            self.fail(f"{n_draws} draws say nothing, expected at least {LEAST}, or 0 for no intervals", param, ctx)
        return n_draws

    def _describe_range(self) -> str:
        return f"0 or x>={LEAST}"


class VoterWeight(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """A voter and a number."""

    name = "voter=number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        voter, separator, number_text = value.rpartition("=")
        try:
            weight = float(number_text)
        except ValueError:
            separator = ""
        if not separator or not voter:
            self.fail(f"{value!r}, expected the name of a voter, = and a number, as editor=2", param, ctx)
        return voter, weight


#: Options of some methods, by the name of the parameter.
METHOD_OPTIONS = {
    "unranked": click.option(
        "--unranked",
        type=click.Choice(UNRANKED),
        help="Items that a voter left out: share the last places (average), stand last, right behind the ranked "
        "ones, or are not counted. Default: the method's, average for most.",
    ),
    "strength": click.option(
        "--strength",
        type=click.Choice(STRENGTHS),
        help="Schulze and ranked pairs: a majority is as strong as the weight for it (winning), or as that less the "
        "weight against it (margins).",
    ),
    "pvalue": click.option(
        "--pvalue", type=click.Choice(PVALUES), help="Robust rank aggregation: what the scores are -log10 of."
    ),
    "teleport": click.option(
        "--teleport",
        type=float,
        metavar="P",
        help="Markov chains, from 0 to 1: how often one moves to any item at random.",
    ),
    "prior": click.option(
        "--prior",
        type=float,
        metavar="W",
        help="Plackett-Luce: so many wins and losses of each item against an average one.",
    ),
    "exact": click.option(
        "--exact/--no-exact",
        default=None,
        help="Kemeny: prove that no order is nearer, or only search. Default: prove up to 50 items.",
    ),
    "time_limit": click.option(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="Kemeny, Mallows: after which the best order found is given.",
    ),
    "restarts": click.option("--restarts", type=int, metavar="N", help="Kemeny: starts of the search."),
    "points": click.option(
        "--points", type=NumberTuple(), metavar="P,...", help="Borda: what the places are worth, from the first on."
    ),
}


def method_options(command: Command) -> Command:
    """The method, and the options of some methods."""
    for option in reversed(METHOD_OPTIONS.values()):
        command = option(command)
    method = click.option(
        "--method", type=click.Choice(list(METHODS)), default="borda", show_default=True, help="How votes are merged."
    )
    return method(command)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE | RUN...")
@method_options
@click.option(
    "--weight",
    "weights",
    type=VoterWeight(),
    multiple=True,
    metavar="VOTER=NUMBER",
    help="1 by default; may be repeated.",
)
@CONFIDENCE_LEVEL
@click.option(
    "--resamples",
    "n_resamples",
    type=ResampleCount(0, LARGEST),
    metavar="N",
    help=f"Draws of the voters behind the intervals, at least {LEAST}; 0: no intervals. Default: {DRAWS:,}, fewer "
    "where they take long; of runs 0.",
)
@seed_option()
@click.option(
    "--input",
    "kind",
    type=click.Choice([*VOTE_FORMATS, RUN_INPUT]),
    help="What the files hold. Default: votes in one file, told by content; runs in several.",
)
@click.option("--details", is_flag=True, help="Show what a page folds away, too.")
@result_options
def consensus(
    files: tuple[str, ...],
    method: str,
    details: bool,
    weights: Sequence[tuple[str, float]],
    n_resamples: int | None,
    kind: str | None,
    **options: Any,
) -> None:
    """Merge many rankings into one order, and say how sure it is and how far the voters agree.

    FILE: votes, a table of ranks (a column a voter, a line an item, as the tables of known entities), or lists of names
    in JSON. Several files are runs, which vote on the documents of each query.

    \b
    rankscope consensus demo-votes.tsv --method schulze
    rankscope consensus bm25.run dense.run rerank.run --method copeland --format csv
    """
    result_output = pop_result_output(options)
    option_values = {name: options.pop(name) for name in METHOD_OPTIONS}
    parameters = {name: value for name, value in option_values.items() if value is not None}
    check_method_options(method, parameters)
    result_output.check(files)
    check_single_stdin(files)
    if kind not in (None, RUN_INPUT) and len(files) > 1:
        raise ParameterError(f"{len(files)} files of votes, expected one; several files are runs (--input {RUN_INPUT})")
    voter_weights = dict(weights) or None
    if kind is None and len(files) > 1:
        refuse_tables(files)
    if kind == RUN_INPUT or len(files) > 1:
        with bytes_progress(files, "reading runs"):
            runs = votes_of_runs(files)
        with progress_bar(float(len(runs)), "merging query by query") as progress:
            parameters["progress"] = progress
            merged_runs = merge_queries(
                runs, method, weights=voter_weights, n_resamples=n_resamples or 0, **options, **parameters
            )
        result_output.show(merged_runs, details=details)
        return
    votes = read_votes(files[0], input=kind)
    merged_votes = merge_rankings(
        votes, method, weights=voter_weights, n_resamples=n_resamples, **options, **parameters
    )
    result_output.show(merged_votes, details=details)


def refuse_tables(files: Sequence[str]) -> None:
    """Raise ParameterError for a table of votes among several files, which must be runs."""
    from rankscope.io.trec import looks_like_rank_table

    table = next((file for file in files if looks_like_rank_table(file)), None)
    if table is not None:
        raise ParameterError(
            f"{table}: a table of votes among {len(files)} files, which are runs; give one table, with a column a voter"
        )


def check_method_options(method: str, parameters: dict[str, Any]) -> None:
    """Raise ParameterError for options that the method does not have."""
    accepted_names = parameters_of(method)
    for name in parameters:
        if name not in accepted_names:
            accepted_flags = ", ".join(flag_of(accepted) for accepted in accepted_names if accepted in METHOD_OPTIONS)
            raise ParameterError(f"{flag_of(name)} is not for the method {method}; it takes {accepted_flags or 'none'}")


def flag_of(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"
