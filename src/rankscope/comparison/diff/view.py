"""The view of a diff: where the difference comes from over all queries, and the two lists of one query side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.comparison.common_queries import extreme_queries
from rankscope.comparison.diff.sources import SOURCES, TERMS, UNJUDGED_AHEAD, UNJUDGED_GONE
from rankscope.data.columns import column, digits, general, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import in_one_line
from rankscope.kernels.rounding_ties import order_of
from rankscope.typing import Floats, Indices

if TYPE_CHECKING:
    from rankscope.comparison.diff.result import RunDiff

__all__ = [
    "diff_sections",
    "query_sections",
]


#: Letters of a document's title or text in a table, and in a sentence.
LETTERS, LETTERS_IN_SENTENCE = 32, 60
#: How many documents are listed that weigh most, and how many of a query that are further down than shown.
MOST_DOCUMENTS, MOST_BELOW = 10, 10
#: How many documents a sentence or a cell names at most.
MOST_NAMED = 2
#: Unjudged documents are named if they cost this share of all losses.
NOTABLE_SHARE = 0.1
#: The first ranks of the bins that ranks are counted in.
BINS = (1, 2, 4, 6, 11, 21, 51, 101)
NOT_JUDGED = "not judged"
#: Smaller standard errors are 0 in four digits.
SMALLEST_ERROR = 0.00005


def diff_sections(diff: RunDiff) -> list[Section]:
    """The lists of the chosen query; else the sources of the difference, the queries and documents that weigh most."""
    if diff.settings.query is not None:
        return query_sections(diff, 0)
    sections = [source_section(diff), *grade_and_rank_sections(diff)]
    return [*sections, *query_list_section(diff), *document_section(diff)]


def source_section(diff: RunDiff) -> Section:
    """Where the difference comes from: a sentence, a table of its terms, and the waterfall."""
    a, b = diff.systems
    mean_a, mean_b = overall_values(diff)
    low_note = () if diff.sign > 0 else (f"{diff.measure}: lower is better",)
    return Section(
        title=f"{diff.measure}: {a} against {b}",
        sentence=source_sentence(diff),
        table=table_of(
            column("from", [TERMS[term.name] for term in diff.sources], name=True),
            column("documents", [term.n_documents or None for term in diff.sources], thousands),
            column("queries", [term.n_queries for term in diff.sources], thousands),
            column("contribution", [term.total / diff.total for term in diff.sources], digits(signed=True)),
        )
        if diff.sources
        else None,
        figure=Figure(
            "waterfall",
            {
                "measure": str(diff.measure),
                "system_a": a,
                "system_b": b,
                "value_a": mean_a,
                "value_b": mean_b,
                "terms": tuple(TERMS[term.name] for term in diff.sources),
                "contributions": tuple(term.total / diff.total for term in diff.sources),
                "higher_is_better": diff.sign > 0,
            },
        ),
        notes=(*low_note, *reading_notes(diff)),
    )


def overall_values(diff: RunDiff) -> tuple[float, float]:
    """The means of both systems, or their sums for a measure that is summed."""
    sums = diff.values.sum(axis=1) / diff.total
    return float(sums[0]), float(sums[1])


def reading_notes(diff: RunDiff) -> tuple[str, ...]:
    """What the words of the table mean."""
    a, b = diff.systems
    notes = [f"found, lost: in the list of {a} and nowhere in that of {b}, or the reverse"]
    if any(term.name in (UNJUDGED_GONE, UNJUDGED_AHEAD) for term in diff.sources):
        notes.append(
            "fewer, more unjudged documents ahead: the part of relevant documents' gains and losses that is due to "
            "unjudged documents above them"
        )
    return (*notes, method_note(diff))


def method_note(diff: RunDiff) -> str:
    """How contributions are computed."""
    if diff.method == "sum":
        return "a document contributes what it adds to the value of the one list less what it adds to that of the other"
    return (
        "contributions are Shapley values: the mean, over all orders in which documents move from the one list to the "
        "other, of what the move of each changes"
    )


def source_sentence(diff: RunDiff) -> str:
    """The difference in a sentence, and its largest gain and loss."""
    a, b = diff.systems
    mean_a, mean_b = overall_values(diff)
    mean = "total" if diff.measure.summary == "sum" else "mean"
    text = (
        f"{a} has a {mean} {diff.measure} of {mean_a:.4f} and {b} of {mean_b:.4f} on "
        f"{pluralise_queries(diff.queries.size)}, a difference of {signed(mean_a - mean_b)}"
    )
    if not diff.sources:
        return f"{text}: no document makes a difference."
    sides = [side_text(diff, side) for side in (1, -1)]
    text = f"{text}: {a} {', and '.join(filter(None, sides))}."
    losses = -sum(min(diff.sign * term.total, 0.0) for term in diff.sources)
    ahead = next((diff.sign * term.total for term in diff.sources if term.name == UNJUDGED_AHEAD), 0.0)
    if -ahead < NOTABLE_SHARE * losses or ahead == 0:
        return text
    return (
        f"{text} Of what {a} loses, {100 * -ahead / losses:.0f} % is due to unjudged documents ahead of relevant ones; "
        "judge them before it counts as a loss."
    )


def side_text(diff: RunDiff, side: int) -> str:
    """What the first system gains (1) or loses (-1) in all, and where most of it comes from."""
    terms = [term for term in diff.sources if diff.sign * term.total * side > 0]
    if not terms:
        return ""
    largest = max(terms, key=lambda term: abs(term.total))
    total = sum(term.total for term in terms) / diff.total
    verb = "gains" if side > 0 else "loses"
    first = f"{verb} {abs(total):.4f}"
    if len(terms) == 1:
        return f"{first}, all by {TERMS[largest.name]}"
    return f"{first}, most by {TERMS[largest.name]} ({abs(largest.total) / diff.total:.4f})"


def signed(value: float) -> str:
    return digits(signed=True)(value)


def grade_and_rank_sections(diff: RunDiff) -> list[Section]:
    """The contributions by grade, and by the better of the two ranks."""
    documents = diff.documents
    counting = np.flatnonzero(documents.contribution)
    if not counting.size:
        return []
    contribution, source = documents.contribution[counting], documents.source[counting]
    grades, grade_index = np.unique(documents.relevance[counting], return_inverse=True)
    better_rank = np.minimum(documents.rank_a[counting], documents.rank_b[counting])
    bins = np.searchsorted(BINS, better_rank, side="right") - 1
    used, bin_index = np.unique(bins, return_inverse=True)
    by_grade = breakdown(contribution, source, grade_index, grades.size, diff)
    by_rank = breakdown(contribution, source, bin_index, used.size, diff)
    titles = list(SOURCES)
    return [
        Section(
            title="By grade",
            sentence="With the parts that are due to unjudged documents." if diff.documents.by_unjudged.any() else "",
            table=breakdown_table("grade", [general(grade) for grade in grades.tolist()][::-1], by_grade[::-1], titles),
        ),
        Section(
            title="By rank",
            sentence="Contributions by the better of the ranks in both lists.",
            table=breakdown_table("rank", [bin_name(index) for index in used.tolist()], by_rank, titles),
        ),
    ]


def bin_name(index: int) -> str:
    """The ranks of a bin."""
    first = BINS[index]
    if index + 1 == len(BINS):
        return f"{first} and below"
    last = BINS[index + 1] - 1
    return f"{first}" if first == last else f"{first} to {last}"


def breakdown(contribution: Floats, source: np.ndarray, part: np.ndarray, n_parts: int, diff: RunDiff) -> Floats:
    """(parts, sources) sums of contributions."""
    flat = np.bincount(part * len(SOURCES) + source, contribution, n_parts * len(SOURCES))
    return np.asarray(flat.reshape(n_parts, len(SOURCES)) / diff.total)


def breakdown_table(first_title: str, parts: list[str], sums: Floats, titles: list[str]) -> Table:
    """A row a part, a column for each source that has any contribution, and the sum."""
    headings = {"higher": "ranked higher", "lower": "ranked lower", "nonrelevant": "not relevant", "same": "same rank"}
    return table_of(
        column(first_title, parts, name=True),
        *(
            column(headings.get(title, title), sums[:, place], digits(signed=True)) if sums[:, place].any() else None
            for place, title in enumerate(titles)
        ),
        column("all", sums.sum(axis=1), digits(signed=True)),
    )


def query_list_section(diff: RunDiff) -> list[Section]:
    """The queries where the first system gains most, and where it loses most, each with its main documents."""
    a, b = diff.systems
    gains = diff.sign * diff.differences
    helped, hurt = extreme_queries(gains)
    queries = np.concatenate([helped, hurt])
    if not queries.size:
        return []
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    return [
        Section(
            title="Queries with the largest differences",
            sentence=(
                f"{a} is better on {n_better:,} of {pluralise_queries(gains.size)}, {b} on {n_worse:,}. "
                "`--query Q` (query=) shows both lists of a query."
            ),
            table=table_of(
                column("most", ["helped"] * helped.size + ["hurt"] * hurt.size, name=True),
                column("query", [diff.query_ids[query] for query in queries.tolist()], name=True),
                column(
                    f"mainly, from {b} to {a}", [reasons_cell(diff, query) for query in queries.tolist()], name=True
                ),
                *(column(system, diff.values[place, queries], digits()) for place, system in enumerate(diff.systems)),
                column("difference", diff.differences[queries], digits(signed=True)),
            ),
        )
    ]


def reasons_cell(diff: RunDiff, query: int) -> str:
    """The documents that explain most of a query's difference."""
    documents = main_documents(diff, query, np.sign(diff.differences[query]))[:MOST_NAMED]
    return "; ".join(
        f"{in_one_line(diff.documents.ids[place])} ({grade_text(diff, place)}) {move_text(diff, place)}"
        for place in documents.tolist()
    )


