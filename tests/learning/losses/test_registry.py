"""Losses by name."""

import copy
import pickle

import numpy as np
import pytest
from helpers.same import assert_same_bits

from rankscope.errors import ParameterError, UnknownName
from rankscope.learning import LOSSES
from rankscope.learning.losses import Loss, parse_loss


def test_a_name_comes_back_as_it_was_given():
    for text in ("listnet", "listmle(ties='efron', k=3)", "lambdaloss(kind='2', mu=5.0)"):
        assert str(parse_loss(text)) == text
        assert str(parse_loss(f"  {text} ")) == text
    assert parse_loss("ListNet()").name == "listnet"


@pytest.mark.parametrize("name", LOSSES)
def test_every_name_is_a_loss_that_can_be_sent_to_other_processes(name):
    loss = parse_loss(name)
    lists = np.array([0.1, 0.2]), np.array([0, 1]), np.array([0, 2])
    for other in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
        assert_same_bits(other(*lists, rng=1)[0], loss(*lists, rng=1)[0])


def test_who_draws_is_told():
    drawing = {"listmle", "listnet(k=2)", "listmle(k=3)"}
    names = [*LOSSES, "listnet(k=2)", "listnet(k=1)", "listmle(k=3)", "listmle(ties='efron')"]
    assert {name for name in names if parse_loss(name).random} == drawing


def test_whose_gradient_is_not_that_of_the_value_is_told():
    assert {name for name in LOSSES if not parse_loss(name).has_exact_gradient} == {"lambdarank", "lambdaloss"}


@pytest.mark.parametrize("text", ["listnett", "ranknt(sigma=2)"])
def test_a_misspelt_loss_is_refused_with_the_right_one(text):
    with pytest.raises(UnknownName, match=r"did you mean (listnet|ranknet)\?"):
        parse_loss(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("listnet(", "loss 'listnet\\("),
        ("ranknet(1)", "cannot read the parameters"),
        ("ranknet(weights=gains)", "a word needs quotes"),
        ("ranknet(weights='all')", "weights is 'all', .*'equal', 'grades', 'gains'"),
        ("ranknet(sigma=-1)", "sigma is -1, .*0"),
        ("ranknet(sigma='a')", "sigma is 'a', .*0"),
        ("ranksvm(margin=0)", "margin is 0, .*above 0"),
        ("listmle(ties='all')", "ties is 'all', .*'random', 'efron', 'breslow'"),
        ("listmle(stages=2)", "stages is 2, .*'equal', 'position'"),
        ("listmle(k=2.5)", "k is 2.5, .*1"),
        ("softmax_cross_entropy(gain=['exp'])", r"gain is \['exp'\], .*'linear', 'exp'"),
        ("neuralndcg(rounds=0.5)", "rounds is 0.5, .*least 0"),
        ("lambdaloss(mu='x')", "mu is 'x', .*0"),
        ("lambdarank(measure='Bpref')", "Bpref: .*closed form"),
    ],
)
def test_bad_parameters_are_refused_before_anything_is_trained(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_loss(text)


@pytest.mark.parametrize("text", ["listnet(kk=2)", "ordinal(max_grade=3)", "listmle(rng=1)"])
def test_parameters_that_there_are_not_are_refused(text):
    with pytest.raises(UnknownName, match="unknown parameter of "):
        parse_loss(text)


def test_what_is_no_text_is_refused():
    with pytest.raises(ParameterError, match=r"loss 3\b"):
        parse_loss(3)
    with pytest.raises(UnknownName, match="unknown loss 'none'"):
        Loss("none")


def test_ordinal_refuses_a_grade_above_the_highest():
    with pytest.raises(ParameterError, match=r"grade 4, .*max_grade is 3"):
        parse_loss("ordinal")(np.zeros(2), np.array([4, 0]), np.array([0, 2]), max_grade=3)
