"""The selection of a response's fields by the caller: `fields=id,status,customer.name`."""

import types
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import UNSET

from pannier.errors import FieldError, Invalid, UnknownValue
from pannier.web.former_names import FormerUse, find_deprecation
from pannier.web.suggestions import suggest

# The selected fields below each selected name. Without any, the whole value is selected.
Selection = dict[str, "Selection"]

MAX_NAMES: Final = 20
# Names in a path, such as `payload.dropoff.city`.
MAX_PATH_NAMES: Final = 3
MAX_NAME_SHOWN: Final = 100
Structs = tuple[type[msgspec.Struct], ...]


def split_names(parameter: str, values: Sequence[str]) -> list[str]:
    """Split the values of a parameter at commas, and return each name once."""
    parts = (part.strip() for value in values for part in value.split(","))
    names = list(dict.fromkeys(filter(None, parts)))
    if not names:
        raise Invalid(fields=[FieldError(parameter, "Name at least one, or leave it out.")])
    if len(names) > MAX_NAMES:
        raise Invalid(fields=[FieldError(parameter, f"Name at most {MAX_NAMES}.")])
    return names


def parse_fields(
    values: Sequence[str],
    kind: type[msgspec.Struct],
    uses: list[FormerUse],
    expanded_types: Mapping[str, Structs],
) -> Selection:
    """Parse the fields of a response that the caller selects.

    `expanded_types` are the types of fields that have another type in this response, by path.
    The former names among the fields are appended to `uses`.
    """
    names = split_names("fields", values)
    selection: Selection = {}
    errors = []
    for index, name in enumerate(names):
        message = _find_error(name, kind, uses, expanded_types)
        if message is None:
            _add_path(selection, name.split("."))
        else:
            errors.append(FieldError(f"fields[{index}]" if len(names) > 1 else "fields", message))
    if errors:
        raise UnknownValue(fields=errors)
    return selection


def _find_error(
    name: str,
    kind: type[msgspec.Struct],
    uses: list[FormerUse],
    expanded_types: Mapping[str, Structs],
) -> str | None:
    """Return what is wrong with the path of a field, or None."""
    parts = name.split(".")
    if len(parts) > MAX_PATH_NAMES:
        return f"`{name[:MAX_NAME_SHOWN]}` has more than {MAX_PATH_NAMES} names."
    structs: Structs = (kind,)
    for index, part in enumerate(parts):
        known_types = _index_types(structs)
        if part not in known_types:
            return _describe_unknown_name(parts, index, known_types)
        field_types = known_types[part]
        uses += [
            FormerUse(deprecation)
            for deprecation in map(find_deprecation, field_types)
            if deprecation is not None
        ]
        if any(map(_is_free_object, field_types)):
            return None
        structs = expanded_types.get(".".join(parts[: index + 1])) or tuple(
            struct for field_type in field_types for struct in _list_structs(field_type)
        )
    return None


def _describe_unknown_name(
    parts: Sequence[str], index: int, known_types: Mapping[str, object]
) -> str:
    """Describe an unknown name in a path, with a suggestion if one is similar."""
    parents = parts[:index]
    path = ".".join(parts[: index + 1])[:MAX_NAME_SHOWN]
    if not known_types:
        return f"`{'.'.join(parents)}` has no fields, so `{path}` is unknown."
    suggestion = suggest(parts[index], known_types)
    if suggestion is None:
        return f"`{path}` is unknown."
    return f"`{path}` is unknown. Did you mean `{'.'.join([*parents, suggestion])}`?"


def _add_path(selection: Selection, parts: Sequence[str]) -> None:
    """Add a path. A field that is selected as a whole contains its own fields."""
    for part in parts[:-1]:
        if selection.get(part) == {}:
            return
        selection = selection.setdefault(part, {})
    selection[parts[-1]] = {}


def select_fields(value: Any, selection: Selection) -> Any:  # noqa: ANN401 - a response, or a part of it
    """Return an object, or each object of a list, with only the selected fields."""
    if not selection:
        return value
    if isinstance(value, list):
        return [select_fields(item, selection) for item in value]
    if not isinstance(value, (msgspec.Struct, dict)):
        # In an object with free names, which may have any values.
        return None
    fields = to_fields(value)
    return {
        name: select_fields(fields[name], children)
        for name, children in selection.items()
        if name in fields
    }


def to_fields(value: msgspec.Struct | dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object by their names in JSON, without those that are omitted."""
    if isinstance(value, dict):
        return value
    pairs = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    fields = ((name, getattr(value, attribute)) for name, attribute in pairs)
    return {name: field for name, field in fields if field is not UNSET}


@lru_cache(maxsize=256)
def _index_types(structs: Structs) -> dict[str, list[Any]]:
    """Index the types of fields by their names; alternatives may have different fields."""
    types_by_name: dict[str, list[Any]] = {}
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            types_by_name.setdefault(field.encode_name, []).append(field.type)
    return types_by_name


def _list_structs(kind: Any) -> Iterator[type[msgspec.Struct]]:  # noqa: ANN401 - an annotation
    """List the Structs of a field, also those of a list."""
    if isinstance(kind, type) and get_origin(kind) is None and issubclass(kind, msgspec.Struct):
        yield kind
    elif get_origin(kind) in {Annotated, list}:
        yield from _list_structs(get_args(kind)[0])
    elif get_origin(kind) in {Union, types.UnionType}:
        for part in get_args(kind):
            yield from _list_structs(part)


def _is_free_object(kind: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a field is an object with names of the caller's choice, such as `meta`."""
    if get_origin(kind) is Annotated:
        return _is_free_object(get_args(kind)[0])
    if get_origin(kind) in {Union, types.UnionType}:
        return any(map(_is_free_object, get_args(kind)))
    return get_origin(kind) is dict
