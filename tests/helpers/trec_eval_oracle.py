"""trec_eval 9.0.8's C code (pytrec_eval-terrier) in a process of its own: it can hang, and then is ended."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

CHILD = """
import json, sys
import pytrec_eval
for line in sys.stdin:
    qrels, run, measures, level = json.loads(line)
    found = pytrec_eval.RelevanceEvaluator(qrels, set(measures), relevance_level=level).evaluate(run)
    print(json.dumps(found), flush=True)
"""


class Oracle:
    """`oracle(qrels, run, measures, level)` gives {query: {measure: value}}."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds = seconds
        self.child: subprocess.Popen[str] | None = None

    def __call__(self, qrels: Any, run: Any, measures: list[str], level: int = 1) -> dict[str, dict[str, float]]:
        # It hangs on a query whose grades are all negative.
        safe = {q: docs for q, docs in qrels.items() if any(r >= 0 for r in docs.values())}
        common = {q: docs for q, docs in run.items() if q in safe and docs}
        if not common:
            return {}
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-c", CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        child = self.child
        assert child.stdin is not None
        assert child.stdout is not None
        watch = threading.Timer(self.seconds, child.kill)
        watch.start()
        try:
            child.stdin.write(json.dumps([safe, common, measures, level]) + "\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        finally:
            watch.cancel()
        if not answer:
            self.close()
            raise TimeoutError(f"the oracle gave no answer within {self.seconds} s")
        return json.loads(answer)

    def close(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None
