"""Find records by text that an operator typed: a name, plate, phone number or other number.

A record field accepts an identifier or any of these. A single match is used. Without a match the
form is refused; with several, the refused form offers them as a choice. Pages show the record's
name. A hidden input has its identifier and that name, so that an unchanged field keeps its record
even if the record is renamed in the meantime.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from pannier.console import address_picks, amounts
from pannier.console.api_client import ApiClient
from pannier.console.formatting import dig
from pannier.console.forms import MATCH_SUFFIX, PICKED_SUFFIX, Field
from pannier.console.record_kinds import KINDS, RecordKind
from pannier.console.record_names import describe_record, load_by_ids
from pannier.console.record_urls import record_url
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid, Problem
from pannier.kit import decimals, ids, phone

PAGE_ROWS: Final = 100
# Pages of a list that are searched for an exact match.
MAX_PAGES: Final = 3
NUMBER_KINDS: Final = frozenset({"number", "decimal", "money", "price", "fee"})
MAX_CANDIDATES: Final = 5
# Records in the choice for an ambiguous text.
MAX_CHOICES: Final = 50
HELPER_SUFFIXES: Final = (PICKED_SUFFIX, MATCH_SUFFIX)
_PHONE: Final = re.compile(r"\+?(?:[\s()./-]*\d){6,}")
_POINT: Final = re.compile(r"-?\d+(?:\.\d+)?\s*,\s*-?\d+(?:\.\d+)?")


class RecordMatch(NamedTuple):
    """A record that matches a text exactly or in part."""

    id: str
    label: str
    hint: str
    resource: str
    icon: str


class AmbiguousTextError(ValueError):
    """A text that matches several records."""

    def __init__(self, matches: Sequence[RecordMatch], message: str) -> None:
        super().__init__(message)
        self.matches = matches


def is_identifier(text: str) -> bool:
    """Return whether a text has the format of an identifier. The record may not exist."""
    return ids.is_public_id(text) or ids.parse_uuid(text) is not None


async def resolve_form(
    client: ApiClient,
    fields: Iterable[Field],
    form_data: FormData,
    previous_values: Mapping[str, str] | None = None,
) -> FormData:
    """Replace typed names by identifiers, and numbers by plain decimals.

    A field keeps its selected record while its text is unchanged. Numbers that equal
    `previous_values` already have the API's format and stay unchanged.
    """
    previous_texts = previous_values or {}
    fields_to_resolve = [
        field
        for field in fields
        if field.resource or form_data.get(field.name) != previous_texts.get(field.name)
    ]
    resolved_values = await resolve_values(client, fields_to_resolve, form_data)
    pairs = [
        (name, value)
        for name in form_data
        if not name.endswith(HELPER_SUFFIXES)
        for value in (
            [resolved_values[name]] if name in resolved_values else form_data.get_all(name)
        )
    ]
    return FormData(urlencode(pairs).encode())


async def resolve_filters(
    client: ApiClient, fields: Iterable[Field], query: Mapping[str, str]
) -> dict[str, str]:
    """Replace typed names in filters by identifiers, as `resolve_form` does."""
    resolved_values = await resolve_values(client, fields, query)
    return {
        name: text
        for name, text in {**query, **resolved_values}.items()
        if not name.endswith(HELPER_SUFFIXES)
    }


async def resolve_values(
    client: ApiClient, fields: Iterable[Field], query: Mapping[str, str]
) -> dict[str, str]:
    """Convert fields to the API's format: identifiers, plain decimals and points."""
    values_by_field: dict[str, str] = {}
    errors = []
    filled_fields = [field for field in fields if query.get(field.name, "").strip()]
    has_numbers = any(field.kind in NUMBER_KINDS for field in filled_fields)
    settings = await client.get("/int/v1/settings") if has_numbers else {}
    locale = settings.get("locale")
    for field in filled_fields:
        text = query[field.name].strip()
        try:
            if field.kind == "fee":
                values_by_field[field.name] = amounts.parse_fee(text, locale, settings["currency"])
            elif field.kind in NUMBER_KINDS:
                values_by_field[field.name] = f"{decimals.parse(text, locale):f}"
            elif field.kind == "point":
                values_by_field[field.name] = decimals.normalise_point(text)
            elif field.resource and is_identifier(
                match := query.get(field.name + MATCH_SUFFIX, "")
            ):
                values_by_field[field.name] = match
            elif field.resource:
                picked_records = query.get(field.name + PICKED_SUFFIX, "")
                values_by_field[field.name] = (
                    await _resolve_lines(client, field, text, picked_records)
                    if field.kind == "list"
                    else await _resolve_record(client, field, text, picked_records)
                )
        except AmbiguousTextError as ambiguity:
            client.record_choices[field.name] = ambiguity.matches[:MAX_CHOICES]
            errors.append(Offence(field.name, str(ambiguity)))
        except ValueError as value_error:
            errors.append(Offence(field.name, str(value_error)))
    if errors:
        raise Invalid(" ".join(error.message for error in errors), fields=errors)
    return values_by_field


