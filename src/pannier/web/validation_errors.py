"""All validation errors of a value, by path. msgspec alone stops at the first one."""

import types
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from pannier.errors import FieldError, Invalid
from pannier.kit import wording
from pannier.web import times
from pannier.web.suggestions import suggest

MAX_ERRORS: Final = 50


class UnlistedValueError(FieldError):
    """An error for a value that is not in its field's list of values."""

    __slots__ = ()


class _Part(NamedTuple):
    path: str
    value: Any
    kind: Any


def from_value(
    error: msgspec.ValidationError,
    value: object,
    kind: Any,  # noqa: ANN401 - an annotation
    *,
    strict: bool = True,
) -> Invalid:
    """Return a problem with every error in a value, up to a maximum."""
    fields = list(islice(_find_errors(_Part("", value, kind), strict=strict), MAX_ERRORS))
    return Invalid(fields=fields) if fields else from_msgspec(error)


def from_msgspec(error: msgspec.ValidationError, root: str = "") -> Invalid:
    """Return a problem with the one error that msgspec reported."""
    return Invalid(fields=[FieldError(*wording.describe_error(error, root))])


def _find_errors(part: _Part, *, strict: bool) -> Iterator[FieldError]:
    try:
        msgspec.convert(part.value, part.kind, strict=strict, str_keys=True, dec_hook=times.read)
    except msgspec.ValidationError as error:
        sentence = wording.describe(wording.split_message(str(error))[1], part.kind)
    else:
        return
    has_inner_error = False
    for inner_error in _find_inner_errors(part, strict=strict):
        has_inner_error = True
        yield inner_error
    if not has_inner_error:
        yield describe_choice(part.path, part.value, _list_choices(part.kind)) or FieldError(
            part.path, sentence
        )


def describe_choice(path: str, value: object, choices: Sequence[str]) -> FieldError | None:
    """Describe a value that is not among the choices; None if it is invalid for other reasons."""
    if not choices or not isinstance(value, str) or value in choices:
        return None
    suggestion = suggest(value, choices)
    question = "" if suggestion is None else f" Did you mean `{suggestion}`?"
    return UnlistedValueError(path, f"must be one of: {', '.join(choices)}.{question}")


def _list_choices(kind: Any) -> list[str]:  # noqa: ANN401 - an annotation
    """List the texts that a type enumerates; empty if it also accepts other texts."""
    if get_origin(kind) is Literal:
        return [member for member in get_args(kind) if isinstance(member, str)]
    if get_origin(kind) is Annotated:
        return _list_choices(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        members = [part for part in get_args(kind) if part not in {type(None), msgspec.UnsetType}]
        return _list_choices(members[0]) if len(members) == 1 else []
    return []


def _find_inner_errors(part: _Part, *, strict: bool) -> Iterator[FieldError]:
    """Find the errors inside an object or a list; other values have no parts."""
    path, value, kind = part
    shape = _select_member(kind, value)
    if _is_struct(shape):
        yield from _find_missing_fields(part, shape)
    for inner_part in _list_parts(path, value, shape):
        yield from _find_errors(inner_part, strict=strict)


def _select_member(kind: Any, value: object) -> Any:  # noqa: ANN401 - an annotation
    """Return the only union member with the value's shape; None if it has no parts."""
    if get_origin(kind) is Annotated:
        return _select_member(get_args(kind)[0], value)
    if get_origin(kind) in {Union, types.UnionType}:
        shapes = [shape for member in get_args(kind) if (shape := _select_member(member, value))]
        return shapes[0] if len(shapes) == 1 else None
    container_types: tuple[type, ...] = (dict,) if _is_struct(kind) else ()
    if get_origin(kind) in {list, dict}:
        container_types = (get_origin(kind),)
    return kind if isinstance(value, container_types) else None


def _is_struct(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _find_missing_fields(part: _Part, struct: Any) -> Iterator[FieldError]:  # noqa: ANN401 - a class
    for field in msgspec.structs.fields(struct):
        if field.required and field.encode_name not in part.value:
            yield FieldError(_join_path(part.path, field.encode_name), wording.REQUIRED)


def _list_parts(path: str, value: Any, shape: Any) -> Iterator[_Part]:  # noqa: ANN401 - JSON, an annotation
    if _is_struct(shape):
        for field in msgspec.structs.fields(shape):
            if field.encode_name in value:
                name = field.encode_name
                yield _Part(_join_path(path, name), value[name], field.type)
    elif get_origin(shape) is list:
        for index, item in enumerate(value):
            yield _Part(f"{path}[{index}]", item, get_args(shape)[0])
    elif get_origin(shape) is dict:
        for name, item in value.items():
            yield _Part(_join_path(path, name), item, get_args(shape)[1])


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
