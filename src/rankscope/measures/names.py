"""Names of measures: "nDCG@10", "AP(rel=2)@100", and trec_eval's "map", "ndcg_cut.10", "P_5" with its parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.measures import MEASURES
from rankscope.measures.base import Measure
from rankscope.measures.cutoffs import QUERY_CUTOFF, QUERY_CUTOFF_FORMS

__all__ = [
    "ALIASES",
    "ALL_TREC_NAMES",
    "TREC_GROUP_NAMES",
    "TREC_NAMES",
    "TrecName",
    "cutoff_parameter",
    "expand_trec",
    "parse_measure",
    "parse_measures",
    "parse_number",
    "split_trec",
    "trec_name",
]


@dataclass(frozen=True)
class TrecName:
    """One of trec_eval's measures.

    Attributes
    ----------
    measure_name
        Our name.
    parse_parameter
        What a parameter (the text after the name) means to ours, as keyword arguments; None if it takes none.
    defaults
        The parameters that the name stands for without one.
    comma_separated
        Whether parameters are separated by commas, each making a measure of its own; else the whole text is one.
    format_parameter
        How trec_eval prints a parameter.
    expected_form
        What a parameter looks like, for messages.
    fixed_parameters
        Parameters that ours always gets.
    """

    measure_name: str
    parse_parameter: Callable[[str], Mapping[str, Any]] | None = None
    defaults: tuple[str, ...] = ()
    comma_separated: bool = True
    format_parameter: Callable[[str], str] = str
    expected_form: str = "a number, as in .10"
    fixed_parameters: Mapping[str, Any] = field(default_factory=dict)


def parse_integer(text: str) -> int:
    """An integer as C writes it: without the blanks, underscores and other digits that `int` accepts."""
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def parse_number(text: str) -> float:
    """A decimal number as C writes it."""
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise ValueError(text)
    return float(text)


def cutoff_parameter(text: str) -> Mapping[str, Any]:
    """A cutoff of trec_eval."""
    return {"cutoff": parse_integer(text)}


def number_parameter(name: str) -> Callable[[str], Mapping[str, Any]]:
    """A parser of a number, which becomes the parameter `name` of our measure."""
    return lambda text: {name: parse_number(text)}


def weights_parameter(text: str) -> Mapping[str, Any]:
    """The four weights of trec_eval's utility, separated by commas."""
    a, b, c, d = map(parse_number, text.split(","))
    return {"a": a, "b": b, "c": c, "d": d}


def gains_parameter(text: str) -> Mapping[str, Any]:
    """Gains of grades as trec_eval takes them: 1=3.5,2=9."""
    pairs = [
        (parse_integer(level), parse_number(gain)) for level, gain in (pair.split("=") for pair in text.split(","))
    ]
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a grade occurs twice")
    return {"gains": dict(pairs), "others": "gain"}


def persistence_parameter(text: str) -> Mapping[str, Any]:
    """The persistence of trec_eval's rbp, as p=.8."""
    name, value = text.split("=")
    if name != "p":
        raise ValueError(name)
    return {"p": parse_number(value)}


def without_zeros(text: str) -> str:
    """A whole number without leading zeros."""
    return str(int(text))


def two_digits(text: str) -> str:
    """A number with two decimals."""
    return f"{float(text):.2f}"


