"""Names of measures: "nDCG@10", "AP(rel=2)@100", and trec_eval's "map", "ndcg_cut.10", "P_5"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure

__all__ = ["ALIASES", "TREC_NAMES", "parse_measure", "parse_measures", "trec_name"]

Defaults = Mapping[str, Mapping[str, Any]]

#: Other words for a measure, in lower case. A name in another case is understood as well.
ALIASES = {"map": "AP", "mrr": "RR", "precision": "P", "recall": "R", "judged": "Judged"}

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

#: trec_eval's name -> our name, the parameter that follows it, and that parameter's defaults.
TREC_NAMES: dict[str, tuple[str, str | None, tuple[float, ...]]] = {
    "num_ret": ("NumRet", None, ()),
    "num_rel": ("NumRel", None, ()),
    "num_rel_ret": ("NumRelRet", None, ()),
    "num_nonrel_judged_ret": ("NumNonrelRet", None, ()),
    "map": ("AP", None, ()),
    "map_cut": ("AP", "cutoff", CUTOFFS),
    "Rprec": ("Rprec", None, ()),
    "bpref": ("Bpref", None, ()),
    "recip_rank": ("RR", None, ()),
    "infAP": ("infAP", None, ()),
    "P": ("P", "cutoff", CUTOFFS),
    "recall": ("R", "cutoff", CUTOFFS),
    "success": ("Success", "cutoff", (1, 5, 10)),
    "dcg": ("DCG", None, ()),
    "ndcg": ("nDCG", None, ()),
    "ndcg_cut": ("nDCG", "cutoff", CUTOFFS),
    "set_P": ("SetP", None, ()),
    "set_recall": ("SetR", None, ()),
    "set_F": ("SetF", "beta", (1.0,)),
}

GRAMMAR = re.compile(r"(?P<name>[^\W\d]\w*)\s*(\((?P<inner>.*)\))?\s*(@(?P<cutoff>.*))?", re.DOTALL)


def parse_measures(names: Iterable[str | Measure], defaults: Defaults | None = None) -> list[Measure]:
    """Measures from their names, each once, in order. trec_eval's names may stand for several.

    defaults: parameters that a preset sets where the name does not, by measure.
    Raises UnknownName (with the nearest name) and ParameterError.

    >>> [str(m) for m in parse_measures(["nDCG@10", "map", "ndcg_cut.5,20", "rbp(p=0.95)"])]
    ['nDCG@10', 'AP', 'nDCG@5', 'nDCG@20', 'RBP(p=0.95)']
    """
    found: dict[str, Measure] = {}
    for name in names:
        for measure in [name] if isinstance(name, Measure) else parse(name, defaults or {}):
            found.setdefault(str(measure), measure)
    return list(found.values())


def parse(text: str, defaults: Defaults) -> list[Measure]:
    if not isinstance(text, str):
        raise ParameterError(f"a measure is named by a string or is a Measure, not {text!r}")
    text = text.strip()
    trec = parse_trec(text, defaults)
    if trec is not None:
        return trec
    match = GRAMMAR.fullmatch(text)
    if match is None:
        raise ParameterError(f"cannot read the measure {text!r}; expected a form like nDCG@10 or AP(rel=2)@100")
    name = canonical(match["name"])
    if name is None:
        rest = text[len(match["name"]) :]
        raise UnknownName("measure", text, [n + rest for n in MEASURES], "; `rankscope measures` lists all")
    parameters = parse_parameters(name, match["inner"] or "")
    if match["cutoff"] is not None:
        if "cutoff" in parameters:
            raise ParameterError(f"{text}: the cutoff is given twice; expected a form like {name}@10")
        if not re.fullmatch(r"[0-9]{1,18}", match["cutoff"]):
            raise ParameterError(f"{text}: the cutoff is {match['cutoff']!r}, expected a whole number as in {name}@10")
        parameters["cutoff"] = int(match["cutoff"])
    return [build(name, parameters, defaults)]


def canonical(name: str) -> str | None:
    """The table's spelling of a name."""
    if name in MEASURES:
        return name
    lowered = {n.lower(): n for n in MEASURES}
    return ALIASES.get(name.lower()) or lowered.get(name.lower())


