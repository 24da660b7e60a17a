"""Former names of fields, parameters and paths.

A name is settled without breaking clients: responses have both names until version 1.0, and
requests accept both. The former name is declared where it stands, with its replacement:

    driver: Given[DriverRef] = UNSET
    driver_assigned: Annotated[Given[DriverRef], former_name("driver")] = UNSET

    @post("/customers/login-with-apple", deprecated=Deprecation("/customers/login-with-provider-a"))

The rest follows: a sent former name is moved to its replacement, a contradiction is rejected, the
response has deprecation headers, and the OpenAPI document marks the name as deprecated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Meta
from msgspec.structs import force_setattr

from pannier.errors import FieldError, Invalid, Problem, join_path

Value = TypeVar("Value")
Headers = list[tuple[bytes, bytes]]

# The day on which the names of version 0.1 were settled.
SETTLED_ON: Final = date(2026, 11, 19)
GUIDE: Final = "/docs/guide/versions"
# Keys in `Meta.extra`.
FORMER: Final = "former_name"
SAME: Final = "same_as"
IDENTIFIERS: Final = ("id", "public_id", "uuid")


class Deprecation(NamedTuple):
    """A former name: its replacement, since when it is deprecated, and until when it works.

    `convert` returns the present form of a value that was sent under the former name.
    """

    replacement: str
    since: date = SETTLED_ON
    sunset: date | None = None
    convert: Callable[[Any], Any] | None = None


class FormerUse(NamedTuple):
    """The use of a former name in a request; for a field, with its present and its sent path."""

    deprecation: Deprecation
    present_path: str = ""
    sent_path: str = ""


class FormerField(NamedTuple):
    """A field of a Struct under its former name."""

    attribute: str
    name: str
    present_attribute: str
    default: Any
    deprecation: Deprecation


class StructNames(NamedTuple):
    """The former fields of a Struct, and the fields whose values may contain some."""

    former_fields: tuple[FormerField, ...]
    children: tuple[tuple[str, str], ...]


def former_name(
    replacement: str,
    *,
    sunset: date | None = None,
    convert: Callable[[Any], Any] | None = None,
    description: str = "",
) -> Meta:
    """Mark a field or parameter as the former name of another one in the same Struct.

    In requests its default must be `UNSET`. In responses it has the same value as the other one.
    """
    text = f"Deprecated: use `{replacement}`. {description}".strip()
    return Meta(
        extra={FORMER: Deprecation(replacement, sunset=sunset, convert=convert)},
        # As a schema, because it takes precedence over the description of the type.
        extra_json_schema={"deprecated": True, "description": text},
    )


def same_as(name: str) -> Meta:
    """Mark a field of a response as a second name of one that the contract fixes."""
    return Meta(description=f"The same as `{name}`.", extra={SAME: name})


def replace_former_names(value: Value, uses: list[FormerUse] | None = None) -> Value:
    """Move the values of former names to their replacements, and return the value.

    Former names that were used are appended to `uses`. One that only repeats its replacement does
    not count: a record may be sent back as it was read.
    """
    errors: list[FieldError] = []
    _replace_names(value, "", [] if uses is None else uses, errors)
    if errors:
        raise Invalid(fields=errors)
    return value


def _replace_names(
    value: object, path: str, uses: list[FormerUse], errors: list[FieldError]
) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            _replace_names(item, f"{path}[{index}]", uses, errors)
    elif isinstance(value, msgspec.Struct):
        struct_names = _make_struct_names(type(value))
        for field in struct_names.former_fields:
            _replace_field(value, field, path, uses, errors)
        for attribute, name in struct_names.children:
            _replace_names(getattr(value, attribute), join_path(path, name), uses, errors)


def _replace_field(
    struct: msgspec.Struct,
    field: FormerField,
    path: str,
    uses: list[FormerUse],
    errors: list[FieldError],
) -> None:
    former = getattr(struct, field.attribute)
    if former is UNSET:
        return
    if field.deprecation.convert is not None:
        former = field.deprecation.convert(former)
    present_value = getattr(struct, field.present_attribute)
    sent_path = join_path(path, field.name)
    if present_value is UNSET or present_value == field.default:
        force_setattr(struct, field.present_attribute, former)
        present_path = join_path(path, field.deprecation.replacement)
        uses.append(FormerUse(field.deprecation, present_path, sent_path))
    elif not is_same(present_value, former):
        message = f"This contradicts `{field.deprecation.replacement}`. Send one of them."
        errors.append(FieldError(sent_path, message))
    force_setattr(struct, field.attribute, UNSET)


def is_same(one: object, other: object) -> bool:
    """Tell whether two values mean the same; a record may be an object or its identifier."""
    return one == other or bool(_list_identifiers(one) & _list_identifiers(other))


def _list_identifiers(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    if isinstance(value, dict):
        identifiers = (value.get(name) for name in IDENTIFIERS)
        return frozenset(text for text in identifiers if isinstance(text, str))
    return frozenset()


def restore_sent_names(problem: Problem, uses: Iterable[FormerUse]) -> None:
    """Name the fields of a problem as the caller sent them."""
    sent_paths = {use.present_path: use.sent_path for use in uses if use.sent_path}
    fields = [
        FieldError(_restore_path(path, sent_paths), message) for path, message in problem.fields
    ]
    if fields != [*problem.fields]:
        problem.set_fields(fields)


def _restore_path(path: str, sent_paths: Mapping[str, str]) -> str:
    for present_path, sent_path in sent_paths.items():
        rest = path.removeprefix(present_path)
        if path.startswith(present_path) and rest[:1] in {"", ".", "["}:
            return sent_path + rest
    return path


@lru_cache(maxsize=2048)
def _make_struct_names(struct: type[msgspec.Struct]) -> StructNames:
    fields = msgspec.structs.fields(struct)
    by_name = {field.encode_name: field for field in fields}
    former_fields = []
    for field in fields:
        deprecation = find_deprecation(field.type)
        if deprecation is not None and field.default is UNSET:
            replacement = by_name[deprecation.replacement]
            default = UNSET if replacement.default is NODEFAULT else replacement.default
            former_fields.append(
                FormerField(field.name, field.encode_name, replacement.name, default, deprecation)
            )
    children = tuple(
        (field.name, field.encode_name) for field in fields if has_former_names(field.type)
    )
    return StructNames(tuple(former_fields), children)


@lru_cache(maxsize=4096)
def has_former_names(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a request of this type can have former names, at any depth."""
    return any(
        find_deprecation(field.type) is not None
        for struct in _list_structs(kind)
        for field in msgspec.structs.fields(struct)
    )


