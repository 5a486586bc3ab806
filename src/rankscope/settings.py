"""Settings: each argument of an analysis that changes its numbers, declared once as a field that checks itself.

A settings class is a frozen dataclass whose fields come from the functions below. From a field follow its check, its
option on the command line, its line in the docstring of the public function, and its part of the signature.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

from rankscope.errors import ParameterError, SettingError, UnknownName

__all__ = [
    "ALPHA",
    "LARGEST",
    "NONNEGATIVE",
    "POSITIVE",
    "REQUIRED",
    "SHARE",
    "Choice",
    "ColumnNames",
    "Count",
    "Dependency",
    "DetailedChoice",
    "GradeLevel",
    "LayerSizes",
    "NameList",
    "Names",
    "Number",
    "NumberList",
    "Numbers",
    "Rule",
    "Setting",
    "Settings",
    "Switch",
    "Text",
    "alpha_field",
    "as_names",
    "as_tuple",
    "choice",
    "confidence_field",
    "count",
    "declare",
    "excludes",
    "grade_level",
    "items_of",
    "layer_sizes",
    "name_list",
    "names",
    "needs",
    "number",
    "number_list",
    "or_list",
    "parameters_text",
    "plain_number",
    "resamples_field",
    "seed_field",
    "share",
    "switch",
    "table_columns",
    "text",
]


Value = TypeVar("Value")
#: The default of a setting that must be given.
REQUIRED: Any = dataclasses.MISSING
#: The largest count that is accepted: far above what memory and time allow.
LARGEST = 1_000_000_000
#: Sizes of layers have fewer digits than this; no array could have a larger shape.
MAX_DIGITS = 16


class Rule:
    """The values that a setting may have.

    Attributes
    ----------
    expected
        The values in words, as the object of "expected".
    """

    expected = "a value"
    #: Reads the value from an option's text, and raises ValueError with what is wrong; None if the option has a type.
    parse: Callable[[str], Any] | None = None

    def accepts(self, value: object) -> bool:
        """Whether the value is one of them."""
        raise NotImplementedError

    def plain(self, value: Any) -> Any:
        """The value as results and signatures have it."""
        return value

    def check(self, name: str, value: object) -> None:
        """Raise ParameterError for a value that is not accepted."""
        if not self.accepts(value):
            raise ParameterError(f"{name} {self.fault(value)}")

    def fault(self, value: object) -> str:
        """What is wrong with a value, as the predicate of the setting's name."""
        return f"is {value!r}, expected {self.expected}"


