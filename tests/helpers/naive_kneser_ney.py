"""Modified Kneser-Ney smoothing word by word, from the formulas: what the arrays are checked against."""

from collections import Counter, defaultdict
from math import log10


class NaiveModel:
    def __init__(self, sentences, order, fallback=(0.5, 1, 1.5)):
        self.order = order
        padded = [["<s>", *sentence.split(), "</s>"] for sentence in sentences]
        self.words = {"<unk>", "</s>", *(word for line in padded for word in line[1:])}
        places = [Counter() for _ in range(order + 1)]
        for line in padded:
            for k in range(1, order + 1):
                places[k].update(tuple(line[i : i + k]) for i in range(len(line) - k + 1))
        self.counts = [Counter() for _ in range(order + 1)]
        for k in range(1, order + 1):
            for gram, n in places[k].items():
                raw = k == order or gram[0] == "<s>"
                self.counts[k][gram] = n if raw else sum(longer[1:] == gram for longer in places[k + 1])
        self.counts[1].pop(("<s>",))
        self.discounts = [None, *(self.discounts_of(k, fallback) for k in range(1, order + 1))]
        self.after = [defaultdict(dict) for _ in range(order + 1)]
        for k in range(1, order + 1):
            for gram, n in self.counts[k].items():
                self.after[k][gram[:-1]][gram[-1]] = n

    def discounts_of(self, k, fallback):
        n1, n2, n3, n4 = (sum(n == i for n in self.counts[k].values()) for i in (1, 2, 3, 4))
        if n1 and n2 and n3:
            y = n1 / (n1 + 2 * n2)
            found = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
            if min(found) > 0:
                return found
        return fallback

    def off(self, k, n):
        return self.discounts[k][min(n, 3) - 1]

    def backoff(self, context):
        k = len(context) + 1
        followers = self.after[k].get(context, {})
        return sum(self.off(k, n) for n in followers.values()) / sum(followers.values()) if followers else 1.0

    def probability(self, context, word):
        context = tuple(context)[-(self.order - 1) :]
        return self.smoothed(context, word if word in self.words else "<unk>")

    def smoothed(self, context, word):
        k = len(context) + 1
        followers = self.after[k].get(context, {})
        lower = self.smoothed(context[1:], word) if context else 1 / len(self.words)
        if not followers:
            return lower
        n = followers.get(word, 0)
        own = (n - self.off(k, n)) / sum(followers.values()) if n else 0.0
        return own + self.backoff(context) * lower

    def score(self, sentence):
        line = ["<s>", *(word if word in self.words else "<unk>" for word in sentence.split()), "</s>"]
        return sum(log10(self.probability(line[:i], line[i])) for i in range(1, len(line)))