async def _resolve_lines(client: ApiClient, field: Field, text: str, picked_records: str) -> str:
    """Return the identifier of each line. Equal names of picked records are taken in sequence."""
    picked_by_label: dict[str, list[str]] = {}
    for picked_record in picked_records.splitlines():
        label = picked_record.partition(" ")[2].strip()
        picked_by_label.setdefault(label, []).append(picked_record)
    identifiers = []
    for line in filter(None, map(str.strip, text.splitlines())):
        picked = picked_by_label.get(line)
        record = picked.pop(0) if picked else ""
        identifiers.append(await _resolve_record(client, field, line, record))
    return "\n".join(identifiers)


async def _resolve_record(client: ApiClient, field: Field, text: str, picked_record: str) -> str:
    """Return the identifier of the only match. Raise `ValueError` for no match or several."""
    identifier, _, label = picked_record.partition(" ")
    # A selected name may look like an identifier, or belong to several records.
    if label and text == label.strip():
        return identifier
    resources = field.resource.split()
    if field.addresses and (address := address_picks.find_address(text, picked_record)):
        return address
    text = decimals.normalise_point(text) if "places" in resources else text
    if is_identifier(text) or ("places" in resources and _POINT.fullmatch(text)):
        return text
    exact_matches, partial_matches = await _find_matches(client, resources, text)
    if field.free and not exact_matches:
        # It is an address or a new name, unless it can only be part of a known place's name.
        partial_matches = partial_matches if "places" in resources and not _is_address(text) else []
        if not partial_matches:
            return text
    matches = exact_matches or partial_matches
    if len(matches) == 1:
        return matches[0].id
    kinds = [KINDS[resource] for resource in resources]
    if matches:
        raise AmbiguousTextError(matches, _make_ambiguous_message(matches, kinds, text))
    raise ValueError(_make_no_match_message(kinds, text))


def _is_address(text: str) -> bool:
    return "," in text or any(letter.isdigit() for letter in text)


def _make_no_match_message(kinds: Sequence[RecordKind], text: str) -> str:
    nouns = _join_parts([kind.noun for kind in kinds], "or")
    searched_values = dict.fromkeys(word for kind in kinds for word in kind.known_by.values())
    return f"No {nouns} matches “{text}”. Searched by {_join_parts(list(searched_values), 'and')}."


def _join_parts(parts: Sequence[str], conjunction: str) -> str:
    """Join parts of a sentence: "a, b and c"."""
    return f" {conjunction} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _make_ambiguous_message(
    matches: Sequence[RecordMatch], kinds: Sequence[RecordKind], text: str
) -> str:
    nouns = _join_parts([f"{kind.noun}s" for kind in kinds], "or")
    labels = ", ".join(
        f"{match.label} ({match.hint})" if match.hint else match.label
        for match in matches[:MAX_CANDIDATES]
    )
    hidden_count = len(matches) - MAX_CANDIDATES
    suffix = f" and {hidden_count} more" if hidden_count > 0 else ""
    return (
        f"{len(matches)} {nouns} match “{text}”: {labels}{suffix}. Choose one, or be more specific."
    )


async def suggest_records(
    client: ApiClient, resource: str, text: str, limit: int
) -> list[RecordMatch]:
    """Suggest a few records of one kind, exact matches first."""
    if not text.strip():
        return await _list_matches(client, resource, "", limit)
    exact_matches, partial_matches = await _find_matches(client, [resource], text.strip(), limit)
    return [*exact_matches, *partial_matches][:limit]


async def find_open_orders_by_phone(client: ApiClient, text: str, limit: int) -> list[RecordMatch]:
    """Find the open orders of a phone number. Find none for any other text."""
    kind = KINDS["orders"]
    if _PHONE.fullmatch(text) is None or not client.is_allowed("GET", kind.api):
        return []
    rows: list[Any] = []
    for state in ({"active": "true"}, {"status": "created"}):
        query = {"query": text, "limit": str(limit), **state}
        rows += (await client.list_rows(kind.api, query)).rows
    return [_to_match(row, "orders", kind) for row in rows]