class Choice(Rule):
    """One of some names.

    The table is read anew each time, since a registry may have grown.

    Parameters
    ----------
    table
        The names.
    kind
        What the names stand for, if the table is a registry. Messages on wrong names then suggest the nearest name.
    """

    def __init__(self, table: Collection[Any], kind: str = "") -> None:
        self.table, self.kind = table, kind

    @property
    def names(self) -> tuple[Any, ...]:
        """The names in their order."""
        return tuple(self.table)

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names, as the object of "expected"."""
        return f"one of {', '.join(map(repr, self.names))}"

    def accepts(self, value: object) -> bool:
        return isinstance(value, (str, Integral)) and not isinstance(value, bool) and value in self.names

    def check(self, name: str, value: object) -> None:
        if self.kind and not self.accepts(value):
            raise UnknownName(self.kind, str(value), self.names)
        super().check(name, value)


class DetailedChoice(Choice):
    """One of some names, alone or with a detail after a colon, as `elasticsearch:queries.tsv`."""

    def accepts(self, value: object) -> bool:
        return super().accepts(value.partition(":")[0] if isinstance(value, str) else value)


class Count(Rule):
    """A whole number."""

    def __init__(self, minimum: int = 1, maximum: int | None = LARGEST) -> None:
        self.minimum, self.maximum = minimum, maximum
        self.expected = (
            f"a whole number {f'of at least {minimum}' if maximum is None else f'from {minimum} to {maximum}'}"
        )

    def accepts(self, value: object) -> bool:
        if not isinstance(value, Integral) or isinstance(value, bool):
            return False
        return self.minimum <= int(value) and (self.maximum is None or int(value) <= self.maximum)


class Number(Rule):
    """A finite number between two bounds.

    Parameters
    ----------
    low, high
        The bounds.
    low_open, high_open
        Whether a bound is excluded.
    expected
        The accepted values in words; by default made from the bounds.
    option_high
        The upper bound of the option, if the message of this rule on values above `high` is better than click's.
    """

    def __init__(
        self,
        low: float = -math.inf,
        high: float = math.inf,
        *,
        low_open: bool = False,
        high_open: bool = False,
        expected: str = "",
        option_high: float | None = None,
    ) -> None:
        self.option_high = high if option_high is None else option_high
        self.low, self.high, self.low_open, self.high_open = low, high, low_open, high_open
        self.expected = expected or self.describe()

    def describe(self) -> str:
        """The bounds in words."""
        words = []
        if self.low > -math.inf:
            words.append(f"{'above' if self.low_open else 'of at least'} {self.low:g}")
        if self.high < math.inf:
            words.append(f"{'below' if self.high_open else 'of at most'} {self.high:g}")
        return f"a {'' if words else 'finite '}number {' and '.join(words)}".rstrip()

    def accepts(self, value: object) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
            return False
        x = float(value)
        too_low = x <= self.low if self.low_open else x < self.low
        return not (too_low or (x >= self.high if self.high_open else x > self.high))


class GradeLevel(Rule):
    """The lowest grade that counts as relevant; whole numbers stay whole."""

    expected = "a number above 0, as 1 or 0.5"

    def accepts(self, value: object) -> bool:
        return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < math.inf

    @staticmethod
    def parse(text: str) -> float:
        """The level in an option's text."""
        try:
            level: float = plain_number(float(text))
        except ValueError:
            level = math.nan
        if not 0 < level < math.inf:
            raise ValueError(f"{text!r}, expected {GradeLevel.expected}")
        return level

    def plain(self, value: Any) -> Any:
        return plain_number(value)


def plain_number(value: Any) -> Any:
    """A whole number given as a float, as 1.0, as an int, and a number of NumPy as Python's; else the value itself."""
    if hasattr(value, "item"):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Numbers(Rule):
    """A tuple of numbers, at least one.

    Parameters
    ----------
    rule
        The rule for each number.
    expected
        The accepted values in words; by default made from the rule.
    """

    def __init__(self, rule: Count | Number, expected: str = "") -> None:
        self.rule = rule
        self.expected = expected or f"{rule.expected}, or several"

    def accepts(self, value: object) -> bool:
        return isinstance(value, tuple) and bool(value) and all(map(self.rule.accepts, value))

    def fault(self, value: object) -> str:
        if not isinstance(value, tuple):
            return super().fault(value)
        wrong_values = [repr(x) for x in value if not self.rule.accepts(x)]
        return f"{f'is {wrong_values[0]}' if wrong_values else 'has no value'}, expected {self.rule.expected}"


class NumberList(Numbers):
    """A tuple of numbers that one option holds, with commas between them, each used once."""

    def parse(self, text: str) -> tuple[float, ...]:
        kind, noun = (int, "a whole number") if isinstance(self.rule, Count) else (float, "a number")
        try:
            return tuple(dict.fromkeys(kind(number) for number in text.split(",")))
        except ValueError:
            raise ValueError(f"{text!r}, expected {noun}, with commas between several") from None


class Switch(Rule):
    """True or False."""

    expected = "True or False"

    def accepts(self, value: object) -> bool:
        return isinstance(value, bool)


class Text(Rule):
    """Any text."""

    expected = "a text"

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)


