"""The views of a consensus, alone and by query: the order, the voters, and who wins one against one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.columns import Column, column, digits, general, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import (
    format_chance,
    format_number,
    format_p_value,
    format_percent,
    join_names,
    pluralise,
    pluralise_queries,
)
from rankscope.kernels.rounding_ties import order_of
from rankscope.typing import Indices

if TYPE_CHECKING:
    from rankscope.consensus.base import Order
    from rankscope.consensus.by_query import QueryConsensus
    from rankscope.consensus.merge import Consensus

__all__ = [
    "consensus_sections",
    "query_sections",
]


#: At most this many other numbers of a method stand below the order; more have a section.
FEW_DETAILS = 3
#: Of more than twice as many voters, this many who agree least and as many who agree most are shown.
ENDS = 10


def rank_interval_column(low: Iterable[float], high: Iterable[float], confidence_level: float) -> Column:
    """The column of the intervals of ranks."""
    intervals = zip(low, high, strict=True)
    title = f"{format_percent(confidence_level)} interval of the rank"
    return column(title, intervals, lambda ends: f"[{general(ends[0])}, {general(ends[1])}]")


def format_score(score: float) -> str:
    """Whole and half points exactly, other numbers in six digits."""
    if np.isnan(score):
        return "-"
    return f"{score:,.15g}" if abs(score) < 1e9 and 2 * score == np.round(2 * score) else f"{score:.6g}"


def format_tau(tau: float) -> str:
    """Four digits; the last bits of a mean do not decide how it is rounded."""
    return format_number(round(float(tau), 9))


def consensus_sections(result: Consensus) -> tuple[Section, ...]:
    """The order, the agreement of the voters, who wins one against one, other numbers of the method."""
    extra_sections = [
        section for section in (all_voters_section(result), details_section(result)) if section is not None
    ]
    return consensus_section(result), voters_section(result), condorcet_section(result), *extra_sections


def consensus_section(result: Consensus) -> Section:
    """The items, the best first."""
    order, with_interval = result.ordering, result.n_resamples > 0
    places = result.places()
    notes = [score_note(order)] if order.meaning else []
    notes += ["equal ranks are ties; the ranks after a tie are skipped"] * (len(set(order.ranks)) < len(order.items))
    if 0 < len(order.details) <= FEW_DETAILS:
        notes.append(", ".join(f"{name} {value:g}" for name, value in order.details.items()))
    return Section(
        title="Consensus",
        sentence=consensus_sentence(result),
        table=table_of(
            column("item", (order.items[i] for i in places), name=True),
            column("rank", order.ranks[places], general),
            column("score", order.scores[places].tolist(), format_score),
            rank_interval_column(result.low[places], result.high[places], result.settings.confidence_level)
            if with_interval
            else None,
        ),
        figure=figure_of(result) if with_interval else None,
        notes=tuple(notes),
    )


def score_note(order: Order) -> str:
    """The note on the meaning of a score."""
    return f"score: {order.meaning}" + "; lower scores are better" * (not order.higher_is_better)


def details_section(result: Consensus) -> Section | None:
    """Other numbers of the method; None where they are few and stand below the order."""
    details = result.ordering.details
    if len(details) <= FEW_DETAILS:
        return None
    return Section(
        title=f"Details of the method {result.ordering.method}",
        table=table_of(column("detail", details, name=True), column("value", details.values(), general)),
        folded=True,
    )


def consensus_sentence(result: Consensus) -> str:
    """Which item is first, and what an interval means."""
    order = result.ordering
    first_items = [order.items[i] for i in np.flatnonzero(order.ranks == 1)]
    who = (
        f"{first_items[0]} ranks first" if len(first_items) == 1 else f"{join_names(first_items)} share the first rank"
    )
    if order.winner_open and len(first_items) == 1:
        who = f"{first_items[0]} ranks first in one of several equally good orders"
    items_text, voters_text = pluralise(len(order.items), "item"), pluralise(len(result.votes.voters), "voter")
    text = f"{who} of {items_text}, by the votes of {voters_text} and the method {order.method}."
    if result.n_resamples:
        share = format_percent(round((1 + result.settings.confidence_level) / 2, 9))
        text += (
            " The intervals come from a bootstrap over voters: they show how much the rank of an item could change "
            "with other voters. The best rank of an interval is 1 plus the number of items that are above this one in "
            f"at least {share} of the resamples; the worst is the number of items minus those that are below it in at "
            f"least {share}. A tie counts as half, and an item's own rank is always included."
        )
    return text


def figure_of(result: Consensus) -> Figure:
    """The figure of the ranks and their intervals."""
    places = result.places()
    return Figure(
        "rank_intervals",
        {
            "items": [result.ordering.items[i] for i in places],
            "ranks": result.ordering.ranks[places],
            "low": result.low[places],
            "high": result.high[places],
            "interval": f"{format_percent(result.settings.confidence_level)} interval over voters",
        },
    )


def voters_section(result: Consensus) -> Section:
    """The agreement of the voters, and who agrees least; of many voters those who agree least and most."""
    n_voters = len(result.votes.voters)
    is_shortened = n_voters > 2 * ENDS
    order = voter_order(result)
    return Section(
        title="Agreement of the voters",
        sentence=agreement_sentence(result),
        table=voter_table(result, np.concatenate([order[:ENDS], order[-ENDS:]]) if is_shortened else order),
        notes=(
            *((voters_note(n_voters),) * is_shortened),
            "tau: Kendall's tau-b; 1 is the same order, 0 no association, -1 the opposite order",
            *result.voters.notes,
        ),
    )


def voters_note(n_voters: int) -> str:
    """The note where only some voters are shown."""
    return (
        f"only the {ENDS} voters who agree most with the others, and the {ENDS} who agree least, are shown; --details "
        f"shows all {n_voters:,}"
    )


def all_voters_section(result: Consensus) -> Section | None:
    """The table of all voters, where the section of their agreement shows only some of them."""
    if len(result.votes.voters) <= 2 * ENDS:
        return None
    return Section(title="All voters", table=voter_table(result, voter_order(result)), folded=True)


def voter_order(result: Consensus) -> Indices:
    """The voters, those who agree most with the others first."""
    return order_of(-result.voters.with_others)


def voter_table(result: Consensus, order: Indices) -> Table:
    """The table of these voters. order: their indices."""
    voters, votes = result.voters, result.votes
    n_ranked = (~np.isnan(votes.ranks)).sum(axis=1)
    return table_of(
        column("voter", (votes.voters[v] for v in order), name=True),
        column("weight", votes.weights[order], general),
        column("items ranked", n_ranked[order], thousands),
        column("mean tau with others", voters.with_others[order], format_tau),
        column("tau with consensus", voters.with_consensus[order], format_tau),
    )


def agreement_sentence(result: Consensus) -> str:
    """Kendall's W, its p-value, the mean tau, and who agrees least."""
    voters, concordance = result.voters, result.voters.concordance
    if np.isnan(concordance.w):
        return "Every voter ties all items, so that their agreement is undefined."
    text = (
        f"Kendall's W is {concordance.w:.4f}, where 1 means that all voters have the same order, and 0 that their "
        "ranks cancel out. If the voters ranked at random, at least this much agreement would occur "
        f"{format_chance(concordance.pvalue)} cases "
        f"(p {format_p_value(concordance.pvalue)}, {PVALUE_METHODS[concordance.method]})."
    )
    if not np.isnan(voters.mean_tau):
        text += f" The mean tau of two voters is {format_tau(voters.mean_tau)}."
    if voters.most_deviant:
        least_tau = float(np.nanmin(voters.with_others))
        single = len(voters.most_deviant) == 1
        who = f"{'Voter' if single else 'Voters'} {join_names(voters.most_deviant)} {'agrees' if single else 'agree'}"
        text += f" {who} least with the others (mean tau {format_tau(least_tau)})."
    return text


