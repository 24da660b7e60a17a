"""Mapping of a file's columns to fields, and suggestions for it. Pure rules."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from pannier.errors import FieldError, Invalid
from pannier.imports import targets
from pannier.imports.models import ImportResource
from pannier.web.suggestions import suggest

_SEPARATORS: Final = re.compile(r"[^0-9a-z]+")


def simplify(header: str) -> str:
    """Reduce a header to letters without accents and digits, in lower case."""
    decomposed = unicodedata.normalize("NFKD", header.replace("ß", "ss").casefold())
    return _SEPARATORS.sub("", decomposed)


def digest_headers(headers: Sequence[str]) -> bytes:
    """Return a digest of the set of headers. Files with the same one share their mapping."""
    text = "\n".join(sorted(simplify(header) for header in headers))
    return hashlib.sha256(text.encode()).digest()[:16]


def suggest_mapping(resource: ImportResource, headers: Sequence[str]) -> dict[str, str]:
    """Suggest a field for each header, by its path, its label or a synonym.

    Each field is suggested once. Paths and labels take precedence over synonyms.
    """
    fields = targets.FIELDS[resource]
    mapping: dict[str, str] = {}
    for list_names in (
        lambda field: (field.path, field.label),
        lambda field: field.synonyms,
    ):
        paths_by_name: dict[str, str] = {}
        for field in fields:
            for name in list_names(field):
                paths_by_name.setdefault(simplify(name), field.path)
        for header in headers:
            path = paths_by_name.get(simplify(header))
            if path is not None and header not in mapping and path not in mapping.values():
                mapping[header] = path
    return {header: mapping[header] for header in headers if header in mapping}


def check_mapping(
    resource: ImportResource, headers: Sequence[str], mapping: Mapping[str, str | None]
) -> dict[str, str]:
    """Return a mapping without unused columns, or raise Invalid."""
    fields, errors = targets.map_fields(resource), []
    columns_by_path: dict[str, str] = {}
    for header, path in mapping.items():
        place = f"mapping.{header}"
        if header not in headers:
            errors.append(FieldError(place, "The file has no such column."))
        elif path is not None and path not in fields:
            suggestion = suggest(path, list(fields))
            question = "" if suggestion is None else f" Did you mean `{suggestion}`?"
            errors.append(FieldError(place, f"There is no field `{path}`.{question}"))
        elif path is not None and path in columns_by_path:
            other = columns_by_path[path]
            errors.append(FieldError(place, f"The column “{other}” is mapped to this field too."))
        elif path is not None:
            columns_by_path[path] = header
    if errors:
        raise Invalid(fields=errors)
    return {header: path for path, header in columns_by_path.items()}


def list_missing_fields(resource: ImportResource, mapping: Mapping[str, str]) -> list[str]:
    """List the labels of required fields that no column is mapped to."""
    return [
        field.label
        for field in targets.FIELDS[resource]
        if field.required and field.path not in mapping.values()
    ]
