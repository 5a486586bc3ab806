"""The made-up translations of the demo are what their module says."""

import csv
import io

import numpy as np
import pytest

from rankscope.demo.translations import (
    FOLDER,
    JUDGES,
    PARALLEL_SENTENCES,
    SEGMENTS,
    TRANSLATORS,
    invented_words,
    sentence,
    source_of,
    translate,
    translation_files,
)

PLAIN = f"{FOLDER}/wmt12/plain"


def test_the_same_seed_writes_the_same_files_and_another_seed_others():
    assert translation_files(3) == translation_files(3)
    assert translation_files(3) != translation_files(4)


def test_every_text_has_a_line_a_segment():
    files = translation_files(2003)
    for name, text in files.items():
        if "plain" in name:
            assert text.count("\n") == SEGMENTS, name
        elif "mt-train" in name:
            assert text.count("\n") == PARALLEL_SENTENCES, name
    outputs = [name.rpartition(".")[2] for name in files if "system-outputs" in name]
    assert outputs == list(TRANSLATORS)


def test_two_people_rank_all_five_outputs_and_worse_systems_stand_behind_better_ones():
    rows = list(csv.DictReader(io.StringIO(translation_files(2003)[f"{FOLDER}/wmt12/wmt12.RNK_results.csv"])))
    assert len(rows) == SEGMENTS * len(JUDGES)
    ranks = {name: [] for name in TRANSLATORS}
    for row in rows:
        for k in range(1, 6):
            ranks[row[f"system{k}Id"]].append(int(row[f"system{k}rank"]))
    means = [np.mean(found) for found in ranks.values()]
    assert means == sorted(means)
    assert {rank for found in ranks.values() for rank in found} == {1, 2, 3, 4, 5}


def test_a_source_has_the_words_of_its_reference_the_adjective_behind_its_noun():
    words = invented_words(np.random.default_rng(1))
    assert len(set(words.values())) == len(words)
    back = {other: word for word, other in words.items()}
    made = [back[word] for word in source_of(["the", "small", "house", "sees", "a", "quiet", "river", "."], words)]
    assert made == ["the", "house", "small", "sees", "a", "river", "quiet", "."]


@pytest.mark.parametrize("seed", range(5))
def test_a_system_without_errors_writes_the_reference_and_one_full_of_them_does_not(seed):
    rng = np.random.default_rng(seed)
    words, reference = invented_words(rng), sentence(rng)
    assert translate(reference, 0.0, words, rng) == (reference, 0.0)
    output, harm = translate(reference, 1.0, words, rng)
    assert output != reference
    assert harm >= 0.4 * (len(reference) - 1)
    assert output[-1] == "."
