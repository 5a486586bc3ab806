"""The view of the agreement of two sets of judgments."""

from __future__ import annotations

import numpy as np

from rankscope.comparison.judges.agreement_rows import chance_sentence, format_tenths, matrix_section, row_table
from rankscope.comparison.judges.bias import bias_section, taste_section
from rankscope.comparison.judges.family_bias import family_section
from rankscope.comparison.judges.group_bias import group_section
from rankscope.comparison.judges.judgments import JudgeAgreement
from rankscope.comparison.judges.ranking_effect import effect_section
from rankscope.comparison.judges.verdict import verdict_section
from rankscope.data.section import Section
from rankscope.data.text import format_percent, pluralise, pluralise_queries

__all__ = [
    "judgment_sections",
]


def judgment_sections(result: JudgeAgreement) -> tuple[Section, ...]:
    """What a report shows."""
    name_a, name_b = result.names
    agreement = Section(
        title=f"Agreement of {name_a} and {name_b}",
        sentence=f"Judged by both: {pluralise(result.n_both, 'document')} of {pluralise_queries(result.n_queries)}; "
        f"by {name_a} only: {result.n_only_a:,}; by {name_b} only: {result.n_only_b:,}. "
        + chance_sentence(result.chance_corrected.kappa, "document", "grade"),
        table=row_table(list(result.chance_corrected.rows()), result.settings.beta),
    )
    relevance = Section(
        title="Relevant or not",
        sentence=relevance_sentence(result),
        table=row_table(list(result.relevance_rows()), result.settings.beta),
    )
    matrix = matrix_section(result.confusion, name_a, name_b, f"Rows: grades by {name_a}. Columns: grades by {name_b}.")
    confidence_level, is_clustered = result.settings.confidence_level, result.n_clusters is not None
    bias = bias_section(result.biases, result.names, confidence_level, is_clustered=is_clustered)
    taste = (
        [taste_section(result.tastes, result.names, confidence_level, is_clustered=is_clustered)]
        if result.tastes
        else []
    )
    effects = (effect_section(effect, result.names, result.settings.confidence_level) for effect in result.effects)
    groups = [group_section(result.groups, result.names, confidence_level)] if result.groups else []
    families = [family_section(result.families, result.names, confidence_level)] if result.families else []
    verdicts = [verdict for effect in result.effects for verdict in effect.verdicts]
    conclusion = [verdict_section(verdicts, result.names, result.settings.margin, confidence_level)] if verdicts else []
    return agreement, matrix, bias, relevance, *groups, *taste, *families, *effects, *conclusion


def relevance_sentence(result: JudgeAgreement) -> str:
    name_a, name_b = result.names
    tp, fp, fn, tn = (
        int(counts[1])
        for counts in (
            result.relevance_rates.tp,
            result.relevance_rates.fp,
            result.relevance_rates.fn,
            result.relevance_rates.tn,
        )
    )
    return (
        f"Relevant means grade {result.settings.rel} or higher. {name_b} judges as relevant "
        f"{share_of_documents(tp, tp + fn, 'document')} that {name_a} judged relevant, and "
        f"{share_of_documents(fp, fp + tn, 'other')}. The rates treat {name_a} as the truth and {name_b} as the "
        "prediction." + prevalence_sentence(result)
    )


def prevalence_sentence(result: JudgeAgreement) -> str:
    """The share of relevant documents where only the second judge judged; empty if it judged none alone."""
    share = result.prevalence
    if share is None:
        return ""
    name_a, name_b = result.names
    documents = pluralise(result.n_only_b, "document")
    opening = f" Of {documents} that {name_b} alone judged, {format_tenths(float(share.apparent))} are relevant for it"
    if np.isnan(share.value):
        return f"{opening}; it is no better than chance, so nothing follows for {name_a}."
    return (
        f"{opening}; corrected for its errors, {format_tenths(float(share.value))} would be relevant for {name_a} "
        f"({format_percent(share.confidence_level)} interval {format_tenths(float(share.low))} to "
        f"{format_tenths(float(share.high))}), if it errs there as it does here."
    )


def share_of_documents(count: int, total: int, noun: str) -> str:
    """A part of the documents: "3 of the 4 documents (75 %)"."""
    return f"{count:,} of the {pluralise(total, noun)}" + (f" ({format_tenths(count / total)})" if total else "")
