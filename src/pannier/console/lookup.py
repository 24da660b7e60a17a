"""Find records by typed text: a name, plate, phone number or other number.

A field that takes a record accepts an identifier or any of these. One match is taken; several or
none are refused with a sentence. Pages show the record's name. A hidden input holds its identifier
and that name, so that an unchanged field keeps its record even if the record is renamed meanwhile.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from pannier.console import address_picks, decimals
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.formatting import dig, record_name, record_url
from pannier.console.forms import PICKED_SUFFIX, Field
from pannier.console.record_kinds import KINDS, RecordKind
from pannier.console.session import FormData
from pannier.console.statuses import to_label
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid, Problem
from pannier.kit import ids, phone

PAGE_ROWS: Final = 100
# Pages of a list that are read to find an exact match among partial ones.
MAX_PAGES: Final = 3
NUMBER_KINDS: Final = frozenset({"number", "decimal", "money", "price", "fee"})
MAX_NAMES: Final = 100
# More records of a kind without a list by identifier are looked up in one page of its list.
MAX_SINGLE_READS: Final = 3
MAX_CANDIDATES: Final = 5
_POINT: Final = re.compile(r"-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?")


def describe(row: Mapping[str, Any], kind: RecordKind) -> tuple[str, str]:
    """Return a record's name, and a hint that distinguishes it from others of that name."""
    hint = str(dig(row, kind.hint) or "")
    if kind.hint in {"status", "kind"}:
        hint = to_label(hint)
    return str(dig(row, kind.label) or record_name(row)), hint


def is_identifier(text: str) -> bool:
    """Return whether a text has the format of an identifier, known or not."""
    return ids.is_public_id(text) or ids.parse_uuid(text) is not None


async def resolve(
    client: ApiClient,
    fields: Iterable[Field],
    form_data: FormData,
    before: Mapping[str, str] | None = None,
) -> FormData:
    """Replace typed names by identifiers and numbers by plain decimals, or report errors.

    A field's picked record is kept while its text is unchanged. Numbers that are the same as
    `before` are the form's own format, and are left unchanged.
    """
    previous = before or {}
    fields_to_resolve = [
        field
        for field in fields
        if field.resource or form_data.get(field.name) != previous.get(field.name)
    ]
    resolved = await identify(client, fields_to_resolve, form_data)
    pairs = [
        (name, value)
        for name in form_data
        if not name.endswith(PICKED_SUFFIX)
        for value in ([resolved[name]] if name in resolved else form_data.get_all(name))
    ]
    return FormData(urlencode(pairs).encode())


async def resolve_filters(
    client: ApiClient, fields: Iterable[Field], query: Mapping[str, str]
) -> dict[str, str]:
    """Replace typed names in filters by identifiers, as `resolve` does."""
    resolved = await identify(client, fields, query)
    return {
        name: text
        for name, text in {**query, **resolved}.items()
        if not name.endswith(PICKED_SUFFIX)
    }


async def identify(
    client: ApiClient, fields: Iterable[Field], query: Mapping[str, str]
) -> dict[str, str]:
    """Return the API's form of the fields: identifiers, plain decimals and points."""
    resolved: dict[str, str] = {}
    errors = []
    filled_fields = [field for field in fields if query.get(field.name, "").strip()]
    numeric = any(field.kind in NUMBER_KINDS for field in filled_fields)
    locale = (await client.get("/int/v1/settings"))["locale"] if numeric else None
    for field in filled_fields:
        text = query[field.name].strip()
        try:
            if field.kind == "fee":
                resolved[field.name] = decimals.normalise_fee(text, locale)
            elif field.kind in NUMBER_KINDS:
                resolved[field.name] = f"{decimals.parse(text, locale):f}"
            elif field.kind == "point":
                resolved[field.name] = decimals.normalise_point(text)
            elif field.resource:
                lines = text.splitlines() if field.kind == "list" else [text]
                picked = query.get(field.name + PICKED_SUFFIX, "")
                identifiers = [
                    await _identify(client, field, line.strip(), picked) for line in lines
                ]
                resolved[field.name] = "\n".join(identifiers)
        except ValueError as value_error:
            errors.append(Offence(field.name, str(value_error)))
    if errors:
        raise Invalid(" ".join(error.message for error in errors), fields=errors)
    return resolved


