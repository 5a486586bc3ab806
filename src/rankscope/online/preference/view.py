"""The view of a test of interleaved systems."""

from __future__ import annotations

import numpy as np

from rankscope.data.columns import column, columns_of, digits, interval, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import format_number, format_p_cell, format_p_value, format_percent, join_names, pluralise
from rankscope.online.logs import IMPRESSION
from rankscope.online.preference.days import day_text
from rankscope.online.preference.result import InterleavingTest, Preference
from rankscope.online.preference.settings import ANYTIME

__all__ = [
    "interleaving_test_sections",
    "pluralise_clusters",
]


#: The kinds of tests in words.
TEST_TEXTS = {
    "t": "cluster t",
    "sign": "sign test",
    "bootstrap": "cluster bootstrap",
    ANYTIME: "confidence sequence, valid however often one looks",
}
#: The kinds of outcomes in words.
OUTCOME_TEXTS = {
    "win": "outcome: 1 where the first system has more credit in an impression, -1 where it has less, 0 for a tie",
    "share": "outcome: the difference of the credit of the two systems, divided by the clicks of the impression",
    "sum": "outcome: the difference of the credit of the two systems, summed over the clicks of the impression",
}


def interleaving_test_sections(result: InterleavingTest) -> list[Section]:
    """Who won, day by day where a confidence sequence does so, and what another experiment takes."""
    sections = [preference_section(result), credit_section(result)]
    sections += [
        days_section(preference, result)
        for preference in result.preferences
        if result.settings.test == ANYTIME and result.has_days
    ]
    planned = [preference for preference in result.preferences if preference.requirement is not None]
    if planned:
        sections.append(planning_section(planned, result))
    return sections


def preference_section(result: InterleavingTest) -> Section:
    rows = result.preferences
    has_several = len(rows) > 1
    return Section(
        title="Who won",
        sentence=preference_sentence(result),
        table=table_of(
            column("system a", [row.system_a for row in rows], name=True),
            column("system b", [row.system_b for row in rows], name=True),
            column("difference", [row.difference for row in rows], digits(signed=True)),
            column(
                f"{format_percent(1 - result.settings.alpha)} interval",
                [(row.low, row.high) for row in rows],
                interval(),
            ),
            column("p", [row.pvalue for row in rows], format_p_cell),
            column("p corrected", [row.pvalue_corrected for row in rows], format_p_cell) if has_several else None,
            *columns_of(("wins", "ties", "losses"), [row[8:11] for row in rows], thousands),
        ),
        notes=tuple(preference_notes(result)),
    )


def preference_sentence(result: InterleavingTest) -> str:
    """Who is preferred, in words."""
    alpha = result.settings.alpha
    if len(result.preferences) > 1:
        is_significant = [row.pvalue_corrected <= alpha for row in result.preferences]
        order = np.argsort(-result.credit, kind="stable")
        best = result.systems[int(order[0])]
        beaten = [
            row.system_b if row.system_a == best else row.system_a
            for row, significant in zip(result.preferences, is_significant, strict=True)
            if significant and best in (row.system_a, row.system_b) and (row.difference > 0) == (row.system_a == best)
        ]
        text = (
            f"{best} has the most credit, and is preferred to {join_names(beaten)}."
            if beaten
            else (f"{best} has the most credit, but is not shown to be preferred to any other.")
        )
        return f"{text} {sum(is_significant)} of {len(is_significant)} differences are significant."
    row = result.preferences[0]
    better, worse = (row.system_a, row.system_b) if row.difference >= 0 else (row.system_b, row.system_a)
    more, less = (row.wins, row.losses) if row.difference >= 0 else (row.losses, row.wins)
    if np.isnan(row.pvalue):
        text = f"Nothing can be said of {row.system_a} and {row.system_b}"
    elif row.pvalue <= alpha:
        text = f"{better} is preferred to {worse}"
    else:
        text = f"Neither of {row.system_a} and {row.system_b} is shown to be preferred"
    kind = "impressions" if result.settings.no_clicks == "tie" else "impressions with clicks"
    of_unit = "" if result.cluster_by == IMPRESSION else f" of {pluralise_clusters(row.n_clusters, result.cluster_by)}"
    counts = (
        f"{better} has more credit in {more:,} of {row.n:,} {kind}{of_unit}, less in {less:,}, as much in {row.ties:,}"
    )
    return f"{text} (p {format_p_value(row.pvalue)}, {TEST_TEXTS[result.settings.test]}): {counts}."