#: How a p-value was computed.
PVALUE_METHODS = {"exact": "exact", "permutation": "by permutations", "chi2": "by chi-square"}


def condorcet_section(result: Consensus) -> Section:
    """The Condorcet winner, or the Smith set where there is none."""
    winner, smith = result.condorcet_winner, result.smith_set
    first_items = [result.ordering.items[i] for i in np.flatnonzero(result.ordering.ranks == 1)]
    n_others = len(result.ordering.items) - len(smith)
    if winner is not None:
        text = (
            f"{winner} is the Condorcet winner: against each other item, more of the voters' weight is for it than "
            "against it."
        )
        if winner not in first_items:
            text += " The consensus ranks another item first, since the method considers more than pairwise majorities."
    elif n_others:
        others_text = "the other item" if n_others == 1 else f"each of the other {n_others:,} items"
        text = (
            f"There is no Condorcet winner. Each of {join_names(smith)} beats {others_text}; among themselves they "
            "win in a cycle or tie."
        )
        if not set(first_items) & set(smith):
            text += " The consensus ranks another item first, since the method considers more than pairwise majorities."
    else:
        text = "There is no Condorcet winner, and no smaller group of items beats the rest: items win in cycles or tie."
    return Section(title="Pairwise majorities", sentence=text)


#: How many items of a query are shown; csv, json and parquet hold all.
FIRST_ITEMS = 10


