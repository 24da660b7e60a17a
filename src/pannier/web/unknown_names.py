"""The search for unknown fields and parameters. Errors have the path and a suggestion.

msgspec ignores fields that a Struct does not have. So a body is first decoded into a mirror of its
type: Structs with the same names that forbid unknown fields and skip all values. That costs about
as much as decoding the body. Only if the mirror fails is the body searched for unknown names.
"""

import re
import types
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

import msgspec

from pannier.errors import FieldError, UnknownField, UnknownParameter, UnknownValue
from pannier.web import compatibility
from pannier.web.exchange import Exchange
from pannier.web.serialization import encode
from pannier.web.suggestions import suggest

STRICT_PREFIXES: Final = ("/v1/", "/int/v1/", "/storefront/v1/")
ENVELOPED_PREFIX: Final = "/int/v1/"
# The first page in clients that number pages. It equals a list without a cursor.
FIRST_PAGE_VALUES: Final = {"page": "1", "offset": "0"}
MAX_REPORTED: Final = 50
MAX_NAME_SHOWN: Final = 100
# Comparing names is slow, and a body may consist of unknown ones.
MAX_SUGGESTIONS: Final = 10
UNKNOWN: Final = "This field is unknown. Leave it out."
PREFER_HEADER: Final = b"prefer"
_LENIENT: Final = re.compile(
    rb"(?:^|[,;])\s*handling\s*=\s*\"?lenient\"?\s*(?:$|[,;])", re.IGNORECASE
)
_UNSAFE: Final = re.compile(r"[^\x21-\x7e]|[,%]")


class UnknownName(NamedTuple):
    """An unknown name, the object that contains it, and the expected Struct."""

    path: str
    name: str
    parent: dict[str, Any]
    shape: type[msgspec.Struct]


def is_strict(exchange: Exchange) -> bool:
    """Tell whether unknown names are rejected: in all APIs, but not for device events."""
    return exchange.path.startswith(STRICT_PREFIXES) and not exchange.edge.is_intake(exchange)


def is_lenient(exchange: Exchange) -> bool:
    """Tell whether the caller prefers that unknown body fields are ignored (RFC 7240)."""
    return _LENIENT.search(exchange.headers.get(PREFER_HEADER, b"")) is not None


def check_body(exchange: Exchange, body: bytes, kind: Any) -> bytes:  # noqa: ANN401 - an annotation
    """Reject a JSON body with unknown fields, or drop them if the caller prefers that."""
    decoder = _make_mirror_decoder(kind)
    if decoder is None or not is_strict(exchange):
        return body
    try:
        decoder.decode(body)
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    else:
        return body
    try:
        value = (_exact if is_lenient(exchange) else _plain).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body
    return encode(value) if check_value(exchange, value, kind) else body


_plain: Final = msgspec.json.Decoder()
# Keeps numbers exact, because the body is encoded again without the ignored fields.
_exact: Final = msgspec.json.Decoder(float_hook=Decimal)


