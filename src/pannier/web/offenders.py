"""All validation errors of a value, by path. msgspec alone stops at the first one."""

import types
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from pannier.errors import Field, Invalid
from pannier.kit import wording
from pannier.web import times
from pannier.web.suggestions import suggest

MOST: Final = 50


class UnlistedValue(Field):
    """An error for a value that is not in its field's list of values."""

    __slots__ = ()


class _Part(NamedTuple):
    path: str
    value: Any
    kind: Any


def refusal(
    wrong: msgspec.ValidationError,
    value: object,
    kind: Any,  # noqa: ANN401 - an annotation
    *,
    strict: bool = True,
) -> Invalid:
    """Return a problem with every error in a value, up to a maximum."""
    fields = list(islice(_offenders(_Part("", value, kind), strict=strict), MOST))
    return Invalid(fields=fields) if fields else invalid(wrong)


def invalid(wrong: msgspec.ValidationError, root: str = "") -> Invalid:
    """Return a problem with the one error that msgspec reported."""
    return Invalid(fields=[Field(*wording.describe_error(wrong, root))])


def _offenders(part: _Part, *, strict: bool) -> Iterator[Field]:
    try:
        msgspec.convert(part.value, part.kind, strict=strict, str_keys=True, dec_hook=times.read)
    except msgspec.ValidationError as wrong:
        sentence = wording.describe(wording.split(str(wrong))[1], part.kind)
    else:
        return
    found = False
    for offender in _inside(part, strict=strict):
        found = True
        yield offender
    if not found:
        yield describe_choice(part.path, part.value, _choices(part.kind)) or Field(
            part.path, sentence
        )


def describe_choice(path: str, value: object, choices: Sequence[str]) -> Field | None:
    """List the field's values and suggest one; return None if the value is wrong otherwise."""
    if not choices or not isinstance(value, str) or value in choices:
        return None
    meant = suggest(value, choices)
    question = "" if meant is None else f" Did you mean `{meant}`?"
    return UnlistedValue(path, f"must be one of: {', '.join(choices)}.{question}")


def _choices(kind: Any) -> list[str]:  # noqa: ANN401 - an annotation
    """List the texts that a type enumerates; empty if it also accepts other texts."""
    if get_origin(kind) is Literal:
        return [each for each in get_args(kind) if isinstance(each, str)]
    if get_origin(kind) is Annotated:
        return _choices(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        members = [part for part in get_args(kind) if part not in {type(None), msgspec.UnsetType}]
        return _choices(members[0]) if len(members) == 1 else []
    return []


def _inside(part: _Part, *, strict: bool) -> Iterator[Field]:
    """Find the errors inside an object or a list; other values have no parts."""
    path, value, kind = part
    shape = _shape(kind, value)
    if _is_struct(shape):
        yield from _missing(part, shape)
    for inner in _parts(path, value, shape):
        yield from _offenders(inner, strict=strict)


def _shape(kind: Any, value: object) -> Any:  # noqa: ANN401 - an annotation
    """Return the only union member with the value's shape; None if it has no parts."""
    if get_origin(kind) is Annotated:
        return _shape(get_args(kind)[0], value)
    if get_origin(kind) in {Union, types.UnionType}:
        shapes = [shape for member in get_args(kind) if (shape := _shape(member, value))]
        return shapes[0] if len(shapes) == 1 else None
    wanted: tuple[type, ...] = (dict,) if _is_struct(kind) else ()
    if get_origin(kind) in {list, dict}:
        wanted = (get_origin(kind),)
    return kind if isinstance(value, wanted) else None


def _is_struct(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _missing(part: _Part, struct: Any) -> Iterator[Field]:  # noqa: ANN401 - a class
    for field in msgspec.structs.fields(struct):
        if field.required and field.encode_name not in part.value:
            yield Field(_below(part.path, field.encode_name), wording.REQUIRED)


def _parts(path: str, value: Any, shape: Any) -> Iterator[_Part]:  # noqa: ANN401 - JSON, an annotation
    if _is_struct(shape):
        for field in msgspec.structs.fields(shape):
            if field.encode_name in value:
                name = field.encode_name
                yield _Part(_below(path, name), value[name], field.type)
    elif get_origin(shape) is list:
        for index, item in enumerate(value):
            yield _Part(f"{path}[{index}]", item, get_args(shape)[0])
    elif get_origin(shape) is dict:
        for name, item in value.items():
            yield _Part(_below(path, name), item, get_args(shape)[1])


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