async def _identify(client: ApiClient, field: Field, text: str, picked: str) -> str:
    """Return the identifier of the one record that matches, or raise `ValueError`."""
    identifier, _, label = picked.partition(" ")
    # A name may be spelled like an identifier, or belong to several records.
    if label and text == label.strip():
        return identifier
    resources = field.resource.split()
    if field.addresses and (address := address_picks.find_address(text, picked)):
        return address
    text = decimals.normalise_point(text) if "places" in resources else text
    if is_identifier(text) or ("places" in resources and _POINT.fullmatch(text)):
        return text
    exact, partial = await _find_matches(client, resources, text)
    if field.free and not exact:
        # An address or a new name, unless it can only be part of a known place's name.
        partial = partial if "places" in resources and not _is_address(text) else []
        if not partial:
            return text
    matches = exact or partial
    if len(matches) == 1:
        return matches[0].id
    kinds = [KINDS[resource] for resource in resources]
    raise ValueError(
        _ambiguous_message(matches, kinds, text) if matches else _no_match_message(kinds, text)
    )


def _is_address(text: str) -> bool:
    return "," in text or any(letter.isdigit() for letter in text)


def _no_match_message(kinds: Sequence[RecordKind], text: str) -> str:
    nouns = _join([kind.noun for kind in kinds], "or")
    searched = dict.fromkeys(word for kind in kinds for word in kind.known_by.values())
    return f"No {nouns} matches “{text}”. Searched by {_join(list(searched), 'and')}."


def _join(parts: Sequence[str], last: str) -> str:
    """Join words as part of a sentence."""
    return f" {last} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _ambiguous_message(
    matches: Sequence["RecordMatch"], kinds: Sequence[RecordKind], text: str
) -> str:
    nouns = _join([f"{kind.noun}s" for kind in kinds], "or")
    labels = ", ".join(
        f"{match.label} ({match.hint})" if match.hint else match.label
        for match in matches[:MAX_CANDIDATES]
    )
    hidden_count = len(matches) - MAX_CANDIDATES
    more = f" and {hidden_count} more" if hidden_count > 0 else ""
    return (
        f"{len(matches)} {nouns} match “{text}”: {labels}{more}. Choose one, or be more specific."
    )


class RecordMatch(NamedTuple):
    """A record that may match the text."""

    id: str
    label: str
    hint: str
    resource: str
    icon: str


async def search(client: ApiClient, resource: str, text: str, limit: int) -> list[RecordMatch]:
    """Suggest a few records of one kind, exact matches first."""
    if not text.strip():
        return await _list_matches(client, resource, "", limit)
    exact, partial = await _find_matches(client, [resource], text.strip(), limit)
    return [*exact, *partial][:limit]


async def _list_matches(
    client: ApiClient, resource: str, text: str, limit: int
) -> list[RecordMatch]:
    kind = KINDS[resource]
    return [_to_match(row, resource, kind) for row in await _list_rows(client, kind, text, limit)]


def _to_match(row: Mapping[str, Any], resource: str, kind: RecordKind) -> RecordMatch:
    return RecordMatch(row["id"], *describe(row, kind), resource, kind.icon)


async def _find_matches(
    client: ApiClient, resources: Sequence[str], text: str, limit: int = 0
) -> tuple[list[RecordMatch], list[RecordMatch]]:
    """Find the records that match the text exactly, and those that match in part."""
    numeric = any(letter.isdigit() for letter in text)
    country = (await client.get("/int/v1/settings"))["country"] if numeric else None
    spellings = _spellings(text, country)
    page = record_url(text) if is_identifier(text) else ""
    exact: list[RecordMatch] = []
    partial: list[RecordMatch] = []
    for resource in resources:
        kind = KINDS[resource]
        if page:
            rows = (
                await _load_by_ids(client, resource, [text]) if resource in page.split("/") else []
            )
            exact += [_to_match(row, resource, kind) for row in rows]
            continue
        if kind.exact:
            rows = await _list_rows(client, kind, text, limit, kind.exact)
            exact += [_to_match(row, resource, kind) for row in rows]
        matches = {row["id"]: row for spelling in spellings
                 for row in await _list_rows(client, kind, spelling, limit)}  # fmt: skip
        matches = matches or {
            row["id"]: row for row in await _find_squeezed(client, kind, text, limit)
        }
        for row in matches.values():
            values = [str(dig(row, path) or "") for path in kind.known_by]
            is_exact = any(_fold(spelling) == _fold(value) or _squeeze(spelling) == _squeeze(value)
                       for spelling in spellings for value in values if value)  # fmt: skip
            (exact if is_exact else partial).append(_to_match(row, resource, kind))
    return list(dict.fromkeys(exact)), list(dict.fromkeys(partial))


