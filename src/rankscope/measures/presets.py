"""Presets: the conventions of reference tools, by the name of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankscope.errors import UnknownName

__all__ = [
    "PRESETS",
    "Preset",
    "find_preset",
]


@dataclass(frozen=True, kw_only=True)
class Preset:
    """The defaults of a reference tool.

    Attributes
    ----------
    tool
        The tool, in words.
    conventions
        The settings of an evaluation that it fills if the user sets none: ties and no_relevant; see `evaluate`.
    precision
        The precision in which it compares scores.
    highest_grade
        Highest grade that it knows.
    least_rank
        Lowest rank that it takes in a table of ranks.
    has_all_measures
        Whether it is a convention of every measure, not only of those that it names.
    measures
        Measures that it prints by default.
    parameters
        By measure, the parameters that its names imply.
    renames
        What it computes when these measures are requested, under names of their own.
    aliases
        What it means by names that are ambiguous elsewhere, in lower case.
    tied_order
        How it orders documents with equal scores where no tie rule here does, in words.
    """

    tool: str
    conventions: Mapping[str, str] = field(default_factory=dict)
    precision: str = "float64"
    highest_grade: int | None = None
    least_rank: float = 1.0
    has_all_measures: bool = False
    measures: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    renames: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    tied_order: str = ""


#: What `trec_eval -m official` prints, but for runid and num_q, which are no measures.
OFFICIAL = (
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
)
#: Its defaults where ours are others.
TREC_EVAL: Mapping[str, Mapping[str, Any]] = {"RBP": {"p": 0.9, "gmax": "query"}, "RBPResidual": {"p": 0.9}}
#: LETOR's scripts: gain 2^grade - 1, no discount before rank 2, ideal and average precision of the listed documents.
LETOR: Mapping[str, Mapping[str, Any]] = {
    "nDCG": {"gains": {1: 1, 2: 3}, "discount": "jk", "ideal": "listed", "short": "zero"},
    "DCG": {"gains": {1: 1, 2: 3}, "discount": "jk"},
    "AP": {"norm": "found"},
}
#: In those of MSLR grades go up to 4, and 1 is not relevant.
MSLR = {
    **{name: {**LETOR[name], "gains": {1: 1, 2: 3, 3: 7, 4: 15}} for name in ("nDCG", "DCG")},
    "AP": {"norm": "found", "rel": 2},
    "P": {"rel": 2},
}
#: What most learners report: exponential gain, and a query without relevant documents counts as 1.
LEARNERS: Mapping[str, Mapping[str, Any]] = {"nDCG": {"gain": "exp", "ideal": "listed"}}
#: What takes relevant documents as a set: nothing but their number counts.
SETS: Mapping[str, Mapping[str, Any]] = {"nDCG": {"gain": "binary"}, "RR": {}, "R": {}, "Success": {}}
#: A list that ends before the cutoff is judged by the documents that it has.
SHORT_LISTS: Mapping[str, Any] = {"short": "listed"}
#: Version 9 asks for trunc(x R + .9) relevant documents at recall x.
TREC_EVAL_9 = {**TREC_EVAL, "IPrec": {"rounding": "plus_point_nine"}, "AvgIPrec": {"rounding": "plus_point_nine"}}
PRESETS = {
    "trec_eval": Preset(
        tool="trec_eval 10.0: scores compared as float64",
        has_all_measures=True,
        measures=OFFICIAL,
        parameters=TREC_EVAL,
    ),
    "trec_eval-9": Preset(
        tool="trec_eval 9.0.8 and pytrec_eval: scores compared as float32, recall rounded its way",
        precision="float32",
        has_all_measures=True,
        measures=OFFICIAL,
        parameters=TREC_EVAL_9,
    ),
    "gdeval": Preset(
        tool="gdeval.pl of the TREC Web Track: nDCG with exponential gain, ERR with grades up to 4, and only topics "
        "with relevant documents",
        conventions={"no_relevant": "drop"},
        measures=("nDCG@20", "ERR@20"),
        parameters={"nDCG": {"gain": "exp"}, "DCG": {"gain": "exp"}, "ERR": {"gmax": 4}},
    ),
    "ir_measures": Preset(
        tool="ir_measures 0.4: scores compared and recall rounded as by pytrec_eval, ERR with grades up to 4",
        precision="float32",
        measures=("nDCG@10", "AP", "RR", "P@10", "R@100"),
        parameters={"ERR": {"gmax": 4}, "IPrec": TREC_EVAL_9["IPrec"]},
        aliases={"accuracy": "AUC"},
    ),
    **{
        name: Preset(
            tool=tool,
            conventions={"ties": "file"},
            highest_grade=highest_grade,
            measures=("P@10", "AP", "nDCG@10"),
            parameters=parameters,
        )
        for name, tool, highest_grade, parameters in (
            (
                "letor3",
                "Eval-Score-3.0.pl of LETOR 3.0: grades up to 2, ties in file order, listed ideal",
                2,
                LETOR,
            ),
            ("letor4", "Eval-Score-4.0.pl of LETOR 4.0: as letor3", 2, LETOR),
            (
                "mslr",
                "the script of MSLR-WEB: as letor4, grades up to 4, of which 1 is not relevant for P and AP",
                4,
                MSLR,
            ),
        )
    },
    "letor-filled": Preset(
        tool="LETOR's gain, discount and ideal, but short lists filled up with documents that are not relevant",
        conventions={"ties": "file"},
        measures=("nDCG@10",),
        parameters={"nDCG": {"gain": "exp", "discount": "jk", "ideal": "listed"}},
    ),
    "burges": Preset(
        tool="nDCG of Burges et al. (2005): exponential gain, log2(rank + 1)",
        measures=("nDCG@10",),
        parameters={"nDCG": {"gain": "exp"}, "DCG": {"gain": "exp"}},
    ),
    **{
        name: Preset(
            tool=tool,
            conventions={"ties": "file", "no_relevant": "one"},
            measures=("nDCG@10",),
            parameters=LEARNERS,
        )
        for name, tool in (
            ("lightgbm", "LightGBM's metric ndcg: exponential gain, 1 for a query without relevant documents"),
            ("xgboost", "XGBoost's metric ndcg: as lightgbm"),
            ("allrank", "allRank's ndcg: as lightgbm"),
        )
    },
    "catboost": Preset(
        tool="CatBoost's metric NDCG: 1 for a query without relevant documents; it counts ties against the ranker",
        conventions={"ties": "file", "no_relevant": "one"},
        measures=("nDCG@10",),
        parameters={"nDCG": {"ideal": "listed"}},
        tied_order="the least relevant first",
    ),
    "tensorflow-ranking": Preset(
        tool="TensorFlow Ranking 0.5: exponential gain, ideal of the listed documents, precision of short lists; it "
        "breaks ties at random",
        conventions={"ties": "file"},
        measures=("nDCG@10", "RR", "AP", "P@10"),
        parameters={"nDCG": LEARNERS["nDCG"], "P": SHORT_LISTS, "RR": {}, "AP": {}, "R": {}},
        tied_order="at random",
    ),
    "torchmetrics": Preset(
        tool="torchmetrics 1.9: nDCG as scikit-learn's, AP of the documents found; its AP and RR take scores up to 0 "
        "for not retrieved",
        conventions={"ties": "average"},
        measures=("nDCG@10", "AP", "RR", "P@10"),
        parameters={"nDCG": {"ideal": "listed"}, "AP": {"norm": "found"}, "RR": {}, "P": {}, "R": {}},
    ),
    "recbole": Preset(
        tool="RecBole 1.2: binary gain, AP divided by the lesser of k and the number of relevant items",
        conventions={"ties": "file"},
        measures=("nDCG@10", "RR@10", "R@10", "P@10", "Success@10"),
        parameters={**SETS, "AP": {"norm": "min"}, "P": {}},
    ),
    "sentence-transformers": Preset(
        tool="sentence-transformers' InformationRetrievalEvaluator: binary gain, AP divided by the lesser of k and the "
        "number of relevant documents; it breaks ties by rising id",
        measures=("nDCG@10", "RR@10", "AP@100", "P@10", "R@10", "Success@10"),
        parameters={**SETS, "AP": {"norm": "min"}, "P": {}},
        tied_order="by rising id",
    ),
    **{
        name: Preset(
            tool=tool,
            precision="float32",
            measures=("nDCG@10", "AP@10", "R@10", "P@10"),
            parameters={"nDCG": {}, "AP": {}, "R": {}, "P": {}, "RR": {}},
        )
        for name, tool in (
            ("mteb", "MTEB: measures of pytrec_eval"),
            ("beir", "BEIR: measures of pytrec_eval; it leaves out documents whose id is that of the query"),
        )
    },
    "mlflow": Preset(
        tool="MLflow's retrieval metrics: binary gain, an ideal as long as the list, precision of short lists; a "
        "document retrieved twice counts twice",
        conventions={"ties": "file"},
        measures=("nDCG@3", "P@3", "R@3"),
        parameters={"nDCG": {"gain": "binary", "ideal": "retrieved"}, "P": SHORT_LISTS, "R": {}},
    ),
    "llama_index": Preset(
        tool="LlamaIndex's retrieval metrics: binary gain, an ideal that is not cut at k, precision of short lists; a "
        "document retrieved twice lifts nDCG above 1",
        conventions={"ties": "file"},
        measures=("Success@10", "RR@10", "P@10", "R@10", "AP@10", "nDCG@10"),
        parameters={**SETS, "nDCG": {"gain": "binary", "ideal": "whole"}, "P": SHORT_LISTS, "AP": {}},
    ),
    "haystack": Preset(
        tool="Haystack's evaluators of documents: an ideal that is not cut at k",
        conventions={"ties": "file"},
        measures=("nDCG@10", "RR@10", "AP@10", "R@10"),
        parameters={**SETS, "nDCG": {"ideal": "whole"}, "AP": {}},
    ),
    "ragas": Preset(
        tool="Ragas' context precision and recall by ids, and the average precision of the contexts found",
        conventions={"ties": "file"},
        measures=("P@10", "R@10", "AP@10"),
        parameters={"P": SHORT_LISTS, "R": {}, "AP": {"norm": "found"}},
    ),
    **{
        name: Preset(
            tool=f"{tool}'s _rank_eval: exponential gain, an ideal as long as the list, precision of short lists",
            conventions={"ties": "file"},
            measures=("nDCG@10", "RR@10", "P@10", "R@10"),
            parameters={
                "nDCG": {"gain": "exp", "ideal": "retrieved"},
                "DCG": {"gain": "exp"},
                "P": SHORT_LISTS,
                "R": {},
                "RR": {},
            },
        )
        for name, tool in (("elasticsearch", "Elasticsearch"), ("opensearch", "OpenSearch"))
    },
    "sklearn": Preset(
        tool="scikit-learn's ndcg_score and dcg_score: tied documents averaged, ideal of the listed documents",
        conventions={"ties": "average"},
        measures=("nDCG@10",),
        parameters={"nDCG": {"ideal": "listed"}, "DCG": {}},
    ),
    "ranx": Preset(
        tool="ranx 0.3: rbp of the grades themselves is compat.ranx alone",
        measures=("nDCG@10", "AP", "RR"),
        parameters={"nDCG": {}, "DCG": {}, "AP": {}},
    ),
    "dunaiski": Preset(
        tool="Dunaiski's tool for ranks of known entities, commit 616db4e: its definitions as coded, defects included",
        least_rank=0.0,
        measures=("MeanRank", "MedianRank", "P@10", "R@10", "AP", "nDCG", "PRAUC"),
        renames={
            "nDCG": "DunaiskiNDCG",
            **{m: f"Dunaiski{m}" for m in ("P", "R", "AP", "IAP", "PRAUC", "AUC", "APIntervals", "AUCIntervals")},
        },
    ),
}


def find_preset(name: str) -> Preset:
    """Raises UnknownName, with the nearest name."""
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownName("preset", str(name), PRESETS)
    return PRESETS[name]