class Names(Rule):
    """A tuple of texts, each from a table if there is one."""

    def __init__(self, table: Collection[str] = (), kind: str = "") -> None:
        self.table, self.kind = table, kind

    @property
    def names(self) -> tuple[str, ...]:
        """The names in their order; empty if any text is accepted."""
        return tuple(self.table)

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names, as the object of "expected"."""
        return f"some of {', '.join(map(repr, self.names))}" if self.table else "a list of names"

    def accepts(self, value: object) -> bool:
        if not isinstance(value, tuple):
            return False
        return all(isinstance(name, str) and (not self.names or name in self.names) for name in value)

    def check(self, name: str, value: object) -> None:
        if self.kind and isinstance(value, tuple):
            for entry in value:
                if entry not in self.names:
                    raise UnknownName(self.kind, str(entry), self.names)
        super().check(name, value)


class NameList(Names):
    """A tuple of texts that one option holds, with commas between them."""

    @staticmethod
    def parse(text: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


class ColumnNames(Rule):
    """What columns are called in a table: our name, and the table's.

    Parameters
    ----------
    example
        An example for messages, as {"query": "topic"}.
    advice
        What to use for names of columns without an equals sign, for messages.
    """

    def __init__(self, example: Mapping[str, str], advice: str = "") -> None:
        self.example, self.advice = dict(example), advice

    @property
    def option_text(self) -> str:
        """The example as the option has it."""
        return ",".join(f"{name}={column}" for name, column in self.example.items())

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names, as the object of "expected"."""
        return f"names of columns, such as {self.option_text} (in Python {self.example})"

    def accepts(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(isinstance(name, str) for pair in value.items() for name in pair)

    def parse(self, text: str) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
        if not pairs or not all(name.strip() and equals and column.strip() for name, equals, column in pairs):
            advice = f"; {self.advice}" if self.advice and "=" not in text else ""
            raise ValueError(
                f"{text!r}, expected NAME=COLUMN with commas between several, such as {self.option_text}{advice}"
            )
        return {name.strip(): column.strip() for name, _, column in pairs}


class LayerSizes(Rule):
    """Sizes of hidden layers, each at least 1; an empty tuple means no hidden layers."""

    expected = "sizes of layers, as (32, 16), or () for none"

    def accepts(self, value: object) -> bool:
        return isinstance(value, tuple) and all(map(Count(maximum=None).accepts, value))

    @staticmethod
    def parse(text: str) -> tuple[int, ...]:
        sizes = [size.strip() for size in text.split(",")]
        if sizes == ["0"]:
            return ()
        if not all(size.isdecimal() and len(size) < MAX_DIGITS and int(size) > 0 for size in sizes):
            raise ValueError(f"{text!r}, expected sizes of layers as 64 or 64,32, or 0 for none")
        return tuple(map(int, sizes))


#: A number above 0; one of at least 0; a level or share between 0 and 1; the significance level of a test.
POSITIVE, NONNEGATIVE = Number(0, low_open=True), Number(0)
SHARE = Number(0, 1, low_open=True, high_open=True, expected="a number between 0 and 1, as 0.95 or 0.05")
ALPHA = Number(
    0,
    0.5,
    low_open=True,
    high_open=True,
    expected="a number above 0 and below 0.5, as 0.05 (confidence intervals then have the level 95 %)",
    option_high=1,
)


#: Some values of a setting: listed, or those for which a function is true.
Values = Collection[Any] | Callable[[Any], bool]


@dataclass(frozen=True)
class Dependency:
    """What must be true of other settings where a setting is passed; made by `needs` and `excludes`.

    Attributes
    ----------
    is_need
        Whether one of the conditions has to hold; else none of them may.
    conditions
        Another setting -> its values for which the condition holds; None if it only has to be passed.
    when
        The values of the setting itself that this is about; None for all.
    reason
        Why, as a clause for the message.
    """

    is_need: bool
    conditions: Mapping[str, Values | None]
    when: Values | None = None
    reason: str = ""

    def broken_condition(self, value: Any, is_passed: Callable[[str], bool], value_of: Callable[[str], Any]) -> str:
        """The setting that is missing or in the way; "" if there is none.

        Parameters
        ----------
        value
            The value of the setting itself, which was passed.
        is_passed
            Whether the setting of this name was passed.
        value_of
            The value of the setting of this name.
        """
        if self.when is not None and not is_among(self.when, value):
            return ""
        holding = [
            name
            for name, values in self.conditions.items()
            if (is_passed(name) if values is None else is_among(values, value_of(name)))
        ]
        if self.is_need:
            return "" if holding else next(iter(self.conditions))
        return holding[0] if holding else ""

    def fault(self, name: str, others: Sequence[str], present: str = "") -> str:
        """What is wrong, as the predicate of the setting's name.

        Parameters
        ----------
        name
            The setting.
        others
            What it needs, one of them; or what excludes it.
        present
            The value that is in the place of the one that it needs.
        """
        reason = f": {self.reason}" if self.reason else ""
        if not self.is_need:
            return f"cannot be combined with {others[0]}{reason}; leave out one of them"
        advice = "change it" if present else "add it" if len(others) == 1 else "add one of them"
        present_text = f", not {present}" if present else ""
        return f"needs {or_list(others)}{present_text}{reason}; {advice}, or leave out {name}"


def needs(*names: str, when: Values | None = None, reason: str = "", **values: Any) -> Dependency:
    """The dependency of a setting that has no effect without another one.

    Parameters
    ----------
    *names
        The other setting; one of several is enough.
    when
        The values of the setting itself that this is about; by default all.
    reason
        Why, as a clause for the message.
    **values
        Values that another setting must have, as `method="hedge"`: one, several, or a function that tells.
    """
    return Dependency(True, conditions_of(names, values), None if when is None else as_values(when), reason)


def excludes(*names: str, when: Values | None = None, reason: str = "", **values: Any) -> Dependency:
    """The dependency of a setting that cannot be combined with others; see `needs`.

    Parameters
    ----------
    *names
        The other settings.
    when
        The values of the setting itself that this is about; by default all.
    reason
        Why, as a clause for the message.
    **values
        Values of other settings.
    """
    return Dependency(False, conditions_of(names, values), None if when is None else as_values(when), reason)


def conditions_of(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Values | None]:
    """The conditions of a dependency."""
    return {**dict.fromkeys(names), **{name: as_values(value) for name, value in values.items()}}


def as_values(values: Any) -> Values:
    """One value as a tuple; several, or a function, as they are."""
    is_one = isinstance(values, str) or not (callable(values) or isinstance(values, Collection))
    return (values,) if is_one else values


def is_among(values: Values, value: Any) -> bool:
    """Whether a value, or one of a tuple of values, is among these."""
    return any(values(item) if callable(values) else item in values for item in items_of(value))


def items_of(value: Any) -> tuple[Any, ...]:
    """The values of a setting that has several, else its only one; none for None."""
    return value if isinstance(value, tuple) else () if value is None else (value,)


def or_list(texts: Sequence[str]) -> str:
    """Texts as alternatives: "a, b or c"."""
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


class Setting:
    """A field of a settings class.

    Parameters
    ----------
    rule
        The values that it may have.
    default
        `REQUIRED` if there is none. None and () mean "not given" and are always accepted as a default.
    help
        One sentence for the help of the option and for the docstring.
    flag
        The option, "" if the field is not an option, or None for an option with the name of the field.
    argument
        Name of the argument of the public function.
    python_help
        The sentence for the docstring, if Python accepts other values than the command line.
    metavar
        Placeholder for the value in the help.
    unset
        What happens by default, in words.
    or_a
        A type whose objects are accepted, too.
    depends
        What the setting needs of others of its class, and what excludes it.
    """

    def __init__(
        self,
        rule: Rule,
        default: Any,
        help: str,
        flag: str | None,
        argument: str,
        python_help: str,
        metavar: str,
        unset: str,
        or_a: type | None = None,
        depends: Sequence[Dependency] = (),
    ) -> None:
        self.rule, self.default, self.help, self.given_flag, self.argument = rule, default, help, flag, argument
        self.python_help, self.metavar, self.unset, self.or_a, self.depends = python_help, metavar, unset, or_a, depends
        self.name = ""

    @property
    def flag(self) -> str:
        """The option of the command line, or "" if there is none."""
        return f"--{self.name.replace('_', '-')}" if self.given_flag is None else self.given_flag

    def check(self, value: object) -> None:
        """Raise SettingError for a wrong value, UnknownName for an unknown name."""
        if value is self.default and (value is None or value == ()):
            return
        if self.or_a is not None and isinstance(value, self.or_a):
            return
        if isinstance(self.rule, (Choice, Names)) and self.rule.kind:
            self.rule.check(self.argument, value)
        elif not self.rule.accepts(value):
            raise SettingError(self.argument, self.flag or self.argument, self.rule.fault(value))

    def in_python(self, values: Sequence[Any] = ()) -> str:
        """The argument as it is written in Python, with one of these values."""
        return f"{self.argument}={or_list([*map(repr, values)])}" if values else self.argument

    def in_option(self, values: Sequence[Any] = ()) -> str:
        """The option as it is written on the command line, with one of these values."""
        if not self.flag:
            return self.in_python(values)
        return f"{self.flag} {or_list([*map(str, values)])}".rstrip() if values else self.flag

    def sentence(self) -> str:
        """The line of the docstring: help, choices and default."""
        sentences = [self.python_help or self.help]
        if isinstance(self.rule, Choice) and not self.python_help:
            sentences.append(f"One of {', '.join(map(repr, self.rule.names))}.")
        if self.unset:
            sentences.append(f"Default: {self.unset}.")
        elif self.default is not REQUIRED and self.default not in (None, ()) and not self.python_help:
            sentences.append(f"Default: {self.default!r}.")
        return " ".join(sentences)


def declare(
    rule: Rule,
    default: Value,
    help: str,
    *,
    flag: str | None = None,
    argument: str = "",
    python_help: str = "",
    metavar: str = "",
    unset: str = "",
    or_a: type | None = None,
    depends: Dependency | Sequence[Dependency] = (),
) -> Value:
    """A dataclass field that holds a setting. For type checkers it is its default, as for `dataclasses.field`."""
    dependencies = (depends,) if isinstance(depends, Dependency) else tuple(depends)
    setting = Setting(rule, default, help, flag, argument, python_help, metavar, unset, or_a, dependencies)
    field: Any = dataclasses.field(default=default, metadata={"setting": setting})
    return field  # type: ignore[no-any-return]


def choice(default: Value, table: Collection[str], *, help: str, kind: str = "", **options: Any) -> Value:
    """One of the names of a table.

    Parameters
    ----------
    default
        The default, or `REQUIRED`.
    table
        The names.
    help
        One sentence for the help and the docstring.
    kind
        What the names stand for, if messages are to suggest the nearest name.
    **options
        Further arguments of `declare`.
    """
    return declare(Choice(table, kind), default, help, **options)


def count(
    default: Value, *, help: str, minimum: int = 1, maximum: int | None = LARGEST, metavar: str = "N", **options: Any
) -> Value:
    """A whole number from `minimum` on."""
    return declare(Count(minimum, maximum), default, help, metavar=metavar, **options)


def grade_level(
    default: float = 1, *, help: str = "Lowest relevance that counts as relevant.", **options: Any
) -> float:
    """The lowest grade that counts as relevant, whole or a fraction."""
    return declare(GradeLevel(), default, help, metavar="G", **options)


def number(default: Value, *, help: str, rule: Number, metavar: str = "X", **options: Any) -> Value:
    """A number within the bounds of its rule."""
    return declare(rule, default, help, metavar=metavar, **options)


def number_list(default: Value, *, help: str, rule: Count | Number, metavar: str = "N,...", **options: Any) -> Value:
    """Several numbers, in the command in one option with commas between them."""
    return declare(NumberList(rule), default, help, metavar=metavar, **options)


def share(default: Value, *, help: str, metavar: str = "P", **options: Any) -> Value:
    """A number between 0 and 1, both excluded."""
    return declare(SHARE, default, help, metavar=metavar, **options)


def switch(default: bool, *, help: str, **options: Any) -> bool:
    """True or False."""
    return declare(Switch(), default, help, **options)


def text(default: Value, *, help: str, metavar: str = "TEXT", **options: Any) -> Value:
    """Any text."""
    return declare(Text(), default, help, metavar=metavar, **options)


def names(
    default: Value, *, help: str, table: Collection[str] = (), kind: str = "", metavar: str = "NAME", **options: Any
) -> Value:
    """Several texts, in the command one for each time that the option is given."""
    return declare(Names(table, kind), default, help, metavar=metavar, **options)


def name_list(
    default: Value, table: Collection[str] = (), *, help: str, kind: str = "", metavar: str = "NAME,...", **options: Any
) -> Value:
    """Several texts, in the command in one option with commas between them."""
    return declare(NameList(table, kind), default, help, metavar=metavar, **options)


def table_columns(example: Mapping[str, str], *, help: str, advice: str = "") -> Mapping[str, str] | None:
    """What columns of a table are called. example, advice: for messages."""
    names: Mapping[str, str] | None = None
    return declare(
        ColumnNames(example, advice), names, help, metavar="NAME=COLUMN,...", unset="found by their usual names"
    )


def layer_sizes(default: tuple[int, ...], *, help: str, **options: Any) -> tuple[int, ...]:
    """Sizes of hidden layers, in the command with commas between them, and 0 for none."""
    return declare(LayerSizes(), default, help, metavar="N,...", **options)


def alpha_field(default: float = 0.05, help: str = "Significance level.", **options: Any) -> float:
    """The significance level of a test, in (0, 0.5)."""
    return declare(ALPHA, default, help, metavar="A", **options)


def confidence_field(
    default: float = 0.95,
    help: str = "Confidence level: the long-run share of such intervals that contain the true value.",
    **options: Any,
) -> float:
    """The level of confidence intervals, in (0, 1)."""
    return share(default, help=help, **options)


def resamples_field(default: Value, help: str, minimum: int = 1, **options: Any) -> Value:
    """How many resamples a test or interval draws: `n_resamples` in Python, `--resamples` in the command."""
    return count(default, help=help, minimum=minimum, **{"flag": "--resamples", **options})


def seed_field(help: str = "Random seed; the same seed gives the same results.", flag: str = "--seed") -> int:
    """The seed of all random draws: `rng` in Python, `--seed` in the command."""
    return declare(
        Count(0, None),
        0,
        help,
        flag=flag,
        argument="rng",
        python_help="Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.",
        metavar="N",
    )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of one analysis. A wrong value raises when the object is made, and so is reported once."""

    #: The public functions that take these settings as arguments, and the commands that have them as options.
    FUNCTIONS: ClassVar[tuple[str, ...]] = ()
    COMMANDS: ClassVar[tuple[str, ...]] = ()
    _declared: ClassVar[dict[str, Setting]]

    @classmethod
    def declared(cls) -> dict[str, Setting]:
        """The settings by the names of their fields, in their order."""
        if "_declared" not in vars(cls):
            cls._declared = {}
            for field in dataclasses.fields(cls):
                if "setting" not in field.metadata:  # computed, or of a class outside of rankscope
                    continue
                setting = cls._declared[field.name] = field.metadata["setting"]
                setting.name, setting.argument = field.name, setting.argument or field.name
        return cls._declared

    def __post_init__(self) -> None:
        for name, setting in self.declared().items():
            value = getattr(self, name)
            setting.check(value)
            plain = setting.rule.plain(value)
            if plain is not value:
                object.__setattr__(self, name, plain)
        self.check_dependencies()
        self.check()

    def check(self) -> None:
        """Raise ParameterError for what neither rules nor dependencies say."""

    def check_dependencies(self) -> None:
        """Raise SettingError for a setting that needs or excludes another one."""
        for name, setting in self.declared().items():
            for dependency in setting.depends if self.is_changed(name) else ():
                value = getattr(self, name)
                broken = dependency.broken_condition(value, self.is_changed, lambda other: getattr(self, other))
                if broken:
                    raise self.dependency_error(setting, dependency, broken)

    def dependency_error(self, setting: Setting, dependency: Dependency, broken: str) -> SettingError:
        """The error for a dependency that a setting breaks. broken: the setting that is missing or in the way."""
        own_values = () if dependency.when is None else items_of(getattr(self, setting.name))
        names = tuple(dependency.conditions) if dependency.is_need else (broken,)
        others = [(self.declared()[name], self.values_of_condition(dependency, name)) for name in names]
        present = items_of(getattr(self, broken)) if dependency.is_need and len(names) == 1 and others[0][1] else ()
        fault = dependency.fault(
            setting.argument,
            [other.in_python(values) for other, values in others],
            " and ".join(map(repr, present)),
        )
        option_fault = dependency.fault(
            setting.in_option(),
            [other.in_option(values or [other.metavar] * dependency.is_need) for other, values in others],
            " and ".join(map(str, present)),
        )
        return SettingError(setting.in_python(own_values), setting.in_option(own_values), fault, option_fault)

    def values_of_condition(self, dependency: Dependency, name: str) -> Sequence[Any]:
        """The values of another setting that a message names; () if it names the setting only."""
        values = dependency.conditions[name]
        if values is None:
            return ()
        if not dependency.is_need:
            return [item for item in items_of(getattr(self, name)) if is_among(values, item)]
        rule = self.declared()[name].rule
        return tuple(filter(values, getattr(rule, "names", ()))) if callable(values) else tuple(values)

    def is_changed(self, name: str) -> bool:
        """Whether a setting differs from its default."""
        return bool(getattr(self, name) != self.declared()[name].default)

    def refuse(self, *names: str, since: str) -> None:
        """Raise SettingError for the first of these settings that is not at its default, with the reason."""
        for name in names:
            if self.is_changed(name):
                setting = self.declared()[name]
                value = getattr(self, name)
                text = ",".join(map(str, value)) if isinstance(setting.rule, NumberList) else repr(value)
                raise SettingError(setting.argument, setting.flag, f"is {text}, and {since}; leave it out")

    def arguments(self) -> dict[str, Any]:
        """The values by the names of the arguments of the public function."""
        return {setting.argument: getattr(self, name) for name, setting in self.declared().items()}

    def parts(self, *names: str) -> list[str]:
        """Parts of a signature, as "alpha:0.05"."""
        values = {name: getattr(self, name) for name in names}
        return [f"{name}:{f'{value:g}' if isinstance(value, float) else value}" for name, value in values.items()]


def as_names(names: Any) -> Any:
    """One name or a list of them as a tuple; anything else as it is, for the rule to refuse."""
    if isinstance(names, str):
        return (names,)
    return tuple(names) if isinstance(names, (list, tuple)) else names


def parameters_text(settings_class: type[Settings]) -> dict[str, str]:
    """Argument of the public function -> its sentence in the docstring."""
    return {setting.argument: setting.sentence() for setting in settings_class.declared().values()}


def as_tuple(values: Any, kind: type = object) -> Any:
    """One value or several as a tuple, each value once; None stays None. For arguments of fields made by `number_list`.

    Parameters
    ----------
    values
        The value or values; None stays None.
    kind
        `float` converts whole numbers to floats.
    """
    if values is None:
        return None
    items = values.tolist() if hasattr(values, "tolist") else values
    items = list(items) if isinstance(items, Iterable) and not isinstance(items, str) else [items]
    items = [item.item() if hasattr(item, "item") else item for item in items]
    items = [float(item) if kind is float and type(item) is int else item for item in items]
    return tuple(item for place, item in enumerate(items) if item not in items[:place])
