"""Processing single rows: creating their records, and deleting them again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from pannier.db import Db
from pannier.db.database import is_transient
from pannier.errors import Invalid, Problem, Unavailable
from pannier.imports import adapters, queries, records
from pannier.imports.adapters import ADAPTERS
from pannier.imports.cells import CellContext
from pannier.imports.models import ImportRow, ImportRowState, ImportRun, RowError, RowResult
from pannier.imports.records import MappedColumns, RowGroup, RowRefused
from pannier.jobs.leases import Lease
from pannier.parked.service import is_caused_by_work
from pannier.web.logs import log

UNEXPECTED: Final = "This row could not be processed."
# A row is tried at most this often again, to find the errors that others hide.
MAX_ERROR_ROUNDS: Final = 4


class RowBatch:
    """The rows that are processed next, and the keys of the rows before them."""

    def __init__(
        self, run: ImportRun, lease: Lease, mapped: MappedColumns, context: CellContext
    ) -> None:
        self.run, self.lease, self.mapped, self.context = run, lease, mapped, context
        self.adapter = ADAPTERS[mapped.resource]
        self.groups: list[RowGroup] = []
        self._numbers: dict[bytes, int] = {}
        self._repeated: dict[int, int] = {}

    def add(self, group: RowGroup) -> None:
        self.groups.append(group)
        self.remember(group)

    def remember(self, group: RowGroup) -> None:
        """Remember the key of a row, and whether an earlier row has it."""
        first_number = self._numbers.setdefault(group.key, group.number)
        if first_number != group.number:
            self._repeated[group.number] = first_number

    async def process(self, db: Db, row: ImportRow, group: RowGroup) -> RowResult:
        """Create the record of a row, or find out what prevents that."""
        state: ImportRowState = "failed"
        record: str | None = None
        errors: list[RowError] = []
        fingerprint: bytes | None = None
        is_dry = self.run.task == "check"
        try:
            first_number = self._repeated.get(group.number)
            if first_number is not None and (is_dry or row.resource == "orders"):
                state, errors = self._judge_repeated(first_number)
            else:
                state, record, fingerprint = await self._write(db, row, group, is_dry=is_dry)
        except RowRefused as refusal:
            errors = await self._add_hidden_errors(db, row, group, refusal.errors)
        except Problem as problem:
            if is_transient(problem) or isinstance(problem, Unavailable):
                raise
            errors = [self.mapped.to_row_error(error) for error in problem.fields] or [
                RowError(None, problem.detail)
            ]
            errors = await self._add_hidden_errors(db, row, group, errors)
        return RowResult(
            **db.new_row_fields(row.company),
            import_uuid=row.uuid,
            number=group.number,
            state=state,
            key=group.key,
            record=None if is_dry and state == "created" else record,
            errors=errors,
            fingerprint=fingerprint,
        )

    async def _add_hidden_errors(
        self, db: Db, row: ImportRow, group: RowGroup, errors: list[RowError]
    ) -> list[RowError]:
        """Add the errors that the first ones hide, so that people correct a row once."""
        all_errors = list(errors)
        for _ in range(MAX_ERROR_ROUNDS):
            faulty_columns = {error.column for error in all_errors if error.column is not None}
            if not faulty_columns:
                break
            found_errors = await self._find_errors_without(db, row, group, faulty_columns)
            hidden_errors = [
                error
                for error in found_errors
                if error.column not in faulty_columns and error not in all_errors
            ]
            if not hidden_errors:
                break
            all_errors += hidden_errors
        return all_errors

    async def _find_errors_without(
        self, db: Db, row: ImportRow, group: RowGroup, faulty_columns: set[str]
    ) -> list[RowError]:
        """Try a row without its faulty columns, and return the errors of other columns."""
        try:
            body = records.build_body(self.mapped, group, self.context, faulty_columns)
            async with db.nested_transaction(dry_run=True):
                with _refuse_defects(group.number):
                    await self.adapter.create(db, row.company, self.adapter.parse_body(body))
                    await db.flush()
        except RowRefused as refusal:
            return refusal.errors
        except Problem as problem:
            if is_transient(problem) or isinstance(problem, Unavailable):
                raise
            # A field without one of its columns may be incomplete only for that reason.
            return [
                self.mapped.to_row_error(error)
                for error in problem.fields
                if self.mapped.find_column(error.path)
                and faulty_columns.isdisjoint(self.mapped.list_columns(error.path))
            ]
        return []

    def _judge_repeated(self, first_number: int) -> tuple[ImportRowState, list[RowError]]:
        if self.mapped.resource == "orders":
            column = self.mapped.find_column("internal_id")
            message = f"Row {first_number} has this number too. Put the rows of an order together."
            return "failed", [RowError(column, message)]
        return "unchanged", [RowError(None, f"The same as row {first_number}.")]

    async def _write(
        self, db: Db, row: ImportRow, group: RowGroup, *, is_dry: bool
    ) -> tuple[ImportRowState, str | None, bytes | None]:
        record = await self._find_record(db, row, group)
        if record is not None:
            return "unchanged", record, None
        with _refuse_defects(group.number):
            body = records.build_body(self.mapped, group, self.context)
        async with db.nested_transaction(dry_run=is_dry):
            with _refuse_defects(group.number):
                record = await adapters.find_existing(self.adapter, db, row.company, body)
                if record is not None:
                    return "unchanged", record, None
                record = await self.adapter.create(db, row.company, self.adapter.parse_body(body))
                await _store_key(db, row, group.key, record)
                await db.flush()
                fingerprint = await self.adapter.load_fingerprint(db, row.company, record)
        return "created", record, fingerprint

    async def _find_record(self, db: Db, row: ImportRow, group: RowGroup) -> str | None:
        """Find the record that an earlier import created from the same row, if it exists."""
        record = await queries.find_record(db, row.company, row.resource, group.key)
        if record is None:
            return None
        existing = await self.adapter.table.find(db, row.company, record)
        return None if existing is None else record


async def _store_key(db: Db, row: ImportRow, key: bytes, record: str) -> None:
    await db.execute(
        """insert into import_keys (company, resource, key, record)
           values (:company, :resource, :key, :record)
           on conflict (company, resource, key) do update set record = excluded.record""",
        company=row.company,
        resource=row.resource,
        key=key,
        record=record,
    )


@contextmanager
def _refuse_defects(number: int) -> Iterator[None]:
    """Refuse a row on which Pannier itself fails, so that it does not stop the others."""
    try:
        yield
    except (Problem, RowRefused):
        raise
    except Exception as error:
        if not is_caused_by_work(error):
            raise
        log.error("row not processed", row=number, exc_info=error)
        raise Invalid(UNEXPECTED) from error


async def undo_row(db: Db, row: ImportRow, result: RowResult) -> ImportRowState:
    """Delete the record of a row, or store why it stays."""
    reason: str | None
    try:
        async with db.nested_transaction():
            with _refuse_defects(result.number):
                reason = await ADAPTERS[row.resource].try_delete(
                    db, row.company, result.record or "", result.fingerprint
                )
                await db.flush()
    except Problem as problem:
        if is_transient(problem) or isinstance(problem, Unavailable):
            raise
        reason = problem.detail
    state: ImportRowState = "undone" if reason is None else "kept"
    changes: dict[str, Any] = {
        "state": state,
        "errors": [] if reason is None else [RowError(None, reason)],
    }
    await db.update("import_rows", result.uuid, **changes)
    if reason is None:
        await db.execute(
            """delete from import_keys where company = :company and resource = :resource
               and key = :key and record = :record""",
            company=row.company,
            resource=row.resource,
            key=result.key,
            record=result.record,
        )
    return state
