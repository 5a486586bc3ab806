"""The table of ranks of the demo is what its page says."""

import numpy as np
import pytest

from rankscope import evaluate, read_entity_ranks
from rankscope.demo.rankings import N_AUTHORS, N_KNOWN_AUTHORS, RANKING_METHODS, entity_files
from rankscope.kernels.order import mean_ranks


@pytest.fixture(scope="module", params=[2003, 1, 2])
def table(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("entities") / "demo-ranks.tsv"
    path.write_text(entity_files(request.param)["demo-ranks.tsv"])
    return read_entity_ranks(path, total_ranks=N_AUTHORS)


def test_the_same_seed_writes_the_same_table_and_another_seed_another():
    assert entity_files(3) == entity_files(3)
    assert entity_files(3) != entity_files(4)


def test_two_hundred_authors_are_known_of_all_that_were_ranked(table):
    assert table.ranks.shape == (len(RANKING_METHODS), N_KNOWN_AUTHORS) == (5, 200)
    assert table.systems == tuple(RANKING_METHODS)
    assert table.ranks.min() >= 1
    assert table.ranks.max() <= N_AUTHORS


def test_only_the_way_that_counts_in_whole_numbers_ties(table):
    tied = [len(np.unique(ranks)) < N_KNOWN_AUTHORS or bool((ranks % 1).any()) for ranks in table.ranks]
    assert [name for name, has in zip(RANKING_METHODS, tied, strict=True) if has] == ["h-index"]
    of_columns, of_ties = table.notes
    assert "5 columns read as systems" in of_columns
    assert "(h-index " in of_ties


def test_the_ways_come_out_in_the_order_in_which_they_were_made(table):
    found = evaluate(table, measures=["AP"]).summary("AP").tolist()
    assert found == sorted(found, reverse=True)


def test_tied_authors_have_the_mean_of_their_ranks():
    # 9 is the first; both of 7 share ranks 2 and 3; the three of 1 share ranks 4 to 6
    assert mean_ranks(np.array([1.0, 7.0, 9.0, 1.0, 7.0, 1.0])).tolist() == [5.0, 2.5, 1.0, 5.0, 2.5, 5.0]
