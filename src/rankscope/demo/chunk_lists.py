"""The demo's lists of ids: gold documents of questions, and the chunks that two retrievers found for them.

Every document has some chunks, called as the document with `#` and a number. A retriever scores each chunk: the chunk
that answers the question is far above the others of a gold document, which are a little above those of other documents.
"""

from __future__ import annotations

import json

import numpy as np

__all__ = [
    "chunk_list_files",
]


QUESTIONS = 60
DOCUMENTS = 40  # that a retriever considers for a question
CHUNKS = 4  # of each document
GOLD = (1, 3)  # fewest and most gold documents of a question
DEPTH = 10  # of every list
#: The retrievers, and how well each sees the chunk that answers the question.
RETRIEVERS = {"old": 1.6, "new": 2.2}
#: How much higher the other chunks of gold documents score.
TOPIC = 0.7


def chunk_list_files(seed: int) -> dict[str, str]:
    """demo-rag-gold.jsonl, a line with the gold ids of each question; demo-rag-old.jsonl and demo-rag-new.jsonl, a line
    with the ids of the chunks that the retriever found.
    """
    rng = np.random.default_rng([seed, 32])  # a stream of its own
    lines: dict[str, list[str]] = {name: [] for name in ("gold", *RETRIEVERS)}
    for number in range(1, QUESTIONS + 1):
        documents = np.sort(rng.choice(np.arange(100, 1000), DOCUMENTS, replace=False))
        gold = rng.choice(DOCUMENTS, rng.integers(*GOLD, endpoint=True), replace=False)
        question = {"question_id": f"q{number:02d}"}
        lines["gold"].append(json.dumps({**question, "gold_ids": [f"doc{d}" for d in np.sort(documents[gold])]}))
        answers = rng.integers(CHUNKS, size=gold.size)
        shared = rng.normal(size=(DOCUMENTS, CHUNKS))  # what both retrievers see
        for name, strength in RETRIEVERS.items():
            scores = shared + 0.6 * rng.normal(size=shared.shape)
            scores[gold] += TOPIC
            scores[gold, answers] += strength - TOPIC
            best = np.argsort(-scores, axis=None)[:DEPTH]
            chunks = [f"doc{documents[i // CHUNKS]}#{i % CHUNKS + 1}" for i in best.tolist()]
            lines[name].append(json.dumps({**question, "retrieved_ids": chunks}))
    return {f"demo-rag-{name}.jsonl": "\n".join(file_lines) + "\n" for name, file_lines in lines.items()}