async def suggest_for_field(
    client: ApiClient, resources: Sequence[str], text: str, limit: int
) -> list[RecordMatch]:
    """Suggest a few records for a field, the best match first.

    Exact matches are better than names that begin with the text, and those better than others.
    """
    searched_text = text.strip()
    matches = [
        (not is_exact, not _fold_text(match.label).startswith(_fold_text(searched_text)), match)
        for resource in resources
        for is_exact, found in zip(
            (True, False),
            await _find_matches(client, [resource], searched_text, limit)
            if searched_text
            else ([], await _list_matches(client, resource, "", limit)),
            strict=True,
        )
        for match in found
    ]
    ranked = sorted(matches, key=lambda ranked_match: ranked_match[:2])
    return list(dict.fromkeys(match for *_, match in ranked))[:limit]


async def _list_matches(
    client: ApiClient, resource: str, text: str, limit: int
) -> list[RecordMatch]:
    kind = KINDS[resource]
    if resource == "drivers" and not text:
        rows = await _list_rows(client, kind, text, PAGE_ROWS)
        rows = sorted(rows, key=lambda row: not row["online"])[:limit]
    else:
        rows = await _list_rows(client, kind, text, limit)
    return [_to_match(row, resource, kind) for row in rows]


def _to_match(row: Mapping[str, Any], resource: str, kind: RecordKind) -> RecordMatch:
    return RecordMatch(row["id"], *describe_record(row, kind), resource, kind.icon)


async def _find_matches(
    client: ApiClient, resources: Sequence[str], text: str, limit: int = 0
) -> tuple[list[RecordMatch], list[RecordMatch]]:
    """Find the records that match a text exactly, and those that match it in part."""
    has_digits = any(letter.isdigit() for letter in text)
    country = (await client.get("/int/v1/settings"))["country"] if has_digits else None
    spellings = _list_spellings(text, country)
    page_url = record_url(text) if is_identifier(text) else ""
    exact_matches: list[RecordMatch] = []
    partial_matches: list[RecordMatch] = []
    for resource in resources:
        kind = KINDS[resource]
        if page_url:
            rows = (
                await load_by_ids(client, resource, [text])
                if resource in page_url.split("/")
                else []
            )
            exact_matches += [_to_match(row, resource, kind) for row in rows]
            continue
        if kind.exact:
            rows = await _list_rows(client, kind, text, limit, kind.exact)
            exact_matches += [_to_match(row, resource, kind) for row in rows]
        searched = spellings[:1] if kind.any_spelling else spellings
        rows_by_id = {row["id"]: row for spelling in searched
                 for row in await _list_rows(client, kind, spelling, limit)}  # fmt: skip
        rows_by_id = rows_by_id or {
            row["id"]: row for row in await _find_by_squeezed_text(client, kind, text, limit)
        }
        for row in rows_by_id.values():
            values = [str(dig(row, path) or "") for path in kind.known_by]
            is_exact = any(
                _fold_text(spelling) == _fold_text(value)
                or _squeeze_text(spelling) == _squeeze_text(value)
                for spelling in spellings
                for value in values
                if value
            )
            (exact_matches if is_exact else partial_matches).append(_to_match(row, resource, kind))
    return list(dict.fromkeys(exact_matches)), list(dict.fromkeys(partial_matches))


def _list_spellings(text: str, country: str | None) -> list[str]:
    """List possible spellings of a stored text: as typed, without separators, as a full number."""
    spellings = [" ".join(text.split())]
    if any(letter.isdigit() for letter in text):
        spellings.append(_squeeze_text(text))
        with suppress(ValueError):
            spellings.append(phone.normalise(text, country))
    return list(dict.fromkeys(spellings))


async def _find_by_squeezed_text(
    client: ApiClient, kind: RecordKind, text: str, limit: int
) -> list[Any]:
    """Find plates and numbers that are stored with different spaces or hyphens."""
    parts = re.findall(r"\d+|[^\W\d_]+", text)
    if not any(part.isdigit() for part in parts):
        return []
    # One part alone matches more records than the whole text.
    rows = await _list_rows(client, kind, max(parts, key=len), PAGE_ROWS if limit else 0)
    squeezed_text = _squeeze_text(text)
    return [
        row
        for row in rows
        if any(squeezed_text in _squeeze_text(str(dig(row, path) or "")) for path in kind.known_by)
    ][: limit or None]


def _fold_text(text: str) -> str:
    """Normalise case, accents and spaces."""
    letters = (
        letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter)
    )
    return " ".join("".join(letters).casefold().split())


def _squeeze_text(text: str) -> str:
    """Remove all but letters and digits. A text without any stays unchanged."""
    return "".join(letter for letter in _fold_text(text) if letter.isalnum()) or text


async def _list_rows(
    client: ApiClient, kind: RecordKind, text: str, limit: int, parameter_name: str = ""
) -> list[Any]:
    """List the matching rows, or none if the operator may not read them."""
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
    folded_text = _fold_text(text)
    return [
        row
        for row in rows
        if any(folded_text in _fold_text(str(dig(row, path) or "")) for path in kind.known_by)
    ]
