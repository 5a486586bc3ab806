"""A gate as JUnit's XML, which servers of continuous integration show as tests: a test for each verdict."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from rankscope.comparison.gate import Gate, MeasureGate, sentence_of

__all__ = [
    "junit_xml",
]


#: Characters that XML does not have.
NO_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), "�")


def junit_xml(gate: Gate) -> str:
    """The gate as a suite of tests: one for each measure, baseline and group.

    A verdict other than pass is a failure of the type "worse" or "undecided", with its sentence as the message. Notes
    and signature stand in the output of the suite.

    Parameters
    ----------
    gate
        The gate.
    """
    tests = [
        (own, name, part)
        for own in gate.measure_gates
        for name, part in own.parts.items()
        if name == "all" or gate.settings.by_group is not None
    ]
    n_failures = sum(part.decision.verdict != "pass" for _, _, part in tests)
    output = "\n".join([gate.signature(), *(f"note: {note}" for note in gate.notes)])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="rankscope gate" tests="{len(tests)}" failures="{n_failures}" errors="0" skipped="0">',
        *(line for own, name, part in tests for line in test_lines(gate, own, name, part)),
        f"  <system-out>{text(output)}</system-out>",
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def test_lines(gate: Gate, own: MeasureGate, group: str, part: MeasureGate) -> list[str]:
    """One test."""
    name = f"{own.measure} against {own.baseline}" + ("" if group == "all" else f", group {group}")
    head = f"  <testcase classname={attribute(f'rankscope.gate.{gate.system}')} name={attribute(name)}"
    if part.decision.verdict == "pass":
        return [f"{head}/>"]
    sentence = sentence_of(part, gate)
    failure = f"    <failure type={attribute(part.decision.verdict)} message={attribute(sentence)}>"
    return [f"{head}>", f"{failure}{text(sentence)}</failure>", "  </testcase>"]


def text(content: str) -> str:
    """A text for XML."""
    return escape(clean(content))


def attribute(content: str) -> str:
    """A text as the value of an attribute, in quotes."""
    return quoteattr(clean(content))


def clean(content: str) -> str:
    """A text without what XML does not have."""
    return content.encode("utf-8", "replace").decode("utf-8").translate(NO_XML)
