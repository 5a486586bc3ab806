"""The lists of chunks of the demo: what they hold, and which retriever is better."""

import json

import pytest

from rankscope import evaluate
from rankscope.demo.chunk_lists import DEPTH, GOLD, QUESTIONS, chunk_list_files


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_same_seed_writes_the_same_lists_and_another_seed_others():
    assert chunk_list_files(3) == chunk_list_files(3)
    assert chunk_list_files(3) != chunk_list_files(4)


@pytest.mark.parametrize("seed", [2003, 1])
def test_the_new_retriever_finds_more_gold_documents(tmp_path, seed):
    paths = {name: tmp_path / name for name in chunk_list_files(seed)}
    for name, text in chunk_list_files(seed).items():
        paths[name].write_text(text)
    gold, *runs = paths.values()
    assert all(GOLD[0] <= len(record["gold_ids"]) <= GOLD[1] for record in records(gold.read_text()))
    for run in runs:
        lists = [record["retrieved_ids"] for record in records(run.read_text())]
        assert [len(set(ids)) for ids in lists] == [DEPTH] * QUESTIONS
        assert any(len({chunk.split("#")[0] for chunk in ids}) < DEPTH for ids in lists)
    old, new = evaluate(gold, runs, ["R@5"], doc_of="^([^#]+)").values.mean(axis=(1, 2))
    assert 0.2 < old + 0.02 < new < 0.9
