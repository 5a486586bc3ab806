"""`rankscope consensus`: many rankings into one order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option, input_option
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.consensus.by_query import merge_votes_by_query
from rankscope.consensus.intervals import ConsensusSettings
from rankscope.consensus.merge import merge_votes
from rankscope.consensus.registry import MethodOptions
from rankscope.consensus.run_votes import votes_of_runs
from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.io.ballots import VOTE_FORMATS, VoteTableSettings, read_votes
from rankscope.io.core import check_single_stdin

__all__ = [
    "consensus",
]


#: The value of --input for runs.
RUN_INPUT = "run"


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
            self.fail(
                f"{value!r}, expected the name of a voter, an equals sign and a number, such as editor=2", param, ctx
            )
        return voter, weight


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE | RUN...")
@option_group(
    "Votes",
    input_option(
        "Format of the files. Default: detected for one file of votes; runs if there are several files.",
        [*VOTE_FORMATS, RUN_INPUT],
        name="kind",
    ),
    setting_options(VoteTableSettings),
    click.option(
        "--weight",
        "weights",
        type=VoterWeight(),
        multiple=True,
        metavar="VOTER=NUMBER",
        help="Weight of a voter; may be repeated. Default: 1.",
    ),
)
@option_group("Method", setting_options(MethodOptions))
@option_group("Intervals", setting_options(ConsensusSettings))
@option_group("Output", details_option(), result_options)
def consensus(
    files: tuple[str, ...],
    details: bool,
    weights: Sequence[tuple[str, float]],
    kind: str | None,
    **options: Any,
) -> None:
    """Merge many rankings into one order, with intervals of ranks and the agreement of the voters.

    FILE holds votes: a table of ranks with one row per item and one column per voter, a table with the columns voter,
    item and rank, ballots with one row per voter and the columns 1st, 2nd and so on, or lists of names in JSON. Several
    files are runs, which vote on the documents of each query.

    \b
    rankscope consensus demo-votes.tsv --method schulze
    rankscope consensus bm25.run dense.run rerank.run --method copeland --format csv
    """
    result_output = pop_result_output(options)
    settings = take_settings(ConsensusSettings, options)
    method = take_settings(MethodOptions, options).build()
    table_settings = take_settings(VoteTableSettings, options)
    result_output.check(files)
    check_single_stdin(files)
    if kind not in (None, RUN_INPUT) and len(files) > 1:
        raise ParameterError(f"{len(files)} files of votes, expected one; for several runs use --input {RUN_INPUT}")
    voter_weights = dict(weights) or None
    if kind is None and len(files) > 1:
        refuse_tables(files)
    if kind == RUN_INPUT or len(files) > 1:
        table_settings.refuse("columns", "higher", since="these are runs")
        with bytes_progress(files, "reading runs"):
            runs = votes_of_runs(files)
        with progress_bar(float(len(runs)), "merging query by query") as progress:
            merged_runs = merge_votes_by_query(runs, method, settings, weights=voter_weights, progress=progress)
        result_output.show(merged_runs, details=details)
        return
    read = read_votes(files[0], input=kind, columns=table_settings.columns, higher=table_settings.higher)
    votes = Votes.of(read, weights=voter_weights)
    result_output.show(merge_votes(votes, method, settings), details=details)


def refuse_tables(files: Sequence[str]) -> None:
    """Raise ParameterError for a table of votes among several files, which must be runs."""
    from rankscope.io.trec import looks_like_rank_table

    table = next((file for file in files if looks_like_rank_table(file)), None)
    if table is not None:
        raise ParameterError(
            f"{table}: a table of votes, but several files have to be runs; give one table, with one column per voter"
        )