def query_sections(result: QueryConsensus) -> tuple[Section, ...]:
    """The first items of each query, and how far the voters agree on it."""
    return first_items_section(result), agreement_by_query_section(result)


def first_items_section(result: QueryConsensus) -> Section:
    """The section of the best items of each query."""
    with_interval = any(consensus.n_resamples for consensus in result.results)
    records = [
        (query, *record)
        for query, consensus in zip(result.query_ids, result.results, strict=True)
        for record in islice(consensus.records(), FIRST_ITEMS)
    ]
    queries, items, ranks, scores, low, high = zip(*records, strict=True)
    n_long = sum(len(consensus.votes.items) > FIRST_ITEMS for consensus in result.results)
    first_order = result.results[0].ordering
    return Section(
        title="Consensus by query",
        sentence=f"The consensus of {pluralise_queries(len(result.results))}, by the method {first_order.method}.",
        table=table_of(
            column("query", queries, name=True),
            column("item", items, name=True),
            column("rank", ranks, general),
            column("score", scores, format_score),
            rank_interval_column(low, high, result.settings.confidence_level) if with_interval else None,
        ),
        notes=(
            *((score_note(first_order),) * bool(first_order.meaning)),
            *(
                (f"only the first {FIRST_ITEMS} items of a query are shown; csv, json and parquet have all",)
                * bool(n_long)
            ),
        ),
    )


def agreement_by_query_section(result: QueryConsensus) -> Section:
    """How far the voters agree, on each query, and who agrees least."""
    results = result.results
    w_values = np.array([consensus.voters.concordance.w for consensus in results])
    is_defined = ~np.isnan(w_values)
    mean = f" The mean over queries is {w_values[is_defined].mean():.4f}." if is_defined.any() else ""
    return Section(
        title="Agreement of the voters by query",
        sentence="Kendall's W is 1 if all voters have the same order, and 0 if their ranks cancel out."
        f"{mean} The Condorcet winner is the item that beats every other one by majority, if there is one.",
        table=table_of(
            column("query", result.query_ids, name=True),
            column("voters", (len(consensus.votes.voters) for consensus in results), thousands),
            column("items", (len(consensus.votes.items) for consensus in results), thousands),
            column("Kendall's W", w_values, digits()),
            column("mean tau", (consensus.voters.mean_tau for consensus in results), digits()),
            column("Condorcet winner", (consensus.condorcet_winner or "-" for consensus in results)),
        ),
        folded=len(results) > FIRST_ITEMS,
    )
