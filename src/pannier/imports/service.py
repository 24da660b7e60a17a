"""Creating imports, and requesting their tasks."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid
from pannier.files.models import File, StoredObject
from pannier.files.storage import Storage
from pannier.imports import mapping as mappings
from pannier.imports import queries, reader
from pannier.imports.models import (
    FileLayout,
    ImportCounts,
    ImportResource,
    ImportRow,
    ImportState,
    ImportTask,
)
from pannier.imports.queries import IMPORTS
from pannier.imports.schemas import ImportChange, ImportIn
from pannier.web.fields import get_sent_fields

# The NOTIFY channel for new tasks.
CHANNEL: Final = "pannier_imports"
SAMPLE_ROWS: Final = 5
MAX_SAMPLE_CHARACTERS: Final = 100
# Tasks of a company that are queued or running.
MAX_UNFINISHED: Final = 20
RUNNING_STATES: Final[Mapping[ImportTask, ImportState]] = {
    "check": "checking",
    "import": "importing",
    "undo": "undoing",
}
# The states in which each task can be requested.
ALLOWED_STATES: Final[Mapping[ImportTask, frozenset[ImportState]]] = {
    "check": frozenset({"new", "checked", "failed"}),
    "import": frozenset({"new", "checked", "failed"}),
    "undo": frozenset({"done", "failed", "undone"}),
}


class ImportStateRefused(Conflict):
    """The import's state does not allow this."""

    code = "import_state"
    title = "The state of the import does not allow this."
    remedy = "See its `state`."


class ImportFileGone(Conflict):
    """The file of an import is deleted after its retention."""

    code = "import_file_gone"
    title = "The file of this import was deleted."
    remedy = "Upload it again as a new import."


class TooManyImports(Conflict):
    """The number of queued and running tasks per company is limited."""

    code = "too_many_imports"
    title = f"A company can have at most {MAX_UNFINISHED} unfinished imports."
    remedy = "Wait until one is finished."


class FilePreview(NamedTuple):
    """How a file is to be read, its columns, and its first rows."""

    layout: FileLayout
    headers: list[str]
    sample: list[list[str]]


async def read_preview(
    storage: Storage, company: UUID, file: File | StoredObject | None
) -> FilePreview:
    """Read the beginning of a file. Call it outside a transaction."""
    assert file is not None  # noqa: S101 - one of a request's two files
    async with reader.open_sheet(storage, file, company=company, limit=SAMPLE_ROWS) as sheet:
        sample = [
            [cell[:MAX_SAMPLE_CHARACTERS] for cell in row.cells] async for row in sheet.read_rows()
        ]
        return FilePreview(sheet.layout, sheet.head.headers, sample)


async def create(
    db: Db, company: UUID, data: ImportIn, file: File, preview: FilePreview
) -> ImportRow:
    """Create an import of a file, with the given or the suggested mapping."""
    digest = mappings.digest_headers(preview.headers)
    if isinstance(data.mapping, dict):
        mapping = mappings.check_mapping(data.resource, preview.headers, data.mapping)
    else:
        mapping = await suggest_mapping(db, company, data.resource, preview.headers)
    row = IMPORTS.draft(
        db,
        company,
        resource=data.resource,
        state="new",
        file=file.uuid,
        file_name=file.name,
        layout=preview.layout,
        headers=preview.headers,
        headers_digest=digest,
        sample=preview.sample,
        mapping=mapping,
        date_order=data.date_order,
    )
    return await IMPORTS.insert(db, row)


async def suggest_mapping(
    db: Db, company: UUID, resource: ImportResource, headers: list[str]
) -> dict[str, str]:
    """Suggest the mapping that was used last for these headers, or one by their names."""
    digest = mappings.digest_headers(headers)
    stored = await queries.find_last_mapping(db, company, resource, digest)
    usable_mapping = {header: path for header, path in stored.items() if header in headers}
    return usable_mapping or mappings.suggest_mapping(resource, headers)


async def change(db: Db, row: ImportRow, data: ImportChange) -> ImportRow:
    """Change the mapping of an import. The result of a dry run is then void."""
    changes = get_sent_fields(data)
    if "mapping" in changes:
        changes["mapping"] = mappings.check_mapping(row.resource, row.headers, changes["mapping"])
    if all(getattr(row, name) == value for name, value in changes.items()):
        return row
    if row.state not in ALLOWED_STATES["import"] or row.started_at is not None:
        raise ImportStateRefused("The mapping can be changed until the import starts.")
    changed, _ = await IMPORTS.change(
        db, row, **changes, state="new", counts=ImportCounts(), checked_at=None
    )
    return changed


async def request(db: Db, row: ImportRow, task: ImportTask) -> ImportRow:
    """Request a task of a locked import. A worker does it."""
    if row.state == RUNNING_STATES[task]:
        return row
    _check_state(row, task)
    if await queries.count_unfinished(db, row.company) >= MAX_UNFINISHED:
        raise TooManyImports
    counts = row.counts if task == "undo" else ImportCounts()
    if task == "undo":
        # Records that could not be deleted before are tried again.
        await db.execute(
            """update import_rows set state = 'created', errors = '[]'
               where company = :company and import_uuid = :import_uuid and state = 'kept'""",
            company=row.company,
            import_uuid=row.uuid,
        )
        counts = msgspec.structs.replace(counts, created=counts.created + counts.kept, kept=0)
    changed, _ = await IMPORTS.change(
        db,
        row,
        state=RUNNING_STATES[task],
        processed=row.processed if task == "undo" else 0,
        counts=counts,
        failure=None if task != "undo" else row.failure,
        actor=db.actor,
        log_action={"check": "checked", "import": "started", "undo": "undone"}[task],
        started_at=db.now if task == "import" else row.started_at,
    )
    await db.execute(
        """insert into import_runs (import_uuid, company, task, created_at, due_at)
           values (:import_uuid, :company, :task, :now, pannier_now())""",
        import_uuid=row.uuid,
        company=row.company,
        task=task,
        now=db.now,
    )
    db.notify(CHANNEL)
    return changed


def _check_state(row: ImportRow, task: ImportTask) -> None:
    if row.state not in ALLOWED_STATES[task]:
        raise ImportStateRefused(f"The import is {row.state}.")
    if task == "undo":
        if row.started_at is None:
            raise ImportStateRefused("The import has created nothing.")
        return
    if row.started_at is not None:
        raise ImportStateRefused("The import was started already. Upload the file again.")
    if row.file is None:
        raise ImportFileGone
    missing = mappings.list_missing_fields(row.resource, row.mapping)
    if missing or not row.mapping:
        names = ", ".join(missing) or "at least one field"
        raise Invalid(fields=[FieldError("mapping", f"Choose a column for {names}.")])