INTEGERS = "whole numbers, as in P.5,10"
PERSISTENCE = "a persistence, as in rbp.p=.5"
CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
RECALLS = ("0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90", "1.00")
MULTIPLES = ("0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00")
#: In the order in which trec_eval prints them.
TREC_NAMES = {
    "num_ret": TrecName("NumRet"),
    "num_rel": TrecName("NumRel"),
    "num_rel_ret": TrecName("NumRelRet"),
    "map": TrecName("AP"),
    "gm_map": TrecName("GMAP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("Bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec", number_parameter("recall"), RECALLS, format_parameter=two_digits),
    "P": TrecName("P", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "recall": TrecName("R", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "infAP": TrecName("infAP"),
    "gm_bpref": TrecName("GMBpref"),
    "Rprec_mult": TrecName("Rprec", number_parameter("mult"), MULTIPLES, format_parameter=two_digits),
    "utility": TrecName(
        "Utility", weights_parameter, comma_separated=False, expected_form="four weights, as in utility.1,-1,0,0"
    ),
    "11pt_avg": TrecName("AvgIPrec"),
    "binG": TrecName("BinG"),
    "G": TrecName("G", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"),
    "dcg": TrecName("DCG", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"),
    "ideal_dcg": TrecName(
        "IdealDCG", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"
    ),
    "ndcg": TrecName(
        "nDCG", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"
    ),
    "ndcg_rel": TrecName(
        "nDCGRel", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"
    ),
    "Rndcg": TrecName(
        "RnDCG", gains_parameter, comma_separated=False, expected_form="gains by grade, as in ndcg.1=3,2=7"
    ),
    "ndcg_cut": TrecName("nDCG", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "map_cut": TrecName("AP", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "relative_P": TrecName("RelP", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "success": TrecName(
        "Success", cutoff_parameter, ("1", "5", "10"), format_parameter=without_zeros, expected_form=INTEGERS
    ),
    "set_P": TrecName("SetP"),
    "set_relative_P": TrecName("SetRelP"),
    "set_recall": TrecName("SetR"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("SetF", number_parameter("beta"), comma_separated=False),
    "num_nonrel_judged_ret": TrecName("NumNonrelRet"),
    "yaap": TrecName("Yaap"),
    "rbp": TrecName(
        "RBP",
        persistence_parameter,
        comma_separated=False,
        expected_form=PERSISTENCE,
        fixed_parameters={"p": 0.9, "gmax": "query"},
    ),
    "rbp_resid": TrecName(
        "RBPResidual",
        persistence_parameter,
        comma_separated=False,
        expected_form=PERSISTENCE,
        fixed_parameters={"p": 0.9},
    ),
    "unj": TrecName("Unj", cutoff_parameter, ("5", "10", "20"), format_parameter=without_zeros, expected_form=INTEGERS),
}
#: Those for judgments by group (there -R qrels_jg, prefs and qrels_prefs), in the order in which it prints them.
TREC_GROUP_NAMES = {
    "prefs_num_prefs_poss": TrecName("NumPrefs"),
    "prefs_num_prefs_ful": TrecName("NumPrefsFul"),
    "prefs_num_prefs_ful_ret": TrecName("NumPrefsFul", fixed_parameters={"among": "retrieved"}),
    "prefs_simp": TrecName("Prefs"),
    "prefs_pair": TrecName("PrefsPair"),
    "prefs_avgjg": TrecName("PrefsJG"),
    "prefs_avgjg_Rnonrel": TrecName("PrefsJGR"),
    "prefs_simp_ret": TrecName("Prefs", fixed_parameters={"among": "retrieved"}),
    "prefs_pair_ret": TrecName("PrefsPair", fixed_parameters={"among": "retrieved"}),
    "prefs_avgjg_ret": TrecName("PrefsJG", fixed_parameters={"among": "retrieved"}),
    "prefs_avgjg_Rnonrel_ret": TrecName("PrefsJGR", fixed_parameters={"among": "retrieved"}),
    "prefs_simp_imp": TrecName("Prefs", fixed_parameters={"among": "implied"}),
    "prefs_pair_imp": TrecName("PrefsPair", fixed_parameters={"among": "implied"}),
    "prefs_avgjg_imp": TrecName("PrefsJG", fixed_parameters={"among": "implied"}),
    "map_avgjg": TrecName("AP_JG"),
    "P_avgjg": TrecName("P_JG", cutoff_parameter, CUTOFFS, format_parameter=without_zeros, expected_form=INTEGERS),
    "Rprec_mult_avgjg": TrecName("Rprec_JG", number_parameter("mult"), MULTIPLES, format_parameter=two_digits),
}
ALL_TREC_NAMES = {**TREC_NAMES, **TREC_GROUP_NAMES}
Defaults = Mapping[str, Mapping[str, Any]]
#: Other names of measures, in lower case; names are matched whatever their case.
ALIASES = {
    "map": "AP",
    "mrr": "RR",
    "precision": "P",
    "recall": "R",
    "judged": "Judged",
    "hit_rate": "Success",
    "hitrate": "Success",
    "f1": "F",
    "map_ia": "AP_IA",
    "α_dcg": "alpha_DCG",
    "α_ndcg": "alpha_nDCG",
}
#: Names that fields use for different measures, in lower case, and the measures that they may mean.
AMBIGUOUS_NAMES = {
    "accuracy": (
        ("Success", "1 where a relevant document is among the first, also called hit rate"),
        ("AUC", "the share of pairs in the right order, ir_measures' Accuracy"),
    )
}
#: Names that other tools use for something similar, in lower case, and ours.
SIMILAR_NAMES = {"hit": "Success", "hits": "Success", "hit_at": "Success", "hits_at": "Success"}
#: Arguments of trec_eval's -m that stand for many measures.
TREC_SETS = ("official", "all_trec")
#: A cutoff without its @, as in nDCG10; a comma that is in no parentheses.
NAME_WITH_CUTOFF = re.compile(r"(?P<name>[^\W\d][\w-]*?)[_-]?(?P<cutoff>[0-9]+)")
SEPARATOR = re.compile(r"(?:\s*,\s*|\s+)(?![^()]*\))")
GRAMMAR = re.compile(r"(?P<name>[^\W\d][\w-]*)\s*(\((?P<inner>.*)\))?\s*(@(?P<cutoff>.*))?", re.DOTALL)


def parse_measures(
    names: str | Measure | Iterable[str | Measure],
    defaults: Defaults | None = None,
    renames: Mapping[str, str] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> list[Measure]:
    """Parse the names of measures; each measure once, in order.

    Parameters
    ----------
    names
        Name or names. trec_eval's names may stand for several measures.
    defaults
        Parameters that a preset sets where the name does not, by measure.
    renames
        The measures that a preset takes for these; its names are then ours only, not trec_eval's.
    aliases
        What a preset means by names that are ambiguous elsewhere, in lower case.

    Returns
    -------
    list of Measure
        The measures.

    Raises
    ------
    UnknownName
        A measure does not exist; the nearest name is given.
    ParameterError
        A parameter is out of range or malformed.

    Examples
    --------
    >>> [str(m) for m in parse_measures(["nDCG@10", "map", "ndcg_cut.5,20", "rbp(p=0.95)"])]
    ['nDCG@10', 'AP', 'nDCG@5', 'nDCG@20', 'RBP(p=0.95)']
    """
    measures_by_name: dict[str, Measure] = {}
    for name in [names] if isinstance(names, (str, Measure)) else names:
        parsed = (
            [name] if isinstance(name, Measure) else parse_names(name, defaults or {}, renames or {}, aliases or {})
        )
        for measure in parsed:
            measures_by_name.setdefault(str(measure), measure)
    return list(measures_by_name.values())


def parse_names(text: str, defaults: Defaults, renames: Mapping[str, str], aliases: Mapping[str, str]) -> list[Measure]:
    if not isinstance(text, str):
        raise ParameterError(f"a measure is named by a string or is a Measure, not {text!r}")
    text = text.strip()
    trec_measures = None if renames else parse_trec(text, defaults)
    if trec_measures is not None:
        return trec_measures
    if text in TREC_SETS:
        raise ParameterError(
            f"{text} is a set of trec_eval's measures: `rankscope trec_eval -m {text} QRELS RUN` prints it; here each "
            "is named on its own, as in -m AP -m nDCG@10"
        )
    if text == "all":
        raise ParameterError(
            "unknown measure 'all'; name each on its own, as in -m AP -m nDCG@10; `rankscope measures` lists them"
        )
    lower_trec_name, own_name = split_trec(text.lower()), canonical(re.split(r"[(@]", text)[0])
    if lower_trec_name is not None and not renames and own_name is None and canonical(lower_trec_name[0]) is None:
        raise UnknownName("measure", text, [text.lower()])
    refuse_several(text)
    match = GRAMMAR.fullmatch(text)
    if match is None:
        stem, dot, _ = text.partition(".")
        if dot and stem.isidentifier() and not renames:
            known_names = [f"{trec_stem}.10" for trec_stem, entry in TREC_NAMES.items() if entry.comma_separated]
            raise UnknownName("measure", text, known_names)
        raise ParameterError(f"cannot read the measure {text!r}; expected a form like nDCG@10 or AP(rel=2)@100")
    written_name = match["name"].replace("-", "_")  # ndeval writes alpha-nDCG
    name = aliases.get(written_name.lower()) or canonical(written_name)
    if name is None:
        suffix = text[len(match["name"]) :]
        refuse_ambiguous(text, written_name, suffix)
        glued_match = NAME_WITH_CUTOFF.fullmatch(text)
        if glued_match is not None and (glued_name := canonical(glued_match["name"])) is not None:
            stem = glued_name if glued_name.lower() == glued_match["name"].lower() else glued_match["name"]
            raise UnknownName("measure", text, [f"{stem}@{glued_match['cutoff']}"])
        known_names = [n + suffix for n in (*MEASURES, *(t for t in ALL_TREC_NAMES if not (suffix or renames)))]
        raise UnknownName("measure", text, known_names, "; `rankscope measures` lists all")
    name = renames.get(name, name)
    parameters = parse_parameters(name, match["inner"] or "", text)
    if match["name"].lower() == "f1" and "beta" in parameters:
        raise ParameterError(f"{text}: F1 is F with beta=1; write F(beta={parameters['beta']}) for another")
    if match["cutoff"] is not None:
        at_parameter = MEASURES[name].at_parameter
        if at_parameter in parameters:
            raise ParameterError(f"{text}: the {at_parameter} is given twice; expected a form like {name}@10")
        parameters[at_parameter] = parse_after_at(text, MEASURES[name], match["cutoff"])
    return [build_measure(name, parameters, defaults)]


def refuse_ambiguous(text: str, name: str, suffix: str) -> None:
    """Raise for a name that fields use differently, and for one that another tool uses for a measure of ours.

    name: the text without its suffix, the parameters and the cutoff.
    """
    stem = name.rstrip("0123456789").rstrip("_").lower()  # hit5, hit_5
    suffix = suffix or (f"@{digits}" if (digits := name[len(name.rstrip("0123456789")) :]) else "")
    if stem in AMBIGUOUS_NAMES:
        readings = " or ".join(f"{measure}{suffix} ({reading})" for measure, reading in AMBIGUOUS_NAMES[stem])
        raise ParameterError(f"the measure {text!r} has two meanings; write {readings}")
    if stem in SIMILAR_NAMES:
        raise ParameterError(
            f"unknown measure {text!r}; did you mean {SIMILAR_NAMES[stem]}{suffix or '@10'} (hit rate)?"
        )


def refuse_several(text: str) -> None:
    """Raise for a text that names several measures, as nDCG@10,AP, or `nDCG@10 AP`, or nDCG@5,10."""
    pieces = [piece.strip() for piece in SEPARATOR.split(text)]
    if len(pieces) < 2:
        return
    first_stem, at_sign, _ = pieces[0].partition("@")
    measure_names = [f"{first_stem}@{piece}" if at_sign and piece.isdecimal() else piece for piece in pieces]
    if all(GRAMMAR.fullmatch(name) for name in measure_names):
        options = " ".join(f"-m {name}" for name in measure_names)
        raise ParameterError(f"{text}: one measure for each -m: {options} (in Python, a list of names)")


def parse_after_at(text: str, measure_class: type[Measure], value: str) -> float | str:
    """The number behind the @, or the name of a cutoff that depends on the query."""
    at_parameter = measure_class.at_parameter
    if at_parameter == "cutoff":
        if measure_class.allows_query_cutoffs and QUERY_CUTOFF.fullmatch(value):
            return value
        if not re.fullmatch(r"[0-9]{1,18}", value):
            query_forms = QUERY_CUTOFF_FORMS if measure_class.allows_query_cutoffs else ""
            raise ParameterError(f"{text}: the cutoff is {value!r}, expected a whole number as in nDCG@10{query_forms}")
        return int(value)
    if not re.fullmatch(r"[0-9]*\.?[0-9]+(e-?[0-9]+)?", value):
        raise ParameterError(f"{text}: the {at_parameter} is {value!r}, expected a number as in IPrec@0.1")
    return float(value)


def canonical(name: str) -> str | None:
    """The name as `MEASURES` spells it; None: no such measure."""
    if name in MEASURES:
        return name
    by_lower_case = {name_in_table.lower(): name_in_table for name_in_table in MEASURES}
    return ALIASES.get(name.lower()) or by_lower_case.get(name.lower())


def parse_parameters(name: str, inner: str, text: str) -> dict[str, Any]:
    """`rel=2, gain='exp'` as a dict; `dcg='exp-log2'` is ir_measures' way to say gain='exp'. text: the whole name."""
    parameters: dict[str, Any] = {}
    try:
        call = ast.parse(f"f({inner})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in parameters:
                raise ValueError
            if isinstance(keyword.value, ast.Name):
                word = keyword.value.id
                quoted = re.sub(rf"\b({keyword.arg}\s*=\s*){word}\b", rf'\1"{word}"', text)
                raise ParameterError(f"{keyword.arg}={word}: a word needs quotes: {quoted}")
            parameters[keyword.arg] = ast.literal_eval(keyword.value)
    except ParameterError:
        raise
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


def build_measure(name: str, parameters: dict[str, Any], defaults: Defaults) -> Measure:
    """The measure with these parameters. Raises for unknown and missing ones."""
    known_parameters = [f.name for f in fields(MEASURES[name])]
    for parameter in parameters:
        if parameter not in known_parameters:
            if parameter == "cutoff":
                raise ParameterError(f"{name} takes no cutoff; write {name} without @{parameters['cutoff']}")
            raise UnknownName(f"parameter of {name}", parameter, known_parameters)
    # A preset's gmax is for graded gain; with rel, gain is binary.
    preset_parameters = {
        k: v
        for k, v in defaults.get(name, {}).items()
        if k in known_parameters and not (k == "gmax" and "rel" in parameters)
    }
    # A gain in the name overrides all gains of the preset.
    if "gain" in parameters:
        preset_parameters = {k: v for k, v in preset_parameters.items() if k not in ("gains", "others")}
    if "gains" in parameters:
        preset_parameters = {k: v for k, v in preset_parameters.items() if k not in ("gain", "others")}
    arguments = {**preset_parameters, **parameters}
    for f in fields(MEASURES[name]):
        if f.name not in arguments and f.default is MISSING:
            example_value = "10" if f.name == "cutoff" else "0.1"
            example = f"{name}@{example_value}" if f.name == MEASURES[name].at_parameter else f"{name}({f.name}=...)"
            raise ParameterError(f"{name} needs a {f.name}, as in {example}")
    return MEASURES[name](**arguments)


def is_trec_name(text: str) -> bool:
    """Whether trec_eval has a measure of this name, as `ndcg_cut` or `ndcg_cut_10`."""
    return split_trec(text) is not None


def split_trec(text: str) -> tuple[str, str | None] | None:
    """A name of trec_eval and its parameters, as of `ndcg_cut.5,10` or `ndcg_cut_10`. None: no name of trec_eval."""
    if text in ALL_TREC_NAMES:
        return text, None
    stem, _, tail = text.partition(".")
    if stem in ALL_TREC_NAMES:
        return stem, tail
    # The longest name that fits: `Rprec_mult_0.20` is no `Rprec`.
    for stem in sorted(ALL_TREC_NAMES, key=len, reverse=True):
        tail = text.removeprefix(stem + "_")
        if tail not in ("", text) and ALL_TREC_NAMES[stem].parse_parameter is not None and tail[0] in "0123456789.-p":
            return stem, tail
    return None


def parse_trec(text: str, defaults: Defaults) -> list[Measure] | None:
    """A name of trec_eval: `ndcg_cut`, `ndcg_cut.5,10`, `ndcg_cut_10`. None: no name of trec_eval."""
    stem_and_tail = split_trec(text)
    return None if stem_and_tail is None else [measure for _, measure in expand_trec(*stem_and_tail, defaults)]


def expand_trec(stem: str, tail: str | None, defaults: Defaults | None = None) -> list[tuple[str, Measure]]:
    """The measures that a name of trec_eval stands for, each with the name that it is printed under."""
    entry = ALL_TREC_NAMES[stem]
    if entry.parse_parameter is None:
        if tail is not None:
            raise ParameterError(f"{stem}.{tail}: {stem} takes no parameters; write {stem}")
        return [(stem, build_measure(entry.measure_name, dict(entry.fixed_parameters), defaults or {}))]
    is_list = entry.comma_separated and (tail is not None or entry.defaults)
    parameter_texts = list(entry.defaults) if tail is None else (tail.split(",") if entry.comma_separated else [tail])
    named_measures = []
    for text in parameter_texts or (None,):
        try:
            parameters = {**entry.fixed_parameters, **(entry.parse_parameter(text) if text is not None else {})}
        except (ValueError, TypeError):
            raise ParameterError(f"{stem}.{text}: cannot read {text!r}, expected {entry.expected_form}") from None
        has_parameter = tail is not None or is_list
        printed_name = f"{stem}_{entry.format_parameter(text)}" if has_parameter and text is not None else stem
        named_measures.append((printed_name, build_measure(entry.measure_name, parameters, defaults or {})))
    return named_measures


@cache
def trec_names_by_measure() -> dict[str, str]:
    """Our name of each measure that trec_eval prints by default -> its name."""
    # The first name of a measure is its own: Rprec, not Rprec_mult_1.00.
    return {
        str(measure): printed_name
        for stem in reversed(ALL_TREC_NAMES)
        for printed_name, measure in expand_trec(stem, None)[::-1]
    }


def trec_name(measure: Measure) -> str:
    """trec_eval's name of a measure if it has one, else ours.

    >>> trec_name(parse_measures(["nDCG@10"])[0]), trec_name(parse_measures(["nDCG@7"])[0])
    ('ndcg_cut_10', 'ndcg_cut_7')
    """
    if getattr(measure, "rounding", "half_up") != "half_up":
        measure = replace(measure, rounding="half_up")  # type: ignore[call-arg]  # both versions of trec_eval have one name for it
    if str(measure) in trec_names_by_measure():
        return trec_names_by_measure()[str(measure)]
    value = getattr(measure, measure.at_parameter, None)
    for stem, entry in ALL_TREC_NAMES.items():
        if (
            entry.measure_name == measure.name
            and entry.comma_separated
            and entry.parse_parameter is not None
            and isinstance(value, (int, float))
        ):
            printed_name, trec_measure = expand_trec(stem, str(value))[0]
            if trec_measure == measure:
                return printed_name
    return str(measure)


def parse_measure(name: str | Measure) -> Measure:
    """Parse the name of one measure.

    Parameters
    ----------
    name
        Name with parameters, as "nDCG@10" or "RBP(p=0.9)"; a measure is returned as it is.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    UnknownName
        The measure does not exist; the nearest name is given.
    ParameterError
        A parameter is out of range or malformed, or the name stands for several measures.

    Examples
    --------
    >>> str(parse_measure("nDCG(dcg='exp-log2')@10"))
    "nDCG(gain='exp')@10"
    """
    measures = parse_measures([name])
    if len(measures) != 1:
        raise ParameterError(
            f"{name!r} stands for {len(measures)} measures ({', '.join(map(str, measures))}); name one of them"
        )
    return measures[0]
