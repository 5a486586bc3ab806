"""Records what the metrics of frameworks give: `python record.py`, where the packages are installed.

Those that are not installed keep what was recorded before. Writes recorded.json: for each preset the version of the
package, and for each measure the value of each query at a cutoff of 5, in the order of `CASES`.
"""

import json
import math
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("recorded.json")
K = 5


def made(seed, n, listed, relevant):
    """A query: grades by document, and the list, best first."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(n)]
    grades = {d: int(rng.integers(1, 4)) if i < relevant else 0 for i, d in enumerate(documents)}
    return grades, [documents[i] for i in rng.permutation(n)[:listed]]


CASES = [
    made(1, 12, 12, 4),
    made(2, 12, 2, 3),
    made(3, 20, 9, 8),
    made(4, 9, 5, 1),
    made(5, 6, 3, 6),
    ({"a": 2, "b": 0}, ["b"]),
    ({"a": 1}, ["a"]),
    ({"a": 3, "b": 2, "c": 1, "d": 0}, ["d", "c", "a", "b"]),
]


def relevant_of(grades):
    return {d for d, grade in grades.items() if grade > 0}


def mlflow():
    import pandas as pd
    from mlflow.metrics.metric_definitions import _ndcg_at_k_eval_fn, _precision_at_k_eval_fn, _recall_at_k_eval_fn

    lists = pd.Series([retrieved for _, retrieved in CASES])
    targets = pd.Series([sorted(relevant_of(grades)) for grades, _ in CASES])
    makers = {"nDCG": _ndcg_at_k_eval_fn, "P": _precision_at_k_eval_fn, "R": _recall_at_k_eval_fn}
    return {f"{name}@{K}": list(map(float, make(K)(lists, targets).scores)) for name, make in makers.items()}


def haystack():
    from haystack import Document
    from haystack.components.evaluators import (
        DocumentMAPEvaluator,
        DocumentMRREvaluator,
        DocumentNDCGEvaluator,
        DocumentRecallEvaluator,
    )

    truth = [[Document(content=d, score=float(grades[d])) for d in sorted(relevant_of(grades))] for grades, _ in CASES]
    lists = [[Document(content=d) for d in retrieved[:K]] for _, retrieved in CASES]
    makers = {
        "nDCG": DocumentNDCGEvaluator(),
        "AP": DocumentMAPEvaluator(),
        "RR": DocumentMRREvaluator(),
        "R": DocumentRecallEvaluator(mode="multi_hit"),
        "Success": DocumentRecallEvaluator(mode="single_hit"),
    }
    return {
        f"{name}@{K}": list(map(float, made_.run(truth, lists)["individual_scores"])) for name, made_ in makers.items()
    }


def llama_index():
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    names = {"nDCG": "ndcg", "AP": "ap", "RR": "mrr", "P": "precision", "R": "recall", "Success": "hit_rate"}
    return {
        f"{name}@{K}": [
            float(
                METRIC_REGISTRY[theirs]()
                .compute(expected_ids=sorted(relevant_of(grades)), retrieved_ids=retrieved[:K])
                .score
            )
            for grades, retrieved in CASES
        ]
        for name, theirs in names.items()
    }


def torchmetrics():
    import torch
    from torchmetrics.functional import retrieval as functions

    calls = {
        f"nDCG@{K}": (functions.retrieval_normalized_dcg, {"top_k": K}),
        "AP": (functions.retrieval_average_precision, {}),
        f"RR@{K}": (functions.retrieval_reciprocal_rank, {"top_k": K}),
        f"P@{K}": (functions.retrieval_precision, {"top_k": K}),
        f"R@{K}": (functions.retrieval_recall, {"top_k": K}),
    }
    values = {name: [] for name in calls}
    for grades, retrieved in CASES:
        scores = torch.arange(len(retrieved), 0, -1, dtype=torch.float32)
        relevance = torch.tensor([grades[d] for d in retrieved])
        for name, (call, options) in calls.items():
            target = relevance if name.startswith("nDCG") else relevance > 0
            values[name].append(float(call(scores, target, **options)))
    return values


def ragas():
    import asyncio
    import sys
    from types import ModuleType

    missing = ModuleType("langchain_community.chat_models.vertexai")  # newer releases of langchain lack it
    missing.ChatVertexAI = object
    sys.modules.setdefault(missing.__name__, missing)

    from ragas import SingleTurnSample
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference, Verification

    precision, recall = IDBasedContextPrecision(), IDBasedContextRecall()
    values = {f"P@{K}": [], f"R@{K}": [], f"AP@{K}": []}
    for grades, retrieved in CASES:
        relevant = relevant_of(grades)
        sample = SingleTurnSample(retrieved_context_ids=retrieved[:K], reference_context_ids=sorted(relevant))
        values[f"P@{K}"].append(float(asyncio.run(precision.single_turn_ascore(sample))))
        values[f"R@{K}"].append(float(asyncio.run(recall.single_turn_ascore(sample))))
        verdicts = [Verification(reason="", verdict=int(d in relevant)) for d in retrieved[:K]]
        average = LLMContextPrecisionWithReference._calculate_average_precision
        values[f"AP@{K}"].append(float(average(None, verdicts)))
    return values


def sentence_transformers():
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    values = {f"{name}@{K}": [] for name in ("nDCG", "AP", "RR", "P", "R", "Success")}
    names = {"nDCG": "ndcg", "AP": "map", "RR": "mrr", "P": "precision", "R": "recall", "Success": "accuracy"}
    for grades, retrieved in CASES:
        evaluator = InformationRetrievalEvaluator(
            {"q": ""},
            dict.fromkeys(grades, ""),
            {"q": relevant_of(grades)},
            **{f"{name}_at_k": [K] for name in ("mrr", "ndcg", "accuracy", "precision_recall", "map")},
        )
        hits = [{"corpus_id": d, "score": 1.0 - rank / 100} for rank, d in enumerate(retrieved)]
        computed = evaluator.compute_metrics([hits])
        for name, theirs in names.items():
            values[f"{name}@{K}"].append(float(computed[f"{theirs}@k"][K]))
    return values


def recbole():
    setattr(np, "float", float)  # noqa: B010 - its last release is older than NumPy 1.24
    from recbole.evaluator import metrics

    config = {"topk": [K], "metric_decimal_place": 12}
    names = {"nDCG": "NDCG", "AP": "MAP", "RR": "MRR", "P": "Precision", "R": "Recall", "Success": "Hit"}
    hits = np.zeros((len(CASES), K), bool)
    for i, (grades, retrieved) in enumerate(CASES):
        hits[i, : len(retrieved)] = [grades[d] > 0 for d in retrieved[:K]]
    n_relevant = np.array([len(relevant_of(grades)) for grades, _ in CASES])
    values = {}
    for name, theirs in names.items():
        metric = getattr(metrics, theirs)(config)
        result = metric.metric_info(hits, n_relevant) if name in ("nDCG", "AP", "R") else metric.metric_info(hits)
        values[f"{name}@{K}"] = list(map(float, result[:, -1]))
    return values


def tensorflow_ranking():
    import sys
    from importlib.util import find_spec
    from types import ModuleType

    import tensorflow as tf

    for name in ("tensorflow_ranking", "tensorflow_ranking.python"):  # whose imports newer releases of TensorFlow lack
        module = ModuleType(name)
        module.__path__ = list(find_spec(name).submodule_search_locations)
        sys.modules[name] = module
    from tensorflow_ranking.python import metrics_impl

    makers = {
        f"nDCG@{K}": metrics_impl.NDCGMetric("", K),
        "AP": metrics_impl.MeanAveragePrecisionMetric("", None),
        f"RR@{K}": metrics_impl.MRRMetric("", K),
        f"P@{K}": metrics_impl.PrecisionMetric("", K),
        f"R@{K}": metrics_impl.RecallMetric("", K),
    }
    values = {name: [] for name in makers}
    for grades, retrieved in CASES:
        labels = tf.constant([[float(grades[d]) for d in retrieved]])
        scores = tf.constant([[float(len(retrieved) - i) for i in range(len(retrieved))]])
        for name, metric in makers.items():
            values[name].append(float(metric.compute(labels, scores, None, tf.ones_like(labels, tf.bool))[0][0, 0]))
    return values


def catboost():
    from catboost.utils import eval_metric

    values = []
    for grades, retrieved in CASES:
        labels = [grades[d] for d in retrieved]
        scores = [float(-i) for i in range(len(retrieved))]
        values += eval_metric(labels, scores, f"NDCG:top={K};type=Base", group_id=[0] * len(labels))
    return {f"nDCG@{K}": values}


def beir():
    from beir.retrieval.evaluation import EvaluateRetrieval

    names = {"nDCG": "NDCG", "AP": "MAP", "R": "Recall", "P": "P"}
    values = {f"{name}@{K}": [] for name in names}
    for grades, retrieved in CASES:
        run = {d: 1.0 - rank / 100 for rank, d in enumerate(retrieved)}
        computed = EvaluateRetrieval.evaluate({"q": grades}, {"q": run}, [K])
        for (name, theirs), result in zip(names.items(), computed, strict=True):
            values[f"{name}@{K}"].append(float(result[f"{theirs}@{K}"]))
    return values


def mteb():
    from mteb._evaluators.retrieval_metrics import mrr

    runs = {str(i): {d: 1.0 - rank / 100 for rank, d in enumerate(run)} for i, (_, run) in enumerate(CASES)}
    return {f"RR@{K}": mrr({str(i): grades for i, (grades, _) in enumerate(CASES)}, runs, [K])[f"MRR@{K}"]}


#: Preset -> package and recorder.
RECORDERS = {
    "mlflow": ("mlflow-skinny", mlflow),
    "haystack": ("haystack-ai", haystack),
    "llama_index": ("llama-index-core", llama_index),
    "torchmetrics": ("torchmetrics", torchmetrics),
    "ragas": ("ragas", ragas),
    "sentence-transformers": ("sentence-transformers", sentence_transformers),
    "recbole": ("recbole", recbole),
    "tensorflow-ranking": ("tensorflow-ranking", tensorflow_ranking),
    "catboost": ("catboost", catboost),
    "beir": ("beir", beir),
    "mteb": ("mteb", mteb),
}


def main():
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    recorded["cases"] = [[grades, retrieved] for grades, retrieved in CASES]
    for preset, (package, record) in RECORDERS.items():
        try:
            values = record()
        except (ImportError, PackageNotFoundError) as error:
            print(f"{preset}: {error}")  # noqa: T201
            continue
        assert all(len(row) == len(CASES) and not any(map(math.isnan, row)) for row in values.values())
        recorded[preset] = {"package": f"{package} {version(package)}", "values": values}
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
