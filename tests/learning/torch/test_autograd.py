"""Losses through PyTorch's autograd: gradients against a direct writing, forms, types, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.losses import LOOPED, TABLE, TOP, called, random_lists, texts
from helpers.same import assert_same_bits, assert_same_numbers

from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.learning import LOSSES

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed: pip install 'rankscope[torch]'")

from learning.losses.test_autograd import TENSORS  # noqa: E402 - it asks for PyTorch

from rankscope.learning.torch import TorchLoss, loss  # noqa: E402 - the same

SCORES, GRADES, OFFSETS = random_lists(21, (1, 3, 6, 4))
LENGTHS = np.diff(OFFSETS)
MASK = np.arange(LENGTHS.max()) < LENGTHS[:, None]


def table_of(values, empty=0):
    table = np.full(MASK.shape, empty, values.dtype)
    table[MASK] = values
    return table


def direct(entry):
    """Value and gradient by autograd through the formula in loops."""
    leaf = torch.tensor(SCORES, dtype=torch.float64, requires_grad=True)
    parts = [entry.by_loops(list(leaf[a:b]), GRADES[a:b].tolist(), TENSORS) for a, b in pairwise(OFFSETS)]
    value = sum(parts) / len(parts)
    value.backward()
    return float(value.detach()), leaf.grad.numpy()


def through(one, scores=SCORES, grades=GRADES, offsets=OFFSETS, dtype=torch.float64, **more):
    """Value and gradient through the bridge, this times 3."""
    leaf = torch.as_tensor(scores).detach().to(dtype).requires_grad_()
    value = one(leaf, grades, offsets, **more)
    (3.0 * value).backward()
    return value.detach(), leaf.grad


def test_every_loss_is_written_directly_by_some_entry():
    assert {entry.loss.name for entry in LOOPED} == set(LOSSES)


@pytest.mark.parametrize("entry", LOOPED, ids=texts(LOOPED))
def test_flat_and_padded_lists_have_the_gradient_of_a_direct_writing(entry):
    value, gradient = direct(entry)
    flat, slope = through(loss(entry.text), max_grade=TOP)
    assert float(flat) == pytest.approx(value, abs=1e-12)
    assert slope.numpy() / 3.0 == pytest.approx(gradient, abs=1e-10)
    nothing = table_of(SCORES, np.nan)
    padded, slope = through(loss(entry.text), nothing, table_of(GRADES, -7), None, mask=MASK, max_grade=TOP)
    assert_same_numbers(float(padded), float(flat))
    assert slope.numpy()[MASK] / 3.0 == pytest.approx(gradient, abs=1e-10)
    assert not slope.numpy()[~MASK].any()


@pytest.mark.parametrize("entry", TABLE, ids=texts(TABLE))
def test_value_and_gradient_are_those_of_numpy_to_the_bit(entry):
    value, gradient = called(entry.loss, SCORES, GRADES, OFFSETS)
    flat, slope = through(loss(entry.text), rng=5, max_grade=TOP)
    assert_same_bits(float(flat), value)
    assert_same_bits(slope.numpy(), 3.0 * gradient)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_scores_of_few_bits_are_computed_in_float32(dtype):
    dtype = getattr(torch, dtype)
    rounded = torch.tensor(SCORES, dtype=dtype)
    value, gradient = called(loss("lambdaloss").loss, rounded.float().numpy(), GRADES, OFFSETS)
    found, slope = through(loss("lambdaloss"), rounded, dtype=dtype)
    assert (found.dtype, slope.dtype) == (torch.float32, dtype)
    assert float(found) == pytest.approx(value, rel=1e-6)
    assert slope.equal(torch.from_numpy(3.0 * gradient).to(dtype))


def test_a_gradient_that_is_scaled_up_is_rounded_after_that():
    """As by a GradScaler: 1e-9 of a gradient is nothing in float16, 1e-9 * 2^16 is something."""
    leaf = torch.tensor([-9.0, 9.0, 0.0], dtype=torch.float16, requires_grad=True)
    (65536.0 * loss("listnet")(leaf, [0, 1, 0], [0, 3])).backward()
    with np.errstate(all="raise"):
        _, expected = loss("listnet").loss(np.array([-9, 9, 0], np.float32), np.array([0, 1, 0]), np.array([0, 3]))
    assert leaf.grad.numpy() == pytest.approx(65536.0 * expected, rel=1e-3)


def test_grades_offsets_and_mask_may_be_tensors_of_any_type():
    one = loss("ranknet")
    expected, _ = through(one)
    flat, _ = through(one, grades=torch.tensor(GRADES, dtype=torch.bfloat16), offsets=torch.tensor(OFFSETS))
    padded, _ = through(one, table_of(SCORES), torch.tensor(table_of(GRADES * 1.0)), None, mask=torch.tensor(MASK))
    assert_same_numbers([float(flat), float(padded)], [float(expected)] * 2)
    whole, _ = through(one, SCORES[4:10].reshape(2, 3), GRADES[4:10].reshape(2, 3), None)  # all places, no mask
    again, _ = through(one, SCORES[4:10], GRADES[4:10], [0, 3, 6])
    assert_same_bits(float(whole), float(again))


def test_a_model_learns_through_it():
    """Three documents whose second unit tells the grade; a step of gradient descent lowers the loss."""
    model = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    values, one = torch.tensor([[0.5, 2.0], [0.5, 0.0], [0.5, 1.0]]), loss("ranknet")
    before = one(model(values)[:, 0], [2, 0, 1], [0, 3])
    before.backward()
    assert model.weight.grad[0].tolist() == pytest.approx([0.0, -(1 + 2 + 1) / 6], abs=1e-7)  # halves of differences
    with torch.no_grad():
        model.weight -= model.weight.grad
    assert (
        float(one(model(values)[:, 0], [2, 0, 1], [0, 3]).detach()) < float(before.detach()) == pytest.approx(np.log(2))
    )


def test_a_second_derivative_is_refused_rather_than_wrong():
    leaf = torch.tensor([0.0, 1.0], requires_grad=True)
    with pytest.raises(ParameterError, match=r"create_graph=True"):
        torch.autograd.grad(loss("listnet")(leaf, [1, 0], [0, 2]), leaf, create_graph=True)


def test_without_a_gradient_to_be_kept_there_is_a_value_all_the_same():
    assert float(loss("ranknet")(torch.zeros(2), [1, 0], [0, 2])) == pytest.approx(np.log(2))


def test_functions_of_ones_own_and_names_are_both_losses():
    def halved(scores, relevance, offsets):
        value, gradient = loss("squared").loss(scores, relevance, offsets)
        return value / 2, gradient / 2

    assert float(loss(halved)(torch.tensor([1.0, 0.0]), [2, 0], [0, 2])) == 0.25
    assert repr(loss("lambdaloss(kind='2')")) == "TorchLoss(lambdaloss(kind='2'))"
    assert str(loss(halved)) == "halved"
    assert isinstance(loss("listnet"), TorchLoss)
    with pytest.raises(UnknownName, match="listnut"):
        loss("listnut")


FLAT = torch.zeros(3)
WRONG = {
    "array": ((np.zeros(3), [1, 0, 0], [0, 3]), {}, "scores .*ndarray .*float64"),
    "whole": ((torch.zeros(3, dtype=torch.long), [1, 0, 0], [0, 3]), {}, "a tensor of int64"),
    "no offsets": ((FLAT, [1, 0, 0]), {}, "without offsets"),
    "mask of flat": ((FLAT, [1, 0, 0]), {"mask": [True] * 3}, "flat scores .*mask"),
    "offsets of padded": ((FLAT[None], [[1, 0, 0]], [0, 3]), {}, "and offsets were given"),
    "three dimensions": ((FLAT[None, None], [1, 0, 0]), {}, r"scores .*\(1, 1, 3\)"),
    "offsets end early": ((FLAT, [1, 0, 0], [0, 2]), {}, r"offsets are \[0, 2\], .*0 to 3"),
    "offsets of halves": ((FLAT, [1, 0, 0], [0.0, 3.0]), {}, "whole numbers .*0 to 3"),
    "empty list": ((FLAT, [1, 0, 0], [0, 2, 2, 3]), {}, "list 2 .*no document"),
    "falling offsets": ((FLAT, [1, 0, 0], [0, 4, 3]), {}, "list 2 .*no document"),
    "empty row": ((torch.zeros(2, 1), [[1], [0]]), {"mask": [[True], [False]]}, "list 2 .*no document"),
    "no list": ((torch.zeros(0), [], [0]), {}, "there is no list"),
    "mask of numbers": ((FLAT[None], [[1, 0, 0]]), {"mask": [[1, 1, 0]]}, r"mask .*int64 .*\(1, 3\)"),
    "grades too few": ((FLAT, [1, 0], [0, 3]), {}, r"grades .*int64 .*\(2,\), .* \(3,\)"),
    "grades too large": ((FLAT, [1, 1e17, 0], [0, 3]), {}, r"has grade 1e\+17"),
    "grades of nothing": ((FLAT, [1, np.nan, 0], [0, 3]), {}, "has grade nan"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_fit_is_refused(case):
    arguments, more, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        loss("listnet")(*arguments, **more)
