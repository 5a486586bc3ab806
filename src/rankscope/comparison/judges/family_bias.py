"""Circularity: whether a judge favours systems of a family, such as its own, on the documents that they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.comparison.judges.bias import DEPTH, NAN, ClusteredMean, Row, favour_of, holm
from rankscope.comparison.judges.common_documents import CommonDocuments
from rankscope.data.columns import column, columns_of, digits, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import format_p_cell, format_p_value, format_percent, join_names
from rankscope.errors import InputError, UnknownName
from rankscope.evaluation.families import read_families
from rankscope.typing import Bools

__all__ = [
    "FamilyBias",
    "bias_by_family",
    "family_masks",
    "family_rows",
    "family_section",
]


@dataclass(frozen=True, kw_only=True)
class FamilyBias:
    """How the second judge treats the documents that systems of a family rank first.

    Attributes
    ----------
    family
        The name of the family.
    systems
        Its systems.
    is_own
        Whether the second judge is of this family.
    favour
        By how many grades the second judge rates their first documents above other documents with the same grade from
        the first.
    pvalue
        p of no favour; NaN if undefined.
    pvalue_corrected
        The same, corrected for the number of families (Holm).
    """

    family: str
    systems: tuple[str, ...]
    is_own: bool
    favour: ClusteredMean
    pvalue: float
    pvalue_corrected: float = NAN


def families_of(families: Mapping[str, str] | str, systems: Sequence[str], judges: Sequence[str]) -> dict[str, str]:
    """The family of each system and judge that has one. Raises UnknownName for a mapping that names none of them."""
    if isinstance(families, str):
        return read_families(families)
    unknown = [name for name in families if name not in systems and name not in judges]
    if unknown:
        raise UnknownName("system among the families", unknown[0], (*systems, *judges))
    return dict(families)


def family_masks(
    families: Mapping[str, str] | str, systems: Sequence[str], judges: Sequence[str]
) -> tuple[dict[str, Bools], str | None]:
    """Family -> (systems) which are of it, and the family of the second judge. Raises InputError.

    families: as `JudgeSettings.families`.
    """
    family_of = families_of(families, systems, judges)
    names = dict.fromkeys(family_of[name] for name in systems if name in family_of)
    masks = {name: np.array([family_of.get(system) == name for system in systems]) for name in names}
    if not masks:
        raise InputError(
            f"no system belongs to a family (families, --family); the systems are {join_names(systems)}, expected "
            "at least one of them with its family"
        )
    if any(mask.all() for mask in masks.values()):
        raise InputError(
            f"all systems are of the family {next(iter(masks))}, expected systems of others to compare them with"
        )
    return masks, family_of.get(judges[1])


def bias_by_family(
    common: CommonDocuments,
    systems: Sequence[str],
    is_top: Bools,
    masks: Mapping[str, Bools],
    own: str | None,
    confidence_level: float,
) -> tuple[FamilyBias, ...]:
    """The favour for each family.

    Parameters
    ----------
    common
        The documents that both judged.
    systems
        The names of the systems.
    is_top
        (systems, documents) which documents are among the first of each system.
    masks, own
        As `family_masks` gives them.
    confidence_level
        The level of the intervals.
    """
    biases = []
    for family, mask in masks.items():
        favour, pvalue = favour_of(np.asarray(is_top[mask].any(axis=0)), common, confidence_level)
        members = tuple(system for system, is_member in zip(systems, mask.tolist(), strict=True) if is_member)
        biases.append(FamilyBias(family=family, systems=members, is_own=family == own, favour=favour, pvalue=pvalue))
    corrected = holm([bias.pvalue for bias in biases])
    return tuple(replace(bias, pvalue_corrected=p) for bias, p in zip(biases, corrected.tolist(), strict=True))


def family_rows(biases: Sequence[FamilyBias]) -> Iterator[Row]:
    """Rows of the tidy table; the label is the family."""
    for bias in biases:
        yield f"favour_at_{DEPTH}", bias.family, "", "", *bias.favour
        for name in ("pvalue", "pvalue_corrected"):
            yield f"favour_{name}_at_{DEPTH}", bias.family, "", "", getattr(bias, name), NAN, NAN, bias.favour.n


def family_section(biases: Sequence[FamilyBias], names: tuple[str, str], confidence_level: float) -> Section:
    """Which families the second judge favours, and whether its own profits."""
    name_a, name_b = names
    return Section(
        title=f"Families of systems, and of {name_b}",
        sentence=f"{family_sentence(biases, name_b, confidence_level)} Favour is by how many grades {name_b} rates the "
        f"first {DEPTH} documents of these systems above other documents with the same grade from {name_a}.",
        table=table_of(
            column("family", [bias.family for bias in biases], name=True),
            column("systems", [join_names(bias.systems) for bias in biases], name=True),
            column(f"{name_b}'s own", ["yes" if bias.is_own else "no" for bias in biases]),
            column("documents", [bias.favour.n for bias in biases], thousands),
            *columns_of(("favour", "low", "high"), [bias.favour for bias in biases], digits(signed=True)),
            column("p corrected", [bias.pvalue_corrected for bias in biases], format_p_cell),
        ),
        notes=(
            f"low and high: {format_percent(confidence_level)} confidence intervals, not corrected for the number of "
            "families; p corrected: that of no favour, corrected for it (Holm)",
        ),
    )


def family_sentence(biases: Sequence[FamilyBias], judge: str, confidence_level: float) -> str:
    """Whether the judge's own family profits, then which others do."""
    alpha = 1 - confidence_level
    sentences = []
    for bias in biases:
        if not bias.is_own:
            continue
        verb = "is" if len(bias.systems) == 1 else "are"
        opening = f"{judge} is of the family {bias.family}, as {verb} {join_names(bias.systems)}."
        value = f"{bias.favour.value:+.2f} grades, p {format_p_value(bias.pvalue_corrected)}"
        if np.isnan(bias.pvalue_corrected):
            finding = "Whether it profits cannot be told: the documents do not say how favour varies."
        elif bias.pvalue_corrected >= alpha:
            finding = f"That it profits is not shown ({value})."
        elif bias.favour.value > 0:
            finding = f"It profits: {judge} favours its own family ({value})."
        else:
            finding = f"It does not profit: {judge} disfavours its own family ({value})."
        sentences.append(f"{opening} {finding}")
    if not sentences:
        sentences.append(
            f"{judge} is of none of these families; where it is, name it with its family among the families."
        )
    for verb, side in (("favours", 1), ("disfavours", -1)):
        significant = [
            f"{bias.family} ({bias.favour.value:+.2f})"
            for bias in biases
            if not bias.is_own and bias.pvalue_corrected < alpha and bias.favour.value * side > 0
        ]
        if significant:
            sentences.append(f"It {verb} {join_names(significant)}.")
    return " ".join(sentences)
