"""The view of favouritism: a row for each judge and family, and who favours whom."""

from __future__ import annotations

import numpy as np

from rankscope.agreement.favouritism import MIN_QUERIES, FamilyFavour
from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import format_number, format_p_cell, format_percent, join_names, pluralise
from rankscope.kernels.rounding_ties import at_most

__all__ = [
    "sections_of",
]


#: So far people's scores should tell the systems within the groups apart, in standard errors.
WEAK = 3.0
#: With fewer queries, a note warns.
FEW_QUERIES = 20


def sections_of(result: FamilyFavour) -> tuple[Section, ...]:
    cells = result.cells()
    level = format_percent(1 - result.settings.alpha)

    def values(name: str) -> list[float]:
        return [float(getattr(result, name)[cell]) for cell in cells]

    return (
        Section(
            title="Favour for families of systems",
            sentence=sentence_of(result),
            table=table_of(
                column("judge", (result.judges[j] for j, _ in cells), name=True),
                column("family", (result.families[f] for _, f in cells), name=True),
                column("by people", values("by_people"), digits(3, signed=True)),
                column("by judge", values("by_judge"), digits(3, signed=True)),
                column("expected", values("expected"), digits(3, signed=True)),
                column("favour", values("favour"), digits(3, signed=True)),
                column(f"{level} from", values("low"), digits(3, signed=True)),
                column("to", values("high"), digits(3, signed=True)),
                column("p, these systems", values("pvalue_corrected"), format_p_cell),
                column("p, the family", values("pvalue_systems_corrected"), format_p_cell),
                column("queries", (result.n[cell] for cell in cells), thousands),
            ),
            notes=notes_of(result),
        ),
        Section(
            title="Families",
            table=table_of(
                column("family", result.families, name=True),
                column("systems", map(len, result.systems)),
                column("which", (join_names(names, 20) for names in result.systems)),
            ),
            folded=len(result.families) > 10,
        ),
    )


def sentence_of(result: FamilyFavour) -> str:
    """Who favours whom, and what the columns are."""
    findings = [
        finding_of(result, cell) for cell in result.cells() if is_significant(result.pvalue_corrected[cell], result)
    ]
    opening = (
        f"{'; '.join(findings)}."
        if findings
        else "No judge favours or disfavours a family significantly."
        if not np.isnan(result.pvalue[result.n >= 0]).all()
        else "No judge can be tested; see the notes."
    )
    return (
        f"{opening} Favour is by how much a judge's advantage for the family over the other systems exceeds the "
        "expected one: people's advantage times the judge's response to quality within the two groups. All in standard "
        "deviations of the scores of a query."
    )


def is_significant(pvalue: float, result: FamilyFavour) -> bool:
    return bool(at_most(np.array([pvalue]), result.settings.alpha)[0])


def finding_of(result: FamilyFavour, cell: tuple[int, int]) -> str:
    """A judge that favours or disfavours a family, and whether that goes beyond these systems."""
    j, f = cell
    verb = "favours" if result.favour[cell] > 0 else "disfavours"
    scope = (
        "the family, not only these systems"
        if is_significant(result.pvalue_systems_corrected[cell], result)
        else "these systems; not shown for the family"
    )
    amount = format_number(float(result.favour[cell]), 2, signed=True)
    return f"{result.judges[j]} {verb} {result.families[f]} ({amount}: {scope})"


def notes_of(result: FamilyFavour) -> tuple[str, ...]:
    """What p-values say, and where they are missing or weak."""
    cells = result.cells()
    notes = [
        "p, these systems: over queries; p, the family: over systems, since a judge may like single systems by chance; "
        f"both corrected ({result.settings.correction}) for {pluralise(len(cells), 'test')}"
    ]
    few = [cell for cell in cells if result.n[cell] < MIN_QUERIES]
    no_slope = [cell for cell in cells if np.isnan(result.pvalue[cell]) and cell not in few]
    weak = [cell for cell in cells if result.slope_t[cell] < WEAK and cell not in no_slope]
    unsampled = [cell for cell in cells if np.isnan(result.pvalue_systems[cell]) and not np.isnan(result.pvalue[cell])]
    if few:
        notes.append(
            f"{names_of(result, few)}: fewer than {MIN_QUERIES} queries have scores of the family and of other "
            "systems, so no verdict"
        )
    if no_slope:
        notes.append(
            f"{names_of(result, no_slope)}: people's scores do not tell systems within the family, or within the "
            "others, apart, so the judge's response to quality is unknown: no verdict"
        )
    if weak:
        notes.append(
            f"{names_of(result, weak)}: people's scores hardly tell systems within the groups apart, so the expected "
            "advantage is uncertain; more queries would help"
        )
    if unsampled:
        notes.append(f"{names_of(result, unsampled)}: too few systems for a p-value of the family")
    n_queries = [int(result.n[cell]) for cell in cells if cell not in few]
    if n_queries and min(n_queries) < FEW_QUERIES:
        notes.append(f"with fewer than {FEW_QUERIES} queries only a large favour can be found")
    return tuple(notes)


def names_of(result: FamilyFavour, cells: list[tuple[int, int]]) -> str:
    return join_names(f"{result.judges[j]} ({result.families[f]})" for j, f in cells)
