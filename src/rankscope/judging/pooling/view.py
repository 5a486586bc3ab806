"""Views of pools, samples, playback and runs that are left out."""

from __future__ import annotations

import numpy as np

from rankscope.data.columns import column, columns_of, digits, percent, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_percent, pluralise, pluralise_queries
from rankscope.judging.pooling.drawn_judgments import DrawnEstimates
from rankscope.judging.pooling.judgment_pool import Pooled
from rankscope.judging.pooling.leave_one_run_out import LeftOut
from rankscope.judging.pooling.methods import METHODS
from rankscope.judging.pooling.playback import POINTS, Played
from rankscope.judging.pooling.random_sample import Sampled

__all__ = [
    "drawn_sections",
    "leave_out_sections",
    "playback_sections",
    "pool_sections",
    "sample_sections",
]


#: Lines of a table of what was found.
LINES = 10
#: With fewer sampled documents of a query, values are rough.
FEW = 10


def pool_sections(result: Pooled) -> list[Section]:
    lists, n_judged = result.lists, int((result.grades >= 0).sum())
    sentence = (
        f"The pool holds {pluralise(lists.size, 'document')} of {pluralise_queries(len(lists.query_ids))}: the "
        f"first {lists.depth} of each list of {pluralise(len(lists.systems), 'run')}."
    )
    if n_judged:
        sentence += (
            f" Already judged: {n_judged:,}, of which {int((result.grades >= result.settings.rel).sum()):,} relevant."
        )
    sentence += f" To judge next: {result.documents_to_judge.size:,}, {METHODS[result.method.name]}."
    rows = list(result.records())
    headings = ("queries", "documents", "only here", "judged", "relevant", "to judge")
    table = table_of(
        column("run", [row[0] for row in rows], name=True),
        *columns_of(headings, [row[1:] for row in rows], thousands),
    )
    return [Section(title="What to judge next", sentence=sentence, table=table)]


def leave_out_sections(result: LeftOut) -> list[Section]:
    order = np.argsort(result.rank, kind="stable")
    table = table_of(
        column("run", [result.systems[system] for system in order.tolist()], name=True),
        column(result.measure, result.mean[order], digits()),
        column("rank", result.rank[order]),
        column("without", result.mean_without[order], digits()),
        column("rank without", result.rank_without[order]),
        column(f"unjudged @{result.settings.cutoff}", result.unjudged[order], percent(1)),
        column("without", result.unjudged_without[order], percent(1)),
        column("judged only here", result.only_here[order], thousands),
        column("relevant", result.only_here_relevant[order], thousands),
    )
    return [Section(title="Each run as if it had not taken part", sentence=result.sentence(), table=table)]


def drawn_sections(result: DrawnEstimates) -> list[Section]:
    """The runs, the best first."""
    mean = result.values.mean(axis=1)
    order = np.argsort(-mean, kind="stable")
    sure = f", and {result.n_sure:,} that were judged before" if result.n_sure else ""
    sentence = (
        f"Estimated from {pluralise(result.n_drawn, 'document')} that were drawn with chances{sure}. Intervals "
        f"({format_percent(result.settings.confidence_level)}) are of the mean over queries like these; error is the "
        "part of the standard error that is due to the draw of documents, and would go if all were judged."
    )
    table = table_of(
        column("run", [result.systems[system] for system in order.tolist()], name=True),
        column(result.measure, mean[order], digits()),
        column("low", result.low[order], digits()),
        column("high", result.high[order], digits()),
        column("error", result.error[order], digits()),
    )
    return [Section(title=f"{result.measure} from drawn documents", sentence=sentence, table=table)]


def playback_sections(result: Played) -> list[Section]:
    points = result.curve_points(LINES)
    curve_points = result.curve_points(POINTS)
    data = {
        "x": curve_points.tolist(),
        "x_title": "documents judged",
        "measures": list(result.relevance_by_method),
        "values": np.array(
            [result.relevant(name)[curve_points - 1] for name in result.relevance_by_method], np.float64
        ),
        "y_title": "relevant documents found",
    }
    figure = Figure("condition_lines", data) if curve_points.size > 1 else None
    return [
        Section(
            title="Relevant documents found",
            sentence=result.sentence(),
            table=table_of(
                column("judged", points, thousands),
                *(column(name, result.relevant(name)[points - 1], thousands) for name in result.relevance_by_method),
            ),
            figure=figure,
        )
    ]


def sample_sections(result: Sampled) -> list[Section]:
    lists = result.lists
    sentence = (
        f"{result.n_sampled:,} of {pluralise(lists.size, 'pooled document')} of "
        f"{pluralise_queries(len(lists.query_ids))} were drawn at random "
        f"({100 * result.settings.share:g} % of each query's)"
    )
    if result.merged:
        sentence += f"; {result.n_judged:,} of them are judged."
    else:
        sentence += ". They are to be judged (-2); the others stay unjudged (-1)."
    fewest = int(result.counts[:, 1].min())
    if fewest < FEW:
        verb = "was" if fewest == 1 else "were"
        sentence += f" For at least one query only {fewest} {verb} drawn, too few for precise estimates."
    rows = list(result.records())
    table = table_of(
        column(result.COLUMNS[0], [row[0] for row in rows], name=True),
        *columns_of(result.COLUMNS[1:], [row[1:] for row in rows], thousands),
    )
    return [
        Section(title="A sample of the pool", sentence=sentence),
        Section(title="By query", table=table, folded=True),
    ]