def main_documents(diff: RunDiff, query: int, direction: float) -> Indices:
    """The documents of a query whose contributions have this sign, the largest first."""
    of_query = diff.documents.of_query(query)
    contribution = direction * diff.documents.contribution[of_query]
    order = order_of(-contribution)
    return np.asarray(order[contribution[order] > 0] + of_query.start)


def grade_text(diff: RunDiff, place: int) -> str:
    """The grade of a document."""
    grade = float(diff.documents.relevance[place])
    return NOT_JUDGED if not grade >= 0 else f"grade {general(grade)}"


def move_text(diff: RunDiff, place: int) -> str:
    """From which rank in the second list to which in the first."""
    ranks = diff.documents.rank_b[place], diff.documents.rank_a[place]
    before, after = (rank_cell(float(rank), diff.depth) for rank in ranks)
    return f"{before} to {after}"


def rank_cell(rank: float, depth: int) -> str:
    """A rank; a dash where the list lacks the document; of an unjudged one further down than shown, that."""
    if np.isnan(rank):
        return f">{depth}"
    return "-" if np.isinf(rank) else general(rank)


def document_section(diff: RunDiff) -> list[Section]:
    """The documents that contribute most, over all queries."""
    documents = diff.documents
    order = order_of(-np.abs(documents.contribution))[:MOST_DOCUMENTS]
    order = order[documents.contribution[order] != 0]
    if not order.size:
        return []
    places = order.tolist()
    a, b = diff.systems
    return [
        Section(
            title="Documents that contribute most",
            table=table_of(
                column("query", [diff.query_ids[query] for query in documents.query[order].tolist()], name=True),
                column("document", [document_cell(diff, place) for place in places], name=True),
                column("grade", documents.relevance[order], general),
                *(
                    column(f"rank in {system}", ranks[order], lambda rank: rank_cell(float(rank), diff.depth))
                    for system, ranks in ((a, documents.rank_a), (b, documents.rank_b))
                ),
                column("contribution", documents.contribution[order], digits(signed=True)),
            ),
            notes=("contributions to the difference of their query",),
        )
    ]


