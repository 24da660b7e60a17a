"""What a command was given, read as the API reads it, and refused in words for people."""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from pannier.errors import Field, Invalid
from pannier.web import offenders

T = TypeVar("T", bound=msgspec.Struct)

# What msgspec says of a value, and what a person would.
WORDS: Final = (
    (re.compile(r"Expected `(?:str|array|object)` of length >= (\d+)"), r"give at least \1"),
    (re.compile(r"Expected `str` of length <= (\d+)"), r"give at most \1 characters"),
    (re.compile(r"Expected `array` of length <= (\d+)"), r"give at most \1"),
    (re.compile(r"Expected `(?:int|float)` >= (\S+?)\.?$"), r"give \1 or more."),
    (re.compile(r"Expected `(?:int|float)` <= (\S+?)\.?$"), r"give \1 or less."),
    (re.compile(r"Expected `int(?: \| null)?`, got `\w+`"), "give a whole number"),
    (re.compile(r"Expected `float(?: \| null)?`, got `\w+`"), "give a number"),
    (re.compile(r"Expected `bool(?: \| null)?`, got `\w+`"), "give true or false"),
    (re.compile(r"Expected `str`, got `null`"), "this one cannot be unset"),
    (re.compile(r"Expected `.*`, got `\w+`"), "this is not of the kind that is wanted"),
    (re.compile(r"Expected `str` matching regex .*"), "this is not of the form that is wanted."),
    (re.compile(r"Invalid enum value '?(.*?)'?\.?$"), r"there is no \1."),
)


def read_as(kind: type[T], values: Mapping[str, Any]) -> T:
    """Read values as a body of the API, with its bounds; refuse them as a command does."""
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as wrong:
        refused = offenders.refusal(wrong, dict(values), kind, strict=False)
    raise Invalid(fields=[Field(field.path, plain(field.message)) for field in refused.fields])


def plain(sentence: str) -> str:
    """Say what is wanted without the names of types."""
    for pattern, words in WORDS:
        sentence = pattern.sub(words, sentence)
    return sentence