def _spellings(text: str, country: str | None) -> list[str]:
    """List how a text may be stored: as typed, without separators, as a full phone number."""
    spellings = [" ".join(text.split())]
    if any(letter.isdigit() for letter in text):
        spellings.append(_squeeze(text))
        with suppress(ValueError):
            spellings.append(phone.normalise(text, country))
    return list(dict.fromkeys(spellings))


async def _find_squeezed(client: ApiClient, kind: RecordKind, text: str, limit: int) -> list[Any]:
    """Find plates and numbers that are stored with other spaces and hyphens."""
    runs = re.findall(r"\d+|[^\W\d_]+", text)
    if not any(run.isdigit() for run in runs):
        return []
    rows = await _list_rows(client, kind, max(runs, key=len), limit)
    squeezed = _squeeze(text)
    return [
        row
        for row in rows
        if any(squeezed in _squeeze(str(dig(row, path) or "")) for path in kind.known_by)
    ]


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _squeeze(text: str) -> str:
    """Keep letters and digits only; a text without any stays unchanged."""
    return "".join(letter for letter in text.casefold() if letter.isalnum()) or text


async def _list_rows(
    client: ApiClient, kind: RecordKind, text: str, limit: int, parameter_name: str = ""
) -> list[Any]:
    """List the rows that match, or none if the operator may not read them."""
    if not client.is_allowed("GET", kind.api):
        return []
    parameter = parameter_name or kind.filter
    rows: list[Any] = []
    cursor: str | None = None
    try:
        for _ in range(1 if limit else MAX_PAGES):
            query = {"limit": str(limit or PAGE_ROWS), "cursor": cursor}
            page = await client.list_rows(
                kind.api, {**query, **({parameter: text} if parameter else {})}
            )
            rows += page.rows
            cursor = page.cursor
            if cursor is None:
                break
    except Problem:
        # The list cannot be searched for this text, so it has no match.
        return []
    if parameter:
        return rows
    folded = _fold(text)
    return [
        row
        for row in rows
        if any(folded in _fold(str(dig(row, path) or "")) for path in kind.known_by)
    ]


async def load_labels(client: ApiClient, values: Iterable[str]) -> dict[str, str]:
    """Return the names of the records among some values, by identifier."""
    ids_by_resource: dict[str, set[str]] = {}
    for value in values:
        page = record_url(value)
        resource = page.split("/")[2] if page else ""
        if resource in KINDS:
            ids_by_resource.setdefault(resource, set()).add(value)
    return {
        row["id"]: describe(row, KINDS[resource])[0]
        for resource, identifiers in ids_by_resource.items()
        for row in await _load_by_ids(client, resource, identifiers)
    }


async def _load_by_ids(client: ApiClient, resource: str, identifiers: Iterable[str]) -> list[Any]:
    """Load records by identifier. Missing and forbidden ones are left out."""
    kind, selected = KINDS[resource], sorted(set(identifiers))[:MAX_NAMES]
    if not client.is_allowed("GET", kind.api):
        return []
    if kind.by_ids:
        return (await client.list_rows(kind.api, {"id": selected, "limit": str(MAX_NAMES)})).rows
    if len(selected) > MAX_SINGLE_READS:
        listed = await client.list_rows(kind.api, {"limit": str(MAX_NAMES)})
        return [row for row in listed.rows if row["id"] in selected]
    name = f"{kind.api.rpartition('/')[2].removesuffix('s').replace('-', '_')}_id"
    rows = []
    for identifier in selected:
        try:
            rows.append(await client.get(f"{kind.api}/{{{name}}}", **{name: identifier}))
        except Problem:
            continue
    return rows


async def load_record_names(
    client: ApiClient, resource: str, identifiers: Iterable[str]
) -> dict[str, str]:
    """Return the names of a resource's records by identifier, of at most `MAX_NAMES`."""
    present_ids = [identifier for identifier in identifiers if identifier]
    rows = await _load_by_ids(client, resource, present_ids) if present_ids else []
    return {row["id"]: record_name(row) for row in rows}


async def load_column_names(
    client: ApiClient, columns: Sequence[Column], rows: Sequence[Any]
) -> dict[str, str]:
    """Load the names of the records that the columns link to, by id."""
    columns_with_names = [
        column
        for column in columns
        if column.show == "id" or (column.show in {"link", "links"} and column.to in KINDS)
    ]
    values = [dig(row, column.path) for column in columns_with_names for row in rows]
    return await load_labels(client, _find_ids(values))


def _find_ids(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from (identifier for identifier in (value if isinstance(value, list) else [value])
                    if isinstance(identifier, str))  # fmt: skip
