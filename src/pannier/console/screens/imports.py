"""Imports: a file, the mapping of its columns, its rows with errors, and undoing."""

from collections.abc import Mapping
from typing import Final

from litestar import Response

from pannier.console import confirmation, list_exports, responses, session
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.record_names import load_labels
from pannier.console.records import read_query
from pannier.console.session import FormData
from pannier.errors import FieldError, Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

HOME: Final = "/console/import"
IMPORTS_PATH: Final = "/v1/imports"
IMPORT_PATH: Final = "/v1/imports/{import_id}"
PAGE_SIZE: Final = "30"
MAX_SHOWN_ROWS: Final = "100"
RESOURCES: Final[Mapping[str, str]] = {
    "orders": "Orders",
    "places": "Places",
    "contacts": "Contacts",
    "drivers": "Drivers",
    "vehicles": "Vehicles",
    "service-rates": "Service rates",
}
STATES: Final[Mapping[str, tuple[str, str]]] = {
    "new": ("", "Not checked"),
    "checking": ("accent", "Checking"),
    "checked": ("", "Checked"),
    "importing": ("accent", "Importing"),
    "done": ("green", "Imported"),
    "undoing": ("accent", "Undoing"),
    "undone": ("", "Undone"),
    "failed": ("red", "Failed"),
}
RUNNING_STATES: Final = frozenset({"checking", "importing", "undoing"})
# The prefix of the fields that map a column, followed by the position of the column.
COLUMN_PREFIX: Final = "column-"
TASK_MESSAGES: Final[Mapping[str, str]] = {
    "dry-run": "Checking the file.",
    "start": "Importing the file.",
}
UNDO_QUESTION: Final = confirmation.Question(
    "Delete the records that this import created? Records that are in use are kept.", "Undo import"
)


@get("/import")
async def list_file_imports(exchange: Exchange) -> Response[bytes]:
    """List imports, with the form for a new one."""
    client = ApiClient(exchange)
    return await _render_list(client, {"resource": read_query(exchange).get("resource", "")})


@post("/import", status_code=200)
async def upload_import_file(exchange: Exchange) -> Response[bytes]:
    """Upload a file, and open its page."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    try:
        upload = form_data.uploads.get("file")
        if upload is None or not upload.data:
            raise Invalid(fields=[FieldError("file", "Choose a file.")])
        body = {"resource": form_data.get("resource", ""), "name": upload.name}
        row = await client.send_upload(IMPORTS_PATH, upload, body)
    except Problem as problem:
        if problem.status not in {403, 413, 422}:
            raise
        await client.undo(problem)
        return await _render_list(client, form_data, problem)
    return responses.redirect_with_flash(exchange, f"{HOME}/{row['id']}")


async def _load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
    return await client.list_rows(
        IMPORTS_PATH, {"limit": PAGE_SIZE, "cursor": query.get("cursor") or None}
    )


@get("/import/export")
async def export_imports(exchange: Exchange) -> StreamedResponse:
    """Download the list of imports, without rows of their files."""

    async def load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
        page = await _load_rows(client, query)
        return ListPage([{**row, "fields": [], "sample": []} for row in page.rows], page.cursor)

    return await list_exports.export_list(ApiClient(exchange), "imports", (), load_rows)


async def _render_list(
    client: ApiClient, values: Mapping[str, str], problem: Problem | None = None
) -> Response[bytes]:
    query = read_query(client.exchange) if problem is None else {}
    page = await _load_rows(client, query)
    sentences = [] if problem is None else [error.message for error in problem.fields]
    return await responses.render_page(
        client, "imports/list.html", title="Import", home=HOME, rows=page.rows,
        cursor=page.cursor, filter_values=query, resources=RESOURCES, states=STATES,
        running=RUNNING_STATES, chosen=values.get("resource", ""),
        error=" ".join(sentences) or (problem.detail if problem else ""),
        can_import_rates=client.is_allowed("POST", "/v1/service-rates"),
        status=problem.status if problem else 200, url=HOME,
    )  # fmt: skip


@get("/import/{identifier:str}")
async def show_file_import(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show an import: its mapping, its progress, or its result."""
    return await _render_import(ApiClient(exchange), identifier)


async def _render_import(
    client: ApiClient,
    identifier: str,
    *,
    mapping: Mapping[str, str] | None = None,
    error: str = "",
    status: int = 200,
) -> Response[bytes]:
    row = await client.get(IMPORT_PATH, import_id=identifier)
    states = ["kept"] if row["state"] == "undone" else ["failed"]
    shown_rows = await client.list_rows(
        f"{IMPORT_PATH}/rows", {"state": states, "limit": MAX_SHOWN_ROWS}, import_id=identifier
    )
    records = [each["record"] for each in shown_rows.rows if each["record"]]
    return await responses.render_page(
        client, "imports/import.html", title=row["file_name"], home=HOME, row=row,
        url=f"{HOME}/{identifier}", mapping=row["mapping"] if mapping is None else mapping,
        shown_rows=shown_rows.rows, has_more=shown_rows.cursor is not None,
        names=await load_labels(client, records), resources=RESOURCES, states=STATES,
        running=row["state"] in RUNNING_STATES, prefix=COLUMN_PREFIX, error=error, status=status,
        can_change=client.is_allowed("POST", f"{IMPORT_PATH}/start"),
        undo_question=UNDO_QUESTION.sentence,
    )  # fmt: skip


@post("/import/{identifier:str}/mapping", status_code=200)
async def map_columns(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save the mapping, and then check or import the file, as the pressed button says."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    row = await client.get(IMPORT_PATH, import_id=identifier)
    mapping = _read_mapping(row["headers"], form_data)
    task = "start" if form_data.get("do") == "start" else "dry-run"
    try:
        body = {"mapping": mapping, "date_order": form_data.get("date_order") or None}
        await client.send("PATCH", IMPORT_PATH, body, import_id=identifier)
        await client.send("POST", f"{IMPORT_PATH}/{task}", import_id=identifier)
    except Problem as problem:
        if problem.status not in {409, 422}:
            raise
        await client.undo(problem)
        sentences = [error.message for error in problem.fields] or [problem.detail]
        return await _render_import(
            client, identifier, mapping=mapping, error=" ".join(sentences), status=problem.status
        )
    return responses.redirect_with_flash(
        exchange, f"{HOME}/{identifier}", message=TASK_MESSAGES[task]
    )


def _read_mapping(headers: list[str], form_data: FormData) -> dict[str, str]:
    """Read which field each column was mapped to. Columns without one are skipped."""
    paths = {
        header: form_data.get(f"{COLUMN_PREFIX}{position}", "")
        for position, header in enumerate(headers)
    }
    return {header: path for header, path in paths.items() if path}


@post("/import/{identifier:str}/undo", status_code=200)
async def undo_file_import(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Undo an import, once confirmed."""
    confirmation.require_confirmation(exchange, *UNDO_QUESTION)
    await ApiClient(exchange).send("POST", f"{IMPORT_PATH}/undo", import_id=identifier)
    return responses.redirect_with_flash(
        exchange, f"{HOME}/{identifier}", message="Undoing the import."
    )


@get("/import/{identifier:str}/faulty-rows")
async def download_faulty_rows(exchange: Exchange, identifier: str) -> StreamedResponse:
    """Download the faulty rows."""
    stream: StreamedResponse = await ApiClient(exchange).get_response(
        f"{IMPORT_PATH}/faulty-rows", import_id=identifier
    )
    return stream


handlers: Final = [
    list_file_imports,
    upload_import_file,
    export_imports,
    show_file_import,
    map_columns,
    undo_file_import,
    download_faulty_rows,
]
