"""Tokenisation of mteval-v13a, in lower case, by sacrebleu."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rankscope.errors import InputError, ParameterError
from rankscope.settings import Settings, switch

__all__ = [
    "TOKENISATION",
    "CorpusSettings",
    "as_lines",
    "sacrebleu_version",
    "tokenised",
]


#: The name of the tokenisation in signatures.
TOKENISATION = "13a,lowercase"


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(Settings):
    """How the text is read that a language model or a lexicon is trained on."""

    COMMANDS = ("features lm",)

    tokenised: bool = switch(False, help="Treat the text as tokenised: split words at spaces only.")
    repeats: bool = switch(False, help="Count a repeated line as often as it occurs, instead of once.")


def sacrebleu_version() -> str:
    """The version of sacrebleu. Raises ParameterError where it is not installed."""
    try:
        import sacrebleu
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sacrebleu":
            raise
        raise ParameterError(
            "sacrebleu, which splits text into words and counts them, is not installed; pip install 'rankscope[mt]'"
        ) from None
    return str(sacrebleu.__version__)


def as_lines(lines: Iterable[str], name: str) -> list[str]:
    """Lines as a list. Raises ParameterError for one text in the place of many, InputError for what is no text."""
    if isinstance(lines, (str, bytes)):
        raise ParameterError(f"{name} is one text, expected a list of lines; write [text]")
    line_list = list(lines)
    if not all(isinstance(line, str) for line in line_list):
        wrong_index = next(i for i, line in enumerate(line_list) if not isinstance(line, str))
        raise InputError(
            f"{name}: line {wrong_index + 1} is of type {type(line_list[wrong_index]).__name__}, expected a text"
        )
    return line_list


def tokenised(lines: Iterable[str], *, name: str = "lines") -> list[str]:
    """Each line lower-cased, its words separated by one blank, as sacrebleu's BLEU (13a) counts them.

    Parameters
    ----------
    lines
        The lines; an empty one stays empty.
    name
        What an error calls the lines.

    Returns
    -------
    list of str
        The tokenised lines.

    Raises
    ------
    ParameterError
        sacrebleu is not installed, or there is one text instead of a list.
    InputError
        A line is not a text.

    References
    ----------
    NIST's mteval-v13a.pl, by sacrebleu.

    Examples
    --------
    >>> tokenised(["The cat, it's 3.5 m.", ""])
    ["the cat , it's 3.5 m .", '']
    """
    line_list = as_lines(lines, name)
    sacrebleu_version()
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenizer: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]  # it has no types
    # Outputs of systems often repeat.
    tokenised_by_line = {line: tokenizer(line.lower().rstrip()) for line in dict.fromkeys(line_list)}
    return [tokenised_by_line[line] for line in line_list]
