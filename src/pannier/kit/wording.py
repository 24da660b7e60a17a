"""Validation messages in the caller's terms instead of msgspec's.

msgspec's messages contain its own type names and regular expressions. `describe` says what to send
instead, with bounds and an example from the annotation. An annotation can have its own sentence:
`Meta(pattern=..., extra={MESSAGE: "must be two letters, such as SG."})`.
"""

import re
import types
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

MESSAGE: Final = "message"
MINOR_UNITS: Final = "must be a whole number of minor units, such as 1250 for 12.50."
REQUIRED: Final = "This field is required."
TOO_DEEP: Final = "is nested too deeply."
FALLBACK: Final = "is not a valid value for this field."
# Larger numbers are hard to read without separators.
MIN_GROUPED_NUMBER: Final = 10_000
MAX_EXAMPLE_LENGTH: Final = 60

_PATH_SUFFIX: Final = re.compile(r" - at `(?:key` in `)?\$?\.?(.*?)`$")
_MISSING: Final = re.compile(r"Object missing required field `(.+)`$")
_JSON_FAULT: Final = re.compile(r"JSON is malformed: (.+) \(byte (\d+)\)$")
_NOUNS: Final = {
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "str": "text",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "datetime": "a time",
    "date": "a date",
    "time": "a time of day",
    "timedelta": "a duration",
    "uuid": "a UUID",
    "bytes": "text in base64",
}
_EXAMPLES: Final = {
    "a whole number": "12",
    "a number": "12.5",
    "a time": "2026-01-31T09:30:00Z",
    "a date": "2026-01-31",
    "a time of day": "09:30:00",
}
_TIME: Final = "must be a time with its offset from UTC, such as 2026-01-31T09:30:00Z."
_SENTENCES: Final = {
    "Invalid RFC3339 encoded datetime": _TIME,
    "Expected `datetime` with a timezone component": _TIME,
    "Invalid RFC3339 encoded date": "must be a date, such as 2026-01-31.",
    "Invalid RFC3339 encoded time": "must be a time of day, such as 09:30:00.",
    "Invalid UUID": "must be a UUID, such as 0190a6f4-7b3c-7f2e-9d41-5a6b7c8d9e0f.",
    "Invalid decimal string": "must be a number, such as 12.5.",
    "Invalid base64 encoded string": "must be text in base64.",
    "Integer value out of range": "must be a smaller number.",
    "Number out of range": "must be a smaller number.",
}


def describe_error(
    error: msgspec.ValidationError,
    root: str = "",
    kind: Any = None,  # noqa: ANN401 - an annotation
) -> tuple[str, str]:
    """Return the path of the invalid value below `root`, and a sentence about it.

    `kind` is the expected Struct. If it is given, the sentence names a field's bounds and choices.
    """
    path, message = split_message(str(error))
    missing_match = _MISSING.match(message)
    name = missing_match[1] if missing_match else ""
    return _join_paths(root, _join_paths(path, name)), REQUIRED if missing_match else describe(
        message, _find_kind(kind, path)
    )


def describe_in_text(
    error: msgspec.ValidationError,
    root: str = "",
    kind: Any = None,  # noqa: ANN401 - an annotation
) -> str:
    """Return one sentence that begins with the path of the invalid value."""
    path, sentence = describe_error(error, root, kind)
    if sentence == REQUIRED:
        return f"`{path}` is required."
    return f"`{path}` {sentence}" if path else f"The value {sentence}"


def describe_json_error(error: Exception, subject: str = "The body") -> str:
    """Return a sentence about why a text is not valid JSON."""
    if isinstance(error, RecursionError):
        return f"{subject} {TOO_DEEP}"
    if isinstance(error, UnicodeError):
        return f"{subject} is not valid UTF-8. Send JSON in UTF-8."
    match = _JSON_FAULT.match(str(error))
    if match is None:
        return f"{subject} is not valid JSON: it ends too early."
    return f"{subject} is not valid JSON: {match[1]} at byte {match[2]}."


def split_message(message: str) -> tuple[str, str]:
    """Split a message of msgspec into the path and the message without it."""
    path_match = _PATH_SUFFIX.search(message)
    return (path_match[1] if path_match else "", _PATH_SUFFIX.sub("", message))


def _find_kind(kind: Any, name: str) -> Any:  # noqa: ANN401 - annotations
    """Find the annotation of a Struct's field."""
    if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
        return None
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    return fields.get(name)


def _join_paths(path: str, name: str) -> str:
    return f"{path}{name}" if name.startswith("[") else f"{path}.{name}".strip(".")


def describe(message: str, kind: Any = None) -> str:  # noqa: ANN401 - an annotation
    """Describe what a value must be, from msgspec's message and the value's annotation."""
    metas = list(_list_metas(kind))
    if message in _SENTENCES:
        return _SENTENCES[message]
    for pattern, describe_match in _RULES:
        if match := pattern.fullmatch(message):
            return describe_match(match, metas, kind)
    # Not a message of msgspec: one of our own validators raised it.
    return f"{message.rstrip('.')}."


