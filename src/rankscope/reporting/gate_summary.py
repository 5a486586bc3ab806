"""A gate as a short Markdown page: for the summary of a step in continuous integration, or a comment on a change."""

from __future__ import annotations

from rankscope.comparison.gate import Gate, MeasureGate, MovedDocument, gate_sentence, summary_table
from rankscope.data.columns import digits
from rankscope.errors import in_one_line
from rankscope.reporting.tables import markdown_rows, markdown_text

__all__ = [
    "gate_summary",
]


#: Lines of the page at most, rows of the table of measures, and queries of each end.
MOST_LINES, MOST_ROWS, MOST_QUERIES = 30, 8, 3
SIGNS = {"pass": "✅", "undecided": "❔", "worse": "❌"}
#: Columns of the table of measures that a page has room for.
LEFT_OUT = ("high", "p worse")


def gate_summary(gate: Gate) -> str:
    """The verdict, a table of measures, the queries that decide with documents that moved, the signature and notes.

    Parameters
    ----------
    gate
        The gate.

    Returns
    -------
    str
        Markdown of at most 30 lines.
    """
    title = f"### {SIGNS[gate.verdict]} rankscope gate: {gate.verdict}"
    lines = [title, "", markdown_text(gate_sentence(gate)), "", *measure_lines(gate), ""]
    signature = f"`{in_one_line(gate.signature())}`"
    room = MOST_LINES - len(lines) - 2
    deciding = query_lines(deciding_gate(gate), gate)
    if len(deciding) + 1 <= room:
        lines += [*deciding, ""] if deciding else []
    lines.append(signature)
    notes = [f"note: {markdown_text(note)}" for note in gate.notes]
    room = MOST_LINES - len(lines) - 1
    if notes:
        # A line each, with two blanks at its end for a break.
        first_notes = notes if len(notes) <= room else [*notes[: room - 1], f"and {len(notes) - room + 1} more notes"]
        lines += ["", *(f"{note}  " for note in first_notes)]
    return "\n".join(lines) + "\n"


def measure_lines(gate: Gate) -> list[str]:
    """The table of measures."""
    table = summary_table(gate)
    places = [place for place, name in enumerate(table.columns) if name not in LEFT_OUT]
    rows = [[row[place] for place in places] for row in table.rows]
    columns = [table.columns[place] for place in places]
    lines = markdown_rows(columns, rows[:MOST_ROWS], table.n_name_columns)
    return lines if len(rows) <= MOST_ROWS else [*lines, "", f"and {len(rows) - MOST_ROWS} more"]


def deciding_gate(gate: Gate) -> MeasureGate:
    """The measure whose queries are shown: the first with the worst verdict."""
    return next(own for own in gate.measure_gates if own.verdict == gate.verdict)


def query_lines(own: MeasureGate, gate: Gate) -> list[str]:
    """The queries that the new system hurts and helps most, and documents that moved in them."""
    indices = [*own.hurt.tolist()[:MOST_QUERIES], *own.helped.tolist()[:MOST_QUERIES]]
    if not indices:
        return []
    values, number = own.measure_values, digits()
    sign = digits(signed=True)
    rows = []
    for index in indices:
        query = gate.scores.query_ids[int(values.queries[index])]
        documents = gate.documents.get((own.measure, own.baseline, query), ())
        numbers = [number(float(values.values[side, index])) for side in (0, 1)]
        rows.append(
            [query, *numbers, sign(float(own.differences[index])), "; ".join(map(document_text, documents)) or "-"]
        )
    columns = ["query", gate.system, own.baseline, "difference", "documents that moved"]
    if not gate.documents:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return [f"Queries that decide, by {markdown_text(own.measure)}:", "", *markdown_rows(columns, rows, 1)]


def document_text(document: MovedDocument) -> str:
    """A document, its grade, and where it was and is."""
    before, after = document.baseline_rank, document.new_rank
    if before is None:
        move = f"new at rank {after:g}"
    elif after is None:
        move = f"gone from rank {before:g}"
    else:
        move = f"rank {before:g} to {after:g}"
    return f"{document.document} (grade {document.relevance:g}): {move}"
