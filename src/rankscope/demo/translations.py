"""Simulated translations and human rankings of them, in a small folder like the ones that WMT publishes.

Sentences follow a few patterns. The source has another word for each English one, and the adjective behind the noun.
Systems drop, repeat, exchange and mistake words, or leave them untranslated; worse systems do so more often. People
rank five outputs roughly by their errors. The names of languages, files and years are those of a real campaign, so that
the same commands run on both.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = [
    "FOLDER",
    "PARALLEL_SENTENCES",
    "SEGMENTS",
    "TRANSLATORS",
    "translation_files",
]


FOLDER = "demo-mt"
#: Sentences of the test set, sentences of the parallel text, and the judges of each sentence of the test set.
SEGMENTS, PARALLEL_SENTENCES, JUDGES = 60, 300, ("ann", "bob")
#: The systems and their error rates per word, best first.
TRANSLATORS = {"apex": 0.08, "brisk": 0.14, "crude": 0.22, "draft": 0.30, "early": 0.42}
#: The errors, and how severe people find each.
ERRORS = {"drop": 1.0, "repeat": 0.5, "exchange": 0.4, "mistake": 1.2, "leave": 1.4}
#: The noise of a person's judgment, and the difference below which people often tie.
RATER_NOISE, COARSE = 0.7, 0.6
#: The one direction of WMT12 in the demo.
PAIR, SOURCE, TARGET = ("German", "English"), "de", "en"
NOUNS = [
    "garden",
    "house",
    "river",
    "teacher",
    "letter",
    "window",
    "market",
    "doctor",
    "bridge",
    "song",
    "train",
    "mountain",
    "city",
    "question",
    "kitchen",
]
ADJECTIVES = ["small", "green", "quiet", "heavy", "bright", "cold", "famous", "narrow", "distant", "plain"]
VERBS = ["sees", "finds", "paints", "follows", "opens", "remembers", "crosses", "describes"]
PLACES = ["near", "behind", "above", "without", "beside"]
FUNCTION_WORDS = ["the", "a", "and", "."]
#: The syllables of the other language.
SYLLABLES = ["ka", "lo", "mi", "ru", "te", "so", "na", "vi", "pe", "du"]


def translation_files(seed: int) -> dict[str, str]:
    """demo-mt/wmt12/ with judgments and plain/, demo-mt/mt-train/ with parallel text; see the module."""
    rng = np.random.default_rng([seed, 8])  # a stream of its own
    lexicon = invented_words(rng)
    references = [sentence(rng) for _ in range(SEGMENTS)]
    parallel_sentences = [sentence(rng) for _ in range(PARALLEL_SENTENCES)]
    plain_folder, parallel_prefix = f"{FOLDER}/wmt12/plain", f"{FOLDER}/mt-train/newstest2010/newstest2010"
    files = {
        f"{plain_folder}/sources/newstest2012-src.{SOURCE}": text_of(source_of(words, lexicon) for words in references),
        f"{plain_folder}/references/newstest2012-ref.{TARGET}": text_of(references),
        f"{parallel_prefix}.{SOURCE}": text_of(source_of(words, lexicon) for words in parallel_sentences),
        f"{parallel_prefix}.{TARGET}": text_of(parallel_sentences),
    }
    harm = np.zeros((len(TRANSLATORS), SEGMENTS))
    for s, (system, rate) in enumerate(TRANSLATORS.items()):
        outputs = []
        for i, reference in enumerate(references):
            output, harm[s, i] = translate(reference, rate, lexicon, rng)
            outputs.append(output)
        name = f"newstest2012.{SOURCE}-{TARGET}.{system}"
        files[f"{plain_folder}/system-outputs/newstest2012/{SOURCE}-{TARGET}/{name}"] = text_of(outputs)
    files[f"{FOLDER}/wmt12/wmt12.RNK_results.csv"] = judgments(harm, rng)
    return files


def invented_words(rng: np.random.Generator) -> dict[str, str]:
    """A different word of two or three syllables for each English word."""
    lexicon: dict[str, str] = {}
    for word in [*NOUNS, *ADJECTIVES, *VERBS, *PLACES, *FUNCTION_WORDS[:3]]:
        syllables = ""
        while not syllables or syllables in lexicon.values():
            syllables = "".join(rng.choice(SYLLABLES, rng.integers(2, 4)))
        lexicon[word] = syllables
    return lexicon | {".": "."}


def sentence(rng: np.random.Generator) -> list[str]:
    """A subject, a verb and an object; perhaps a place, perhaps a second verb. The full stop is a word."""
    words = [*noun_phrase(rng), str(rng.choice(VERBS)), *noun_phrase(rng)]
    if rng.random() < 0.6:
        words += [str(rng.choice(PLACES)), *noun_phrase(rng)]
    if rng.random() < 0.3:
        words += ["and", str(rng.choice(VERBS)), *noun_phrase(rng)]
    return [*words, "."]


def noun_phrase(rng: np.random.Generator) -> list[str]:
    adjective = [str(rng.choice(ADJECTIVES))] if rng.random() < 0.5 else []
    return [str(rng.choice(FUNCTION_WORDS[:2])), *adjective, str(rng.choice(NOUNS))]


def source_of(words: list[str], lexicon: dict[str, str]) -> list[str]:
    """The sentence in the other language: word by word, the adjective behind its noun."""
    order = list(words)
    for i, word in enumerate(words):
        if word in ADJECTIVES:
            order[i], order[i + 1] = words[i + 1], word
    return [lexicon[word] for word in order]


def translate(
    reference: list[str], rate: float, lexicon: dict[str, str], rng: np.random.Generator
) -> tuple[list[str], float]:
    """A system's output, and the severity of its errors."""
    output: list[str] = []
    harm = 0.0
    for word in reference:
        if word == "." or rng.random() >= rate:
            output.append(word)
            continue
        error = str(rng.choice(list(ERRORS)))
        harm += ERRORS[error]
        if error == "exchange":
            output.insert(max(len(output) - 1, 0), word)  # before the word that it belongs behind
        else:
            replacements = {
                "drop": [],
                "repeat": [word, word],
                "mistake": [str(rng.choice(NOUNS))],
                "leave": [lexicon[word]],
            }
            output += replacements[error]
    return output or ["."], harm


def judgments(harm: np.ndarray[tuple[int, ...], np.dtype[np.float64]], rng: np.random.Generator) -> str:
    """A ranking CSV of WMT: all five outputs of each segment, by two people."""
    names = list(TRANSLATORS)
    columns = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    columns += [f"system{k}{part}" for k in range(1, 6) for part in ("Number", "Id")]
    lines = [",".join([*columns, *(f"system{k}rank" for k in range(1, 6))])]
    for i in range(SEGMENTS):
        for judge in JUDGES:
            perceived = np.rint((harm[:, i] + RATER_NOISE * rng.normal(size=len(names))) / COARSE)
            ranks = 1 + (perceived[:, None] > perceived[None, :]).sum(axis=1)  # 1 + the number of better ones
            order = rng.permutation(len(names)).tolist()
            output_cells = [cell for s in order for cell in (str(s + 1), names[s])]
            lines.append(
                ",".join([*PAIR, str(i + 1), "demo", str(i + 1), judge, *output_cells, *(str(ranks[s]) for s in order)])
            )
    return "\n".join(lines) + "\n"


def text_of(sentences: Iterable[list[str]]) -> str:
    """A line a sentence, with a capital first letter and no space before the full stop."""
    lines = [" ".join(words).replace(" .", ".") for words in sentences]
    return "".join(f"{line[:1].upper()}{line[1:]}\n" for line in lines)