def document_cell(diff: RunDiff, place: int, letters: int = LETTERS) -> str:
    """A document's id, and the beginning of its text if there is one."""
    document = diff.documents.ids[place]
    text = diff.texts.get(document, "")
    return f"{document} {shorten(text, letters)}" if text else document


def shorten(text: str, letters: int) -> str:
    """The beginning of a text."""
    return text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"


def query_sections(diff: RunDiff, query: int) -> list[Section]:
    """Both lists of a query side by side, and the documents further down that contribute something.

    query: its index among the queries of the diff.
    """
    a, b = diff.systems
    total = float(diff.values[0, query] - diff.values[1, query])
    sections = [
        Section(
            title=f"Query {diff.query_ids[query]}: {diff.measure} of {a} and {b}",
            sentence=query_sentence(diff, query),
            table=side_by_side(diff, query),
            notes=(f"move: from {b} to {a}; all contributions sum to {signed(total)}", method_note(diff)),
        )
    ]
    return sections + further_down(diff, query)


def side_by_side(diff: RunDiff, query: int) -> Table:
    """The first documents of both lists, rank by rank; a document has its contribution once, in the first list that
    has it.
    """
    a, b = diff.systems
    documents = diff.documents
    places = np.arange(len(documents))[documents.of_query(query)]
    lists = [
        places[np.argsort(ranks[places], kind="stable")][: int((ranks[places] <= diff.depth).sum())].tolist()
        for ranks in (documents.rank_a, documents.rank_b)
    ]
    n_rows = max(map(len, lists))
    in_first = set(lists[0])
    left, right = ([*of_list, *[None] * (n_rows - len(of_list))] for of_list in lists)
    rank_of_row = [
        documents.rank_a[x] if x is not None else documents.rank_b[y] for x, y in zip(left, right, strict=True)
    ]
    columns = {
        "": [general(float(rank)) for rank in rank_of_row],
        a: [document_or_blank(diff, place) for place in left],
        "grade": [grade_cell(diff, place) for place in left],
        "move": [move_cell(diff, place, gone="new") for place in left],
        "contributes": [contribution_cell(diff, place) for place in left],
        b: [document_or_blank(diff, place) for place in right],
        "grade ": [grade_cell(diff, place) for place in right],
        "move ": [move_cell(diff, place, gone="gone") for place in right],
        "contributes ": ["" if place in in_first else contribution_cell(diff, place) for place in right],
    }
    rows = tuple(zip(*columns.values(), strict=True))
    return Table(columns=tuple(title.strip() for title in columns), rows=rows, n_name_columns=len(columns))