def _list_structs(kind: Any) -> set[type[msgspec.Struct]]:  # noqa: ANN401 - an annotation
    """List all Structs that a type refers to, at any depth."""
    found: set[type[msgspec.Struct]] = set()
    pending = [kind]
    while pending:
        part = pending.pop()
        if not isinstance(part, type) or get_args(part):
            pending += [*get_args(part)[:1]] if get_origin(part) is Annotated else get_args(part)
        elif issubclass(part, msgspec.Struct) and part not in found:
            found.add(part)
            pending += [field.type for field in msgspec.structs.fields(part)]
    return found


def find_deprecation(kind: Any) -> Deprecation | None:  # noqa: ANN401 - an annotation
    """Return the deprecation of an annotated field, or None."""
    deprecation: Deprecation | None = _find_extra(kind, FORMER)
    return deprecation


def _find_extra(kind: Any, key: str) -> Any:  # noqa: ANN401 - an annotation and its extra
    if get_origin(kind) is not Annotated:
        return None
    extras = (getattr(part, "extra", None) or {} for part in get_args(kind)[1:])
    return next((extra[key] for extra in extras if key in extra), None)


def list_second_names(struct: type[msgspec.Struct]) -> Iterator[tuple[str, str]]:
    """List the fields of a response that have the same value as another one, and that one."""
    fields = msgspec.structs.fields(struct)
    attributes = {field.encode_name: field.name for field in fields}
    for field in fields:
        deprecation = find_deprecation(field.type)
        other = _find_extra(field.type, SAME) if deprecation is None else deprecation.replacement
        if other is not None:
            yield field.name, attributes[other]


def make_headers(uses: Iterable[FormerUse], headers: Headers) -> Headers:
    """Return the headers of a response with those of RFC 9745 and RFC 8594 added."""
    deprecations = [use.deprecation for use in uses]
    since = min(deprecation.since for deprecation in deprecations)
    sunsets = [deprecation.sunset for deprecation in deprecations if deprecation.sunset is not None]
    link = f'<{GUIDE}>; rel="deprecation"; type="text/html"'.encode()
    links = [value for name, value in headers if name == b"link"]
    return [
        *(pair for pair in headers if pair[0] != b"link"),
        (b"link", b", ".join([*links, link])),
        (b"deprecation", f"@{int(_begin(since).timestamp())}".encode()),
        *((b"sunset", _format_date(sunset)) for sunset in sorted(sunsets)[:1]),
    ]


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _format_date(day: date) -> bytes:
    return format_datetime(_begin(day), usegmt=True).encode()
