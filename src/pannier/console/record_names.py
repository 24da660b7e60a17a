"""Names of records: for links, lists and fields, loaded by identifier."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.formatting import dig, record_name
from pannier.console.record_kinds import KINDS, RecordKind
from pannier.console.record_urls import record_url
from pannier.console.statuses import to_label
from pannier.errors import Problem

MAX_NAMES: Final = 100
# More records of a kind without a list by identifier are looked up in one page of its list.
MAX_SINGLE_READS: Final = 3


def describe_record(row: Mapping[str, Any], kind: RecordKind) -> tuple[str, str]:
    """Return a record's name, and a hint that distinguishes it from records of the same name."""
    hint = str(dig(row, kind.hint) or "")
    if kind.hint in {"status", "kind"}:
        hint = to_label(hint)
    if row.get("online"):
        hint = f"{hint} · Online"
    # An order's number alone does not say which of a caller's orders it is.
    details = (next(filter(None, (dig(row, path) for path in paths)), "") for paths in kind.details)
    hint = " · ".join(filter(None, (hint, *details)))
    return str(dig(row, kind.label) or record_name(row)), hint


async def load_labels(client: ApiClient, values: Iterable[str]) -> dict[str, str]:
    """Load the names of the records that the values identify, by identifier."""
    ids_by_resource: dict[str, set[str]] = {}
    for value in values:
        page_url = record_url(value)
        resource = page_url.split("/")[2] if page_url else ""
        if resource in KINDS:
            ids_by_resource.setdefault(resource, set()).add(value)
    return {
        row["id"]: describe_record(row, KINDS[resource])[0]
        for resource, identifiers in ids_by_resource.items()
        for row in await load_by_ids(client, resource, identifiers)
    }


async def load_by_ids(client: ApiClient, resource: str, identifiers: Iterable[str]) -> list[Any]:
    """Load records by identifier. Missing and forbidden ones are left out."""
    kind, selected_ids = KINDS[resource], sorted(set(identifiers))[:MAX_NAMES]
    if not client.is_allowed("GET", kind.api):
        return []
    if kind.by_ids:
        query = {"id": selected_ids, "limit": str(MAX_NAMES)}
        return (await client.list_rows(kind.api, query)).rows
    if len(selected_ids) > MAX_SINGLE_READS:
        page = await client.list_rows(kind.api, {"limit": str(MAX_NAMES)})
        return [row for row in page.rows if row["id"] in selected_ids]
    path_param = f"{kind.api.rpartition('/')[2].removesuffix('s').replace('-', '_')}_id"
    rows = []
    for identifier in selected_ids:
        try:
            rows.append(
                await client.get(f"{kind.api}/{{{path_param}}}", **{path_param: identifier})
            )
        except Problem:
            continue
    return rows


async def load_record_names(
    client: ApiClient, resource: str, identifiers: Iterable[str]
) -> dict[str, str]:
    """Load the names of at most `MAX_NAMES` records of a resource, by identifier."""
    nonempty_ids = [identifier for identifier in identifiers if identifier]
    rows = await load_by_ids(client, resource, nonempty_ids) if nonempty_ids else []
    return {row["id"]: record_name(row) for row in rows}


async def load_column_names(
    client: ApiClient, columns: Sequence[Column], rows: Sequence[Any]
) -> dict[str, str]:
    """Load the names of the records that the columns link to, by identifier."""
    columns_with_names = [
        column
        for column in columns
        if column.show == "id" or (column.show in {"link", "links"} and column.to in KINDS)
    ]
    values = [dig(row, column.path) for column in columns_with_names for row in rows]
    return await load_names(client, values)


async def load_names(client: ApiClient, values: Iterable[Any]) -> dict[str, str]:
    """Load the names of the records that values, or lists among them, identify."""
    return await load_labels(client, _find_ids(values))


def _find_ids(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from (identifier for identifier in (value if isinstance(value, list) else [value])
                    if isinstance(identifier, str))  # fmt: skip