def document_or_blank(diff: RunDiff, place: int | None) -> str:
    return "" if place is None else document_cell(diff, place)


def grade_cell(diff: RunDiff, place: int | None) -> str:
    """The grade of a document, or that it is not judged."""
    if place is None:
        return ""
    grade = float(diff.documents.relevance[place])
    return general(grade) if grade >= 0 else NOT_JUDGED


def move_cell(diff: RunDiff, place: int | None, *, gone: str) -> str:
    """How many ranks a document is higher in the first list. gone: where the other list does not show it."""
    if place is None:
        return ""
    rank_a, rank_b = float(diff.documents.rank_a[place]), float(diff.documents.rank_b[place])
    if np.isnan(rank_a) or np.isnan(rank_b):
        return f"{'to' if np.isnan(rank_a) else 'from'} >{diff.depth}"
    if np.isinf(rank_a) or np.isinf(rank_b):
        return gone
    change = rank_b - rank_a
    return "same" if change == 0 else f"{'up' if change > 0 else 'down'} {general(abs(change))}"


def contribution_cell(diff: RunDiff, place: int | None) -> str:
    """What a document contributes; nothing for one that contributes nothing."""
    if place is None or diff.documents.contribution[place] == 0:
        return ""
    error = float(diff.documents.error[place])
    text = signed(float(diff.documents.contribution[place]))
    return f"{text} ± {error:.4f}" if error >= SMALLEST_ERROR else text


