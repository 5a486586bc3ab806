"""No claim: what other forms of a million lines cost, beside pytrec_eval on the same file.

17-digit scores (read exactly), 9 of 10 scores tied (order by document id), two spaces between fields and CRLF
(the slow path of our reader), gzip.
"""

from measuring import DATA, OURS, RUNS, collection, files_to_numbers, main, ratio, report

VARIANTS = {
    "digits17": "scores of 17 digits",
    "tied": "9 of 10 scores tied",
    "crlf": "two spaces, CRLF",
    "gz": "gzip",
}


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=1000, documents=1000, judged=100) -> dict:
    shape = {"queries": queries, "documents": documents, "judged": judged}
    lines, everything = [], {}
    for variant, label in {"plain": "plain", **VARIANTS}.items():
        qrels, run = collection(folder, **shape, variant=variant)
        some, found = files_to_numbers(f"{label}, {queries:,} x {documents:,}", qrels, run, peers, {}, runs)
        everything |= {f"{variant} {name}": medians for name, medians in found.items()}
        if variant != "plain":
            plain = everything[f"plain {OURS}"]
            lines += [*some, ratio(f"{label}: to our plain one", found[OURS], plain)]
    return report("variants", lines, everything, runs)


if __name__ == "__main__":
    main(measure, __doc__)