def list_choices(kind: Any) -> list[str]:  # noqa: ANN401 - an annotation
    """List the values of an enumeration, as a caller writes them."""
    if get_origin(kind) is Literal:
        return [_format_value(member) for member in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [_format_value(member.value) for member in kind]
    if get_origin(kind) is Annotated:
        return list_choices(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        return [value for member in get_args(kind) for value in list_choices(member)]
    return []


def _list_metas(kind: Any) -> Iterator[Meta]:  # noqa: ANN401 - an annotation
    """List the Metas of a value itself, not those of its parts."""
    if get_origin(kind) is Annotated:
        yield from (part for part in get_args(kind)[1:] if isinstance(part, Meta))
        yield from _list_metas(get_args(kind)[0])
    elif get_origin(kind) in {Union, types.UnionType}:
        for member in get_args(kind):
            yield from _list_metas(member)


def _find_message(metas: list[Meta]) -> str | None:
    """Find the annotation's own sentence."""
    extras = (meta.extra or {} for meta in metas)
    return next((extra[MESSAGE] for extra in extras if MESSAGE in extra), None)


def _describe_type(match: re.Match[str], metas: list[Meta], kind: Any) -> str:  # noqa: ANN401 - an annotation
    if custom_message := _find_message(metas):
        return custom_message
    names = match[1].split(" | ")
    if choices := list_choices(kind):
        return f"must be one of: {', '.join([*choices, *(['null'] * ('null' in names))])}."
    nouns = list(dict.fromkeys(_NOUNS.get(name, "another value") for name in names))
    if "a number" in nouns and "a whole number" in nouns:
        nouns.remove("a whole number")
    alternatives = " or ".join([", ".join(nouns[:-1]), nouns[-1]] if len(nouns) > 1 else nouns)
    alternatives = alternatives.replace("true or false or", "true, false or")
    if match[2] == "null":
        return f"must be {alternatives}, not null."
    example = _find_example(metas, nouns[0])
    return f"must be {alternatives}{example and ', such as '}{example}."


def _find_example(metas: list[Meta], noun: str) -> str:
    """Return an example of a field, or nothing if it is too long for a sentence."""
    examples = [value for meta in metas for value in meta.examples or () if value is not None]
    example = msgspec.json.encode(examples[0]).decode() if examples else _EXAMPLES.get(noun, "")
    unquoted = example.strip('"') if noun.startswith("a ") and noun != "a list" else example
    return unquoted if len(unquoted) <= MAX_EXAMPLE_LENGTH else ""


def _describe_range(match: re.Match[str], metas: list[Meta], _: object) -> str:
    low = next((meta.ge for meta in metas if meta.ge is not None), None)
    high = next((meta.le for meta in metas if meta.le is not None), None)
    if low is not None and high is not None:
        return f"must be between {_format_value(low)} and {_format_value(high)}."
    bound = _format_value(_to_number(match[2]))
    phrases = {
        ">=": f"{bound} or more",
        "<=": f"{bound} or less",
        ">": f"more than {bound}",
        "<": f"less than {bound}",
    }
    return f"must be {phrases[match[1]]}."


def _describe_length(match: re.Match[str], _: object, __: object) -> str:
    unit_name, sign, number = match[1], match[2], int(match[3])
    if sign == ">=" and number == 1:
        return "must not be empty."
    unit = {"str": "character", "array": "entry", "object": "key"}.get(unit_name, "entry")
    plural = "entries" if unit == "entry" else f"{unit}s"
    bound = {">=": "at least ", "<=": "at most ", ">": "more than ", "<": "fewer than "}
    comparison = bound.get(sign or "", "exactly ")
    return f"must have {comparison}{_format_value(number)} {unit if number == 1 else plural}."


def _describe_pattern(_: re.Match[str], metas: list[Meta], __: object) -> str:
    """Return the annotation's own sentence: a pattern alone means nothing to a caller."""
    return _find_message(metas) or FALLBACK


def _describe_enumeration(_: re.Match[str], __: object, kind: Any) -> str:  # noqa: ANN401 - an annotation
    choices = list_choices(kind)
    return f"must be one of: {', '.join(choices)}." if choices else FALLBACK


def _format_value(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    is_large = isinstance(value, (int, float)) and abs(value) >= MIN_GROUPED_NUMBER
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if is_large else str(value)


def _to_number(text: str) -> float:
    return float(text) if "." in text or "e" in text else int(text)


_Describe = Callable[[re.Match[str], list[Meta], Any], str]
_RULES: Final[tuple[tuple[re.Pattern[str], _Describe], ...]] = (
    (re.compile(r"Expected `([^`]+)`, got `([^`]+)`"), _describe_type),
    (re.compile(r"Expected `\w+` (>=|<=|>|<) (\S+)"), _describe_range),
    (re.compile(r"Expected `(\w+)` of length (>=|<=|>|<)? ?(\d+)(?:, got \d+)?"), _describe_length),
    (
        re.compile(r"Expected `\w+` that's a multiple of (\S+)"),
        lambda match, _, __: f"must be a multiple of {match[1]}.",
    ),
    (re.compile(r"Expected `\w+` matching regex .*", re.DOTALL), _describe_pattern),
    (re.compile(r"Invalid (?:enum )?value .*", re.DOTALL), _describe_enumeration),
    (re.compile(r"Object missing required field .*"), lambda _, __, ___: REQUIRED),
    (re.compile(r"(?:Expected|Invalid|Object) .*", re.DOTALL), lambda _, __, ___: FALLBACK),
)