def pluralise_clusters(n: int, cluster_by: str) -> str:
    """A count of clusters as text, such as 3 users."""
    return pluralise(n, cluster_by, "queries" if cluster_by == "query" else None)


def preference_notes(result: InterleavingTest) -> list[str]:
    """What the columns mean, and which impressions do not count."""
    notes = [OUTCOME_TEXTS[result.outcome]]
    if result.n_without_clicks:
        treated = "are dropped" if result.settings.no_clicks == "drop" else "are ties"
        notes.append(
            f"{result.n_without_clicks:,} of {pluralise(result.n_read, 'impression')} have no click and {treated}"
        )
    if result.cluster_by == IMPRESSION:
        notes.append("impressions count as independent; if the log has users or sessions, name them with --columns")
    if result.settings.test == ANYTIME and not result.has_days:
        notes.append("the log has no time, so that the confidence sequence has one look, at its end")
    return notes


def credit_section(result: InterleavingTest) -> Section:
    order = np.argsort(-result.credit, kind="stable")
    return Section(
        title="Credit by system",
        table=table_of(
            column("system", [result.systems[place] for place in order.tolist()], name=True),
            column("credit", result.credit[order], digits()),
        ),
        notes=("credit: mean by impression",),
        folded=len(result.systems) == 2,
    )


def days_section(preference: Preference, result: InterleavingTest) -> Section:
    """The confidence sequence, day by day."""
    looks = preference.looks
    names = f"{preference.system_a} and {preference.system_b}"
    decided = next((look for look in looks if look.low > 0 or look.high < 0), None)
    if decided is None:
        sentence = f"On no day the confidence sequence of {names} excludes 0: go on, or stop without a decision."
    else:
        better = preference.system_a if decided.low > 0 else preference.system_b
        sentence = f"From {day_text(decided.day)} on the confidence sequence shows that {better} is preferred."
    days = [day_text(look.day) for look in looks]
    data = {
        "days": days,
        "means": [look.mean for look in looks],
        "low": [look.low for look in looks],
        "high": [look.high for look in looks],
        "pair": (preference.system_a, preference.system_b),
    }
    return Section(
        title=f"Day by day: {names}",
        sentence=sentence,
        table=table_of(
            column("day", days, name=True),
            column(
                "units" if result.cluster_by != IMPRESSION else "impressions", [look.n for look in looks], thousands
            ),
            column("difference", [look.mean for look in looks], digits(signed=True)),
            column("interval", [(look.low, look.high) for look in looks], interval()),
            column("p", [look.pvalue for look in looks], format_p_cell),
        ),
        figure=Figure("confidence_sequence", data),
        folded=len(result.preferences) > 1,
    )


def planning_section(planned: list[Preference], result: InterleavingTest) -> Section:
    """How many impressions another experiment takes."""
    sentences = [requirement_sentence(row, result) for row in planned]
    if len(planned) == 1:
        return Section(title="Planning", sentence=sentences[0])
    needs = [row.requirement for row in planned if row.requirement is not None]
    table = table_of(
        column("system a", [row.system_a for row in planned], name=True),
        column("system b", [row.system_b for row in planned], name=True),
        column("difference", [need.difference for need in needs], digits()),
        column("impressions needed", [need.n for need in needs], thousands),
        column("detectable now", [need.detectable for need in needs], digits()),
    )
    power = f"With a power of {format_percent(result.settings.power)}, each pair by itself."
    return Section(title="Planning", sentence=power, table=table, folded=True)


def requirement_sentence(row: Preference, result: InterleavingTest) -> str:
    """What it takes to show the difference of two systems."""
    need = row.requirement
    assert need is not None
    power = format_percent(result.settings.power)
    now = (
        f"An experiment as large as this one shows differences from {format_number(need.detectable)} on with a power "
        f"of {power}."
    )
    if need.n is None:
        return f"No number of impressions shows the difference of {format_number(need.difference)}. {now}"
    units = (
        "" if result.cluster_by == IMPRESSION else f" of {pluralise_clusters(need.n_clusters or 0, result.cluster_by)}"
    )
    kind = "impressions" if result.settings.no_clicks == "tie" else "impressions with clicks"
    more = " These are numbers for one look, at the end; looking every day takes more."
    return (
        f"To show a difference of {format_number(need.difference)} with a power of {power} takes {need.n:,} "
        f"{kind}{units}. {now}{more if result.settings.test == ANYTIME else ''}"
    )