def further_down(diff: RunDiff, query: int) -> list[Section]:
    """The documents below the first ones of both lists that contribute something."""
    documents = diff.documents
    of_query = documents.of_query(query)
    below = np.minimum(documents.rank_a[of_query], documents.rank_b[of_query]) > diff.depth
    places = np.flatnonzero(below & (documents.contribution[of_query] != 0)) + of_query.start
    length = float(diff.length[query])
    if not places.size and not length:
        return []
    order = places[order_of(-np.abs(documents.contribution[places]))]
    listed, others = order[:MOST_BELOW].tolist(), order[MOST_BELOW:]
    rows = [
        (
            document_cell(diff, place),
            grade_cell(diff, place),
            rank_cell(float(documents.rank_a[place]), diff.depth),
            rank_cell(float(documents.rank_b[place]), diff.depth),
            contribution_cell(diff, place),
        )
        for place in listed
    ]
    if others.size:
        total = float(documents.contribution[others].sum())
        rows.append((pluralise(int(others.size), "further document"), "", "", "", signed(total)))
    if length:
        rows.append(("the lengths of the lists", "", "", "", signed(length)))
    a, b = diff.systems
    titles = ("document", "grade", f"rank in {a}", f"rank in {b}", "contributes")
    return [
        Section(
            title=f"Query {diff.query_ids[query]}, below rank {diff.depth}",
            table=Table(columns=titles, rows=tuple(rows), n_name_columns=1),
        )
    ]


def query_sentence(diff: RunDiff, query: int) -> str:
    """Why one list is better than the other."""
    a, b = diff.systems
    value_a, value_b = diff.values[:, query].tolist()
    difference = float(diff.differences[query])
    values_text = f"{diff.measure} is {value_a:.4f} for {a} and {value_b:.4f} for {b}"
    for_a, for_b = main_documents(diff, query, diff.sign), main_documents(diff, query, -diff.sign)
    if not for_a.size and not for_b.size:
        return f"{values_text}: no document makes a difference."
    if difference == 0:
        sides = [(f"In favour of {a}:", a, for_a), (f"In favour of {b}:", b, for_b)]
        beginning = f"{values_text}: gains and losses cancel out."
    else:
        sides = [(f"In favour of {a}:", a, for_a), (f"In favour of {b}:", b, for_b)]
        if diff.sign * difference < 0:
            sides.reverse()
        beginning = f"{values_text}, so that {sides[0][1]} is better by {abs(difference):.4f}."
    return " ".join(filter(None, [beginning, *(documents_sentence(diff, *side) for side in sides)]))


def documents_sentence(diff: RunDiff, beginning: str, system: str, places: Indices) -> str:
    """Where the documents that speak for a system rank. places: the largest contributions first."""
    if not places.size:
        return ""
    first_places = places[:MOST_NAMED].tolist()
    clauses = [document_clause(diff, place, system) for place in first_places]
    if places.size > len(first_places):
        contribution = abs(float(diff.documents.contribution[places[MOST_NAMED:]].sum()))
        clauses.append(f"{pluralise(int(places.size) - len(first_places), 'further document')} ({contribution:.4f})")
    return f"{beginning} {'; '.join(clauses)}."


def document_clause(diff: RunDiff, place: int, system: str) -> str:
    """Where a document ranks in the list of a system instead of in the other one, and what that contributes."""
    documents = diff.documents
    a, b = diff.systems
    rank_a, rank_b = float(documents.rank_a[place]), float(documents.rank_b[place])
    own, other, other_system = (rank_a, rank_b, b) if system == a else (rank_b, rank_a, a)
    text = diff.texts.get(documents.ids[place], "")
    title = f" “{shorten(text, LETTERS_IN_SENTENCE)}”" if text else ""
    document = f"{documents.ids[place]}{title} ({grade_text(diff, place)})"
    if not np.isfinite(own):
        where = f"{document}, which it lacks and {other_system} has at rank {general(other)}"
    elif not np.isfinite(other):
        where = f"{document} at rank {general(own)}, which {other_system} lacks"
    else:
        where = f"{document} at rank {general(own)} instead of {general(other)}"
    return f"{where} ({abs(float(documents.contribution[place])):.4f}{unjudged_clause(diff, place, other_system)})"


def unjudged_clause(diff: RunDiff, place: int, system: str) -> str:
    """How much of a contribution is due to unjudged documents in the list of a system, if it is a notable part."""
    contribution, part = float(diff.documents.contribution[place]), float(diff.documents.by_unjudged[place])
    if abs(part) < NOTABLE_SHARE * abs(contribution) or part == 0:
        return ""
    return f", {100 * part / contribution:.0f} % of it due to unjudged documents ahead of it in {system}"
