"""Losses of one list, written from their formulas with loops; no code of the package but its measures.

scores are numbers, or tensors of PyTorch without a dimension: `m` is the module of exp, log, abs and above (the larger
of a number and 0), so that autograd goes through the same formula.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from rankscope import parse_measure
from rankscope.evaluation.judged_lists import FullyJudgedLists

PLAIN = SimpleNamespace(exp=math.exp, log=math.log, abs=abs, above=lambda x: max(x, 0.0))


def plain(value):
    """A number, also of a tensor."""
    return float(value.detach() if hasattr(value, "detach") else value)


def softmax(values, m):
    highest = max(plain(v) for v in values)
    powers = [m.exp(v - highest) for v in values]
    return [p / sum(powers) for p in powers]


def softplus(x, m):
    """log(1 + exp(x))"""
    return m.above(x) + m.log(1.0 + m.exp(-m.abs(x)))


def ranks(scores):
    """From 1; equal scores keep the order of the documents."""
    order = sorted(range(len(scores)), key=lambda d: (-plain(scores[d]), d))
    return [order.index(d) + 1 for d in range(len(scores))]


def gains(grades):
    return [2.0**g - 1.0 if g > 0 else 0.0 for g in grades]


def ideal(values, k=None):
    return sum(v / math.log2(r + 2) for r, v in enumerate(sorted(values, reverse=True)[:k]))


def listnet(scores, grades, m=PLAIN):
    wanted, given = softmax([float(g) for g in grades], PLAIN), softmax(scores, m)
    return -sum(p * m.log(q) for p, q in zip(wanted, given, strict=True))


def softmax_cross_entropy(scores, grades, m=PLAIN, *, gain="linear"):
    worth = gains(grades) if gain == "exp" else [max(g, 0.0) for g in grades]
    if not sum(worth):
        return scores[0] * 0.0
    return -sum(w / sum(worth) * m.log(q) for w, q in zip(worth, softmax(scores, m), strict=True))


def squared(scores, grades, m=PLAIN):
    return sum((s - g) ** 2 for s, g in zip(scores, grades, strict=True)) / len(scores)


def ordinal(scores, grades, m=PLAIN, *, top=3):
    total = 0.0
    for s, g in zip(scores, grades, strict=True):
        for level in range(1, top + 1):
            z = s - (level - 0.5)
            total = total + softplus(-z if g >= level else z, m)
    return total / len(scores)


def pair_mean(each, scores, grades, weights):
    total, count = scores[0] * 0.0, 0.0
    for i, a in enumerate(grades):
        for j, b in enumerate(grades):
            if a > b:
                worth = {"equal": 1.0, "grades": a - b, "gains": 2.0**a - 2.0**b}[weights]
                total, count = total + worth * each(scores[i] - scores[j]), count + worth
    return total / count if count else total


def ranknet(scores, grades, m=PLAIN, *, sigma=1.0, weights="equal"):
    return pair_mean(lambda x: softplus(-sigma * x, m), scores, grades, weights)


def ranksvm(scores, grades, m=PLAIN, *, margin=1.0, weights="equal"):
    return pair_mean(lambda x: m.above(margin - x), scores, grades, weights)


def listmle(scores, grades, m=PLAIN, *, k=None, ties="efron", stages="equal", lowest=False, order=None):
    """Ties as survival analysis has them (documents die in falling order of grade): the partial likelihood."""
    n = len(scores)
    order = sorted(range(n), key=lambda d: (-grades[d], d)) if order is None else order
    total, weight = scores[0] * 0.0, 0.0
    for i, d in enumerate(order):
        if min(grades) == max(grades) or (grades[d] == min(grades) and not lowest) or (k is not None and i >= k):
            continue
        if ties == "random":
            chosen, left = scores[d], sum(m.exp(scores[e]) for e in order[i:])
        else:
            left = sum(m.exp(scores[e]) for e in range(n) if grades[e] <= grades[d])  # at risk
            tied = [e for e in range(n) if grades[e] == grades[d]]
            chosen = sum(scores[e] for e in tied) / len(tied)  # each of them is at this stage equally often
            if ties == "efron":
                before = sum(e in tied for e in order[:i])
                left = left - before / len(tied) * sum(m.exp(scores[e]) for e in tied)
        worth = 2.0 ** (n - i - 1) - 1.0 if stages == "position" else 1.0
        total, weight = total + worth * (m.log(left) - chosen), weight + worth
    return total / weight if weight else total


def measured_twice(measure, scores, grades, i, j, top):
    """What a measure of the list loses or gains when i and j change places."""
    measure, rank = parse_measure(measure), ranks(scores)
    place = -np.array(rank, float)
    swapped = place.copy()
    swapped[[i, j]] = place[[j, i]]
    lists = FullyJudgedLists(np.array(grades), np.array([0, len(grades)]), max_grade=top)
    return float(measure(lists.hits(swapped))[0] - measure(lists.hits(place))[0])


def lambdarank(scores, grades, m=PLAIN, *, measure="nDCG(gain='exp')", sigma=1.0, top=3):
    total = scores[0] * 0.0
    for i, a in enumerate(grades):
        for j, b in enumerate(grades):
            if a > b:
                delta = abs(measured_twice(measure, scores, grades, i, j, top))
                total = total + delta * softplus(-sigma * (scores[i] - scores[j]), m) / math.log(2)
    return total


def lambdaloss(scores, grades, m=PLAIN, *, kind="2++", k=None, mu=10.0, sigma=1.0):
    """Wang et al. (2018): NDCG-Loss 1 over all pairs, 2 and 2++ over those with i of the higher grade."""
    rank, best, total = ranks(scores), ideal(gains(grades), k), scores[0] * 0.0
    gain = [g / best if best else 0.0 for g in gains(grades)]
    cut = len(scores) if k is None else k
    worth = [1 / math.log2(r + 1) if r <= cut else 0.0 for r in rank]
    for i, a in enumerate(grades):
        for j, b in enumerate(grades):
            apart = abs(rank[i] - rank[j])
            if kind == "1":
                weight = gain[i] * worth[i]
            elif a <= b or min(rank[i], rank[j]) > cut:
                continue
            else:
                delta = abs(1 / math.log2(apart + 1) - 1 / math.log2(apart + 2))
                plus = abs(worth[i] - worth[j])
                weight = abs(gain[i] - gain[j]) * (delta if kind == "2" else plus + mu * delta)
            total = total + weight * softplus(-sigma * (scores[i] - scores[j]), m) / math.log(2)
    return total


def smooth_ranks(scores, temperature, m):
    found = []
    for i, s in enumerate(scores):
        others = [m.exp(-softplus((s - t) / temperature, m)) for j, t in enumerate(scores) if j != i]
        found.append(1.0 + sum(others))
    return found


def approxndcg(scores, grades, m=PLAIN, *, temperature=0.1):
    gain, best = gains(grades), ideal(gains(grades))
    if not best:
        return 1.0 + scores[0] * 0.0
    smooth = smooth_ranks(scores, temperature, m)
    return 1.0 - sum(g / best * math.log(2) / m.log(1.0 + r) for g, r in zip(gain, smooth, strict=True))


def approxmrr(scores, grades, m=PLAIN, *, temperature=0.1):
    relevant = [g >= 1 for g in grades]
    if not any(relevant):
        return 1.0 + scores[0] * 0.0
    smooth = smooth_ranks(scores, temperature, m)
    return 1.0 - sum(1.0 / r for r, one in zip(smooth, relevant, strict=True) if one) / sum(relevant)


def neuralndcg(scores, grades, m=PLAIN, *, temperature=1.0, rounds=10):
    n, gain, best = len(scores), gains(grades), ideal(gains(grades))
    if not best:
        return 1.0 + scores[0] * 0.0
    spread = [sum(m.abs(s - t) for t in scores) for s in scores]
    matrix = [
        softmax([((n + 1 - 2 * r) * s - b) / temperature for s, b in zip(scores, spread, strict=True)], m)
        for r in range(1, n + 1)
    ]
    for _ in range(rounds):
        columns = [sum(row[c] for row in matrix) for c in range(n)]
        matrix = [[x / columns[c] for c, x in enumerate(row)] for row in matrix]
        matrix = [[x / sum(row) for x in row] for row in matrix]
    found = sum(x * gain[c] / math.log2(r + 2) for r, row in enumerate(matrix) for c, x in enumerate(row))
    return 1.0 - found / best
