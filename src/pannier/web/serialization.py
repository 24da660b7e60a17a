"""Conversion of rows to API schemas."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeVar, get_args

import msgspec

from pannier.web import former_names
from pannier.web.times import to_rfc3339_cached

Out = TypeVar("Out", bound=msgspec.Struct)

# Decimals are encoded as exact numbers.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def to_schema(row: msgspec.Struct, out: type[Out], **extra: object) -> Out:
    """Convert a row to a schema: fields by name, times as RFC 3339, and the fields in `extra`."""
    schema: Out = _compile_converter(type(row), out, *extra)(row, extra)
    return schema


@lru_cache(maxsize=1024)
def _compile_converter(
    row: type[msgspec.Struct], out: type[msgspec.Struct], *extra_names: str
) -> Callable[[Any, dict[str, object]], Any]:
    """Generate the function that converts rows of one type, as dataclasses generate methods.

    Its source contains only names of our own fields. A loop over the fields for each row would
    take three times as long.
    """
    sources = {field.name: f"row.{field.name}" for field in msgspec.structs.fields(row)}
    for field in msgspec.structs.fields(row):
        if _is_time(field.type):
            sources[field.name] = f"row.{field.name} and stamp(row.{field.name})"
    sources.setdefault("id", sources.get("public_id", ""))
    sources |= {name: f"extra[{name!r}]" for name in extra_names}
    for one, other in former_names.list_second_names(out):
        _share_source(sources, extra_names, one, other)
    arguments = [f"{name}={sources[name]}" for name in out.__struct_fields__ if sources.get(name)]
    text = f"lambda row, extra: out({', '.join(arguments)})"
    names = {"out": out, "stamp": to_rfc3339_cached}
    converter: Callable[[Any, dict[str, object]], Any] = eval(text, names)  # noqa: S307 - see above
    return converter


def _share_source(
    sources: dict[str, str], extra_names: tuple[str, ...], one: str, other: str
) -> None:
    """Give two names of one value the same source. One in `extra` takes precedence over a row's."""
    for source_name, name in ((other, one), (one, other)):
        is_missing = name not in sources or (source_name in extra_names and name not in extra_names)
        if sources.get(source_name) and is_missing:
            sources[name] = sources[source_name]


def _is_time(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    return hint is datetime or any(_is_time(part) for part in get_args(hint))