def check_value(exchange: Exchange, value: object, kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Reject or drop unknown fields in plain lists and objects; return whether any were dropped."""
    if not is_strict(exchange):
        return False
    unknown_names = find_unknown_names(value, kind)
    if not is_lenient(exchange):
        # The search stops at the maximum to report: a body may have a hundred thousand.
        if field_errors := describe_unknown_names(unknown_names):
            raise UnknownField(fields=field_errors)
        return False
    ignored_names = list(unknown_names)
    for unknown_name in ignored_names:
        del unknown_name.parent[unknown_name.name]
    exchange.ignored += [unknown_name.path for unknown_name in ignored_names]
    return bool(ignored_names)


def check_empty_body(exchange: Exchange) -> None:
    """Reject body fields on a path that accepts no body."""
    if not exchange.body or not exchange.is_json:
        return
    try:
        value = msgspec.json.decode(exchange.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    check_value(exchange, value, compatibility.EmptyBody)


def check_query(exchange: Exchange, parameters: dict[str, Any], kind: Any) -> None:  # noqa: ANN401 - an annotation
    """Reject unknown query parameters."""
    if not is_strict(exchange):
        return
    names = _list_field_names(kind)
    if "cursor" in names:
        _check_list_query(exchange, parameters)
    unknown_names = list(
        islice(
            find_unknown_names(parameters, kind, accepted_names=compatibility.QUERY_NAMES),
            MAX_REPORTED,
        )
    )
    if unknown_names:
        raise UnknownParameter(fields=describe_unknown_names(unknown_names))
    for name in compatibility.QUERY_NAMES & parameters.keys() - names:
        del parameters[name]


def _check_list_query(exchange: Exchange, parameters: dict[str, Any]) -> None:
    """Accept the number of the first page, and reject `single` on lists with an envelope."""
    for name, first_page in FIRST_PAGE_VALUES.items():
        if parameters.get(name) == first_page and "cursor" not in parameters:
            del parameters[name]
    single = parameters.get("single", "false")
    if (
        not isinstance(single, str)
        or single.lower() not in compatibility.TRUE_TEXTS | compatibility.FALSE_TEXTS
    ):
        raise UnknownValue(fields=[FieldError("single", "must be one of: true, false.")])
    if single.lower() in compatibility.TRUE_TEXTS and exchange.path.startswith(ENVELOPED_PREFIX):
        sentence = "Lists under /int/v1 have no `single`. Use `limit=1`, or read a record by id."
        raise UnknownParameter(fields=[FieldError("single", sentence)])


def describe_unknown_names(unknown_names: Iterable[UnknownName]) -> list[FieldError]:
    """Describe unknown names, with suggestions for the first few different ones."""
    sentences: dict[tuple[str, type[msgspec.Struct]], str] = {}
    fields = []
    for unknown_name in islice(unknown_names, MAX_REPORTED):
        key = unknown_name.name, unknown_name.shape
        if key not in sentences and len(sentences) < MAX_SUGGESTIONS:
            sentences[key] = _describe_name(*key)
        fields.append(FieldError(unknown_name.path, sentences.get(key, UNKNOWN)))
    return fields


def format_ignored_header(paths: Iterable[str]) -> bytes:
    """Join paths for a header; percent-encode characters that a header cannot contain."""
    first_paths = list(islice(paths, MAX_REPORTED + 1))
    escaped_paths = [
        _UNSAFE.sub(_escape, path[:MAX_NAME_SHOWN]) for path in first_paths[:MAX_REPORTED]
    ]
    return ", ".join(escaped_paths + ["..."] * (len(first_paths) > MAX_REPORTED)).encode("ascii")


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _describe_name(name: str, shape: type[msgspec.Struct]) -> str:
    explanation: str | None = getattr(shape, compatibility.EXPLAINS, {}).get(name)
    if explanation is not None:
        return explanation
    suggestion = suggest(name, _list_field_names(shape))
    return UNKNOWN if suggestion is None else f"Unknown. Did you mean `{suggestion}`?"


def find_unknown_names(
    value: object,
    kind: Any,  # noqa: ANN401 - an annotation
    path: str = "",
    *,
    accepted_names: frozenset[str] = frozenset(),
) -> Iterator[UnknownName]:
    """Compare a value with its type, and yield each name that the type does not have."""
    if isinstance(value, dict):
        shape = _find_struct(kind)
        if shape is not None:
            yield from _find_in_object(value, shape, path, accepted_names)
        else:
            for member in _list_members(kind, dict):
                for name, item in value.items():
                    yield from find_unknown_names(item, get_args(member)[1], join_path(path, name))
    elif isinstance(value, list):
        for member in _list_members(kind, list):
            for index, item in enumerate(value):
                yield from find_unknown_names(item, get_args(member)[0], f"{path}[{index}]")


def _find_in_object(
    value: dict[str, Any],
    shape: type[msgspec.Struct],
    path: str,
    accepted_names: frozenset[str],
) -> Iterator[UnknownName]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    for name in list(value):
        if name in fields:
            yield from find_unknown_names(value[name], fields[name].type, join_path(path, name))
        elif name not in accepted_names and name not in _get_accepted_names(shape):
            yield UnknownName(join_path(path, name), name, value, shape)


def join_path(path: str, name: str) -> str:
    """Join the path of an object and a name. A very long name is truncated."""
    return f"{path}.{name[:MAX_NAME_SHOWN]}" if path else name[:MAX_NAME_SHOWN]


def _get_accepted_names(shape: type[msgspec.Struct]) -> frozenset[str]:
    return getattr(shape, compatibility.ACCEPTS, frozenset())


def _list_field_names(kind: Any) -> frozenset[str]:  # noqa: ANN401 - an annotation
    shape = _find_struct(kind)
    if shape is None:
        return frozenset()
    return frozenset(field.encode_name for field in msgspec.structs.fields(shape))


@lru_cache(maxsize=4096)
def _find_struct(kind: Any) -> type[msgspec.Struct] | None:  # noqa: ANN401 - an annotation
    """Return the Struct into which an object of this type is decoded, if there is one."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return None if getattr(kind, compatibility.TAKES_ANY_NAME, False) else kind
    if get_origin(kind) is Annotated:
        extras = (getattr(part, "extra", None) or {} for part in get_args(kind)[1:])
        declared_struct = next(
            (
                extra[compatibility.OBJECT_KEY]
                for extra in extras
                if compatibility.OBJECT_KEY in extra
            ),
            None,
        )
        return declared_struct or _find_struct(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        return next(filter(None, map(_find_struct, get_args(kind))), None)
    return None


@lru_cache(maxsize=4096)
def _list_members(kind: Any, origin: type) -> tuple[Any, ...]:  # noqa: ANN401 - annotations
    """Return the typed lists or objects among the alternatives of this type."""
    if get_origin(kind) is Annotated:
        return _list_members(get_args(kind)[0], origin)
    if get_origin(kind) in {Union, types.UnionType}:
        return tuple(member for part in get_args(kind) for member in _list_members(part, origin))
    return (kind,) if get_origin(kind) is origin and get_args(kind) else ()


@lru_cache(maxsize=1024)
def _make_mirror_decoder(kind: Any) -> msgspec.json.Decoder[Any] | None:  # noqa: ANN401 - an annotation
    mirror = _make_mirror(kind)
    return None if mirror is msgspec.Raw else msgspec.json.Decoder(mirror)


@lru_cache(maxsize=4096)
def _make_mirror(kind: Any) -> Any:  # noqa: ANN401 - annotations
    """Make a type that has the same names and skips all values; Raw if it has no names."""
    struct = _find_struct(kind)
    parts: list[Any] = [] if struct is None else [_make_mirror_struct(struct)]
    for origin in (list, dict):
        for member in _list_members(kind, origin):
            item_type: Any = _make_mirror(get_args(member)[-1])
            if item_type is not msgspec.Raw and not (origin is dict and struct is not None):
                parts.append(
                    types.GenericAlias(origin, item_type if origin is list else (str, item_type))
                )
    if not parts:
        return msgspec.Raw
    plain_types: list[Any] = [None, str, bool, int, float]
    if not any(get_origin(part) is list for part in parts):
        plain_types.append(list[msgspec.Raw])
    return Union[(*parts, *plain_types)]


@lru_cache(maxsize=1024)
def _make_mirror_struct(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    names = {
        field.encode_name: _make_mirror(field.type) for field in msgspec.structs.fields(struct)
    }
    names |= dict.fromkeys(_get_accepted_names(struct) - names.keys(), msgspec.Raw)
    field_names = {f"field_{number}": name for number, name in enumerate(names)}
    return msgspec.defstruct(
        f"{struct.__name__}Names",
        [(key, names[name], None) for key, name in field_names.items()],
        rename=field_names,
        forbid_unknown_fields=True,
        gc=False,
    )