def parse_parameters(name: str, inner: str) -> dict[str, Any]:
    """`rel=2, gain='exp'` as a dict; `dcg='exp-log2'` is ir_measures' way to say gain='exp'."""
    parameters: dict[str, Any] = {}
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in parameters:
                raise ValueError
            parameters[keyword.arg] = ast.literal_eval(keyword.value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ParameterError(
            f"{name}({inner}): cannot read the parameters, expected a form like {name}(rel=2, p=0.8), each once"
        ) from None
    if "dcg" in parameters and name in ("DCG", "nDCG"):
        dcg = parameters.pop("dcg")
        if "gain" in parameters:
            raise ParameterError(f"{name}: both gain and dcg are given; expected one of them")
        if dcg not in ("log2", "exp-log2"):
            raise ParameterError(f"{name}: dcg is {dcg!r}, expected 'log2' or 'exp-log2'")
        parameters["gain"] = "exp" if dcg == "exp-log2" else "linear"
    return parameters


def build(name: str, parameters: dict[str, Any], defaults: Defaults) -> Measure:
    """The measure with these parameters, unknown and missing ones refused."""
    known = [f.name for f in fields(MEASURES[name])]
    for parameter in parameters:
        if parameter not in known:
            if parameter == "cutoff":
                raise ParameterError(f"{name} takes no cutoff; write {name} without @{parameters['cutoff']}")
            raise UnknownName(f"parameter of {name}", parameter, known)
    chosen = {**{k: v for k, v in defaults.get(name, {}).items() if k in known}, **parameters}
    for f in fields(MEASURES[name]):
        if f.name not in chosen and f.default is MISSING:
            example = f"{name}@10" if f.name == "cutoff" else f"{name}({f.name}=...)"
            raise ParameterError(f"{name} needs a {f.name}, as in {example}")
    return MEASURES[name](**chosen)


def is_trec_name(text: str) -> bool:
    """Whether trec_eval has a measure of this name, as `ndcg_cut` or `ndcg_cut_10`."""
    stem, _, last = text.rpartition("_")
    return text in TREC_NAMES or (stem in TREC_NAMES and TREC_NAMES[stem][1] is not None and last.isdigit())


def parse_trec(text: str, defaults: Defaults) -> list[Measure] | None:
    """A name of trec_eval: `ndcg_cut`, `ndcg_cut.5,10`, `ndcg_cut_10`. None: it is none."""
    stem, dot, tail = text.partition(".")
    if stem in TREC_NAMES:
        values = tail.split(",") if dot else None
    else:
        stem, _, last = text.rpartition("_")
        if stem not in TREC_NAMES or TREC_NAMES[stem][1] is None or not last:
            return None
        values = [last]
    name, parameter, default = TREC_NAMES[stem]
    if parameter is None:
        if values is not None:
            raise ParameterError(f"{text}: {stem} takes no parameters; write {stem}")
        return [build(name, {}, defaults)]
    try:
        convert = int if parameter == "cutoff" else float
        numbers = list(default) if values is None else [convert(v) for v in values]
    except ValueError:
        raise ParameterError(f"{text}: expected numbers after {stem}, as in {stem}.10,20") from None
    return [build(name, {parameter: number}, defaults) for number in numbers]


def trec_name(measure: Measure) -> str:
    """trec_eval's name of a measure where it has one, else ours.

    >>> trec_name(parse_measures(["nDCG@10"])[0])
    'ndcg_cut_10'
    """
    for trec, (name, parameter, default) in TREC_NAMES.items():
        if name != measure.name:
            continue
        if parameter is None:
            if str(measure) == name:
                return trec
            continue
        value = getattr(measure, parameter)
        if value is not None and str(build(name, {parameter: value}, {})) == str(measure):
            return trec if parameter == "beta" and (value,) == default else f"{trec}_{value}"
    return str(measure)


def parse_measure(name: str | Measure) -> Measure:
    """One measure from its name. Raises as `parse_measures`, and for a name that stands for several.

    >>> parse_measure("nDCG(dcg='exp-log2')@10")
    nDCG(gain='exp', cutoff=10)
    """
    found = parse_measures([name])
    if len(found) != 1:
        raise ParameterError(
            f"{name!r} stands for {len(found)} measures ({', '.join(map(str, found))}); name one of them"
        )
    return found[0]
