"""Doing the tasks of imports in the worker, a batch at a time, for one company after the other.

A worker leases a task, renews the lease while it works, and reads the file in a separate process.
Each batch is one transaction: it creates the records, each in its own savepoint, and stores their
results and the progress. If a worker dies, its lease expires, and another one continues after the
last batch. A task fails at an error of its own, or after repeated failures without progress.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db, columns
from pannier.db.database import is_transient
from pannier.files import queries as files
from pannier.files.models import File
from pannier.files.storage import Storage
from pannier.imports import queries, reader
from pannier.imports.cells import CellContext
from pannier.imports.models import (
    ImportCounts,
    ImportRow,
    ImportRowState,
    ImportRun,
    ImportState,
    ImportTask,
)
from pannier.imports.queries import IMPORTS, LEASES
from pannier.imports.reader import ImportFileUnreadable
from pannier.imports.records import MappedColumns, RowGroup, RowGrouper
from pannier.imports.rows import RowBatch, undo_row
from pannier.imports.service import RUNNING_STATES
from pannier.jobs.leases import Lease
from pannier.parked.service import is_caused_by_work
from pannier.web.logs import log

LEASE_DURATION: Final = timedelta(seconds=60)
RENEWAL_SECONDS: Final = 15.0
# A task ends after this many attempts in a row that have saved no rows.
MAX_ATTEMPTS: Final = 10
# Delays after failures for which the task is not the reason, such as of the file storage.
MIN_RETRY_DELAY: Final = timedelta(seconds=30)
MAX_RETRY_DELAY: Final = timedelta(hours=1)
BATCH_ROWS: Final = 50
LOWEST_UUID: Final = UUID(int=0)
MAX_COMPANIES_TRIED: Final = 50
INTERRUPTED: Final = "The import was interrupted too often. Undo it, and upload the file again."
DEFECTIVE: Final = (
    "Pannier failed to process the file. Undo the import, and report its id to your administrator."
)
FILE_GONE: Final = "The file was deleted."
# Imports of one company take turns, so that the same file twice creates nothing twice.
COMPANY_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('imports' || :company, 0))"
# Reads one index entry per company, so that a long queue of one company adds no cost.
DUE_COMPANIES: Final = """
    with recursive waiting as (
        (select company from import_runs where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from import_runs where company > waiting.company
            order by company limit 1) next)
    select company from waiting w where exists (
        select from import_runs r where r.company = w.company and r.due_at <= pannier_now())
    limit :limit"""
FINISHED_STATES: Final[dict[ImportTask, ImportState]] = {
    "check": "checked",
    "import": "done",
    "undo": "undone",
}

FINISH_TIMES: Final[dict[ImportTask, str]] = {
    "check": "checked_at",
    "import": "finished_at",
    "undo": "undone_at",
}


class LeaseLost(Exception):  # noqa: N818 - an outcome
    """Another worker does the task, or it is no longer to be done."""


class ImportRunner:
    """Does tasks of imports, one after the other, for one company after the other."""

    def __init__(
        self,
        database: Database,
        storage: Storage,
        *,
        stop: asyncio.Event | None = None,
        renewal_seconds: float = RENEWAL_SECONDS,
    ) -> None:
        self._database, self._storage = database, storage
        self._stop = stop or asyncio.Event()
        self._renewal_seconds = renewal_seconds
        self._last_company = LOWEST_UUID

    async def step(self) -> bool:
        """Do one task. Return False if none is due."""
        run = None if self._stop.is_set() else await self.lease_next()
        if run is None:
            return False
        lease = Lease(run.import_uuid, run.attempts)
        try:
            await self._do_task(run, lease)
        except LeaseLost:
            log.info("import continues elsewhere", company=str(run.company))
        except Exception as failure:
            if is_caused_by_work(failure):
                log.error("import failed", company=str(run.company), exc_info=failure)
                await self._finish(run, lease, DEFECTIVE)
                return True
            async with self._database.transaction() as db:
                await LEASES.retry(db, lease, _compute_retry_delay(run))
            raise
        return True

    async def lease_next(self) -> ImportRun | None:
        """Lease a task of the next company that has one due."""
        async with self._database.transaction() as db:
            await db.require_safe_clock()
            for last_company in dict.fromkeys((self._last_company, LOWEST_UUID)):
                rows = await db.fetch_tuples(
                    DUE_COMPANIES, last=last_company, limit=MAX_COMPANIES_TRIED
                )
                for (company,) in rows:
                    run = await _lease_oldest(db, company)
                    if run is not None:
                        self._last_company = company
                        return run
        return None

    async def _do_task(self, run: ImportRun, lease: Lease) -> None:
        if run.attempts - run.progress_attempt > MAX_ATTEMPTS:
            await self._finish(run, lease, INTERRUPTED)
            return
        try:
            is_complete = await self._work_while_leased(run, lease)
        except ImportFileUnreadable as problem:
            await self._finish(run, lease, problem.detail)
            return
        if is_complete:
            await self._finish(run, lease)
        else:
            # This worker stops. That does not count as an attempt.
            async with self._database.transaction() as db:
                await LEASES.retry(db, lease, timedelta(), attempts=run.attempts - 1)

    async def _work_while_leased(self, run: ImportRun, lease: Lease) -> bool:
        """Do a task, and renew its lease meanwhile. Return False if the worker stops."""
        renewal = asyncio.create_task(self._renew(lease))
        work = asyncio.create_task(
            self._undo(run, lease) if run.task == "undo" else self._process_file(run, lease)
        )
        try:
            await asyncio.wait([work, renewal], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                # It ends only by raising.
                renewal.result()
            return await work
        finally:
            renewal.cancel()
            work.cancel()
            await asyncio.gather(work, renewal, return_exceptions=True)

    async def _renew(self, lease: Lease) -> None:
        """Renew a lease until it is lost. Reading a large file takes longer than one lasts."""
        while True:
            await asyncio.sleep(self._renewal_seconds)
            try:
                async with self._database.transaction() as db:
                    is_held = await LEASES.extend(db, lease, LEASE_DURATION)
            except Exception as failure:
                # The lease lasts for some more attempts.
                if not is_transient(failure):
                    raise
            else:
                if not is_held:
                    raise LeaseLost

    async def _process_file(self, run: ImportRun, lease: Lease) -> bool:
        """Process the rest of a file. Return False if the worker stops before its end."""
        async with self._database.transaction() as db:
            row = await IMPORTS.get(db, run.company, run.import_uuid)
            context = await _load_context(db, row)
            found = (
                {} if row.file is None else await files.load_by_uuids(db, row.company, [row.file])
            )
        if not found:
            raise ImportFileUnreadable(FILE_GONE)
        [file] = found.values()
        mapped = MappedColumns(row.resource, row.headers, row.mapping)
        batch = RowBatch(run, lease, mapped, context)
        async with aclosing(_read_groups(self._storage, file, mapped)) as groups:
            async for group in groups:
                if group.number <= row.processed:
                    batch.remember(group)
                    continue
                batch.add(group)
                if len(batch.groups) >= BATCH_ROWS:
                    await self._save_batch(batch)
                    if self._stop.is_set():
                        return False
        await self._save_batch(batch)
        return True

    async def _save_batch(self, batch: RowBatch) -> None:
        """Process a batch of rows in one transaction."""
        run = batch.run
        async with self._database.transaction() as db:
            row = await _lock_task(db, run, batch.lease)
            if row.processed == 0:
                await _delete_results(db, row)
            await db.execute(COMPANY_LOCK, company=str(run.company))
            results = [await batch.process(db, row, group) for group in batch.groups]
            stored = [
                result for result in results if run.task == "import" or result.state != "created"
            ]
            await db.insert("import_rows", *stored)
            counts = _count(row.counts, [result.state for result in results], run.task)
            last_number = max((group.last_number for group in batch.groups), default=row.processed)
            await _save_progress(db, run, row, counts, last_number)
        batch.groups.clear()

    async def _undo(self, run: ImportRun, lease: Lease) -> bool:
        """Delete the created records, the last ones first. Return False if the worker stops."""
        while not self._stop.is_set():
            async with self._database.transaction() as db:
                row = await _lock_task(db, run, lease)
                results = await queries.list_created_rows(db, row.company, row.uuid, BATCH_ROWS)
                if not results:
                    return True
                states = [await undo_row(db, row, result) for result in results]
                counts = _count(row.counts, states, "undo")
                await _save_progress(db, run, row, counts, row.processed)
        return False

    async def _finish(self, run: ImportRun, lease: Lease, failure: str | None = None) -> None:
        """End a task."""
        async with self._database.transaction() as db:
            row = await _lock_task(db, run, lease)
            await LEASES.delete(db, lease)
            changes: dict[str, Any] = {FINISH_TIMES[run.task]: db.now, "row_count": row.processed}
            await IMPORTS.change(
                db,
                row,
                state=FINISHED_STATES[run.task] if failure is None else "failed",
                failure=failure or row.failure,
                log_action="finished",
                **changes,
            )


async def _read_groups(
    storage: Storage, file: File, mapped: MappedColumns
) -> AsyncGenerator[RowGroup, None]:
    """Read the rows of a file, those of an order together."""
    grouper = RowGrouper(mapped)
    async with reader.open_sheet(storage, file) as sheet:
        async for sheet_row in sheet.read_rows():
            group = grouper.add(sheet_row)
            if group is not None:
                yield group
    group = grouper.finish()
    if group is not None:
        yield group


async def _lease_oldest(db: Db, company: UUID) -> ImportRun | None:
    """Lease a company's oldest task that is due."""
    runs = await LEASES.lease_by_statement(
        db,
        ImportRun,
        f"""with due as materialized (
                select import_uuid from import_runs
                where company = :company and {LEASES.due_condition()}
                order by due_at, import_uuid limit 1 for update skip locked)
            update import_runs set {LEASES.lease_assignments}
            from due where import_runs.import_uuid = due.import_uuid
            returning {columns(ImportRun, "import_runs")}""",
        lease=LEASE_DURATION,
        company=company,
    )
    return runs[0] if runs else None


async def _load_context(db: Db, row: ImportRow) -> CellContext:
    settings = await company_settings.load(db, row.company)
    return CellContext(settings.zone, settings.locale, settings.currency, row.date_order)


async def _lock_task(db: Db, run: ImportRun, lease: Lease) -> ImportRow:
    """Lock the import, renew the lease, and act for the person who requested the task."""
    row = await IMPORTS.lock(db, run.company, run.import_uuid)
    is_held = await LEASES.extend(db, lease, LEASE_DURATION)
    if not is_held or row.state != RUNNING_STATES[run.task]:
        raise LeaseLost
    if row.actor is not None:
        db.actor = row.actor
    return row


async def _delete_results(db: Db, row: ImportRow) -> None:
    """Delete the results of an earlier dry run."""
    await db.execute(
        "delete from import_rows where company = :company and import_uuid = :import_uuid",
        company=row.company,
        import_uuid=row.uuid,
    )


def _count(
    counts: ImportCounts, states: Sequence[ImportRowState], task: ImportTask
) -> ImportCounts:
    """Add the results of a batch."""
    values: dict[str, int] = msgspec.structs.asdict(counts)
    for state in states:
        values["ready" if task == "check" and state == "created" else state] += 1
        if task == "undo":
            values["created"] -= 1
    return ImportCounts(**values)


async def _save_progress(
    db: Db, run: ImportRun, row: ImportRow, counts: ImportCounts, processed: int
) -> None:
    await db.execute(
        """update imports set counts = :counts, processed = :processed
           where company = :company and uuid = :import_uuid""",
        counts=counts,
        processed=processed,
        company=row.company,
        import_uuid=row.uuid,
    )
    if run.progress_attempt != run.attempts:
        await db.execute(
            """update import_runs set progress_attempt = attempts
               where company = :company and import_uuid = :import_uuid""",
            company=row.company,
            import_uuid=row.uuid,
        )


def _compute_retry_delay(run: ImportRun) -> timedelta:
    """Return the time until the next attempt, doubled for each one without progress."""
    failures = run.attempts - run.progress_attempt
    return min(MIN_RETRY_DELAY * 2.0 ** min(failures, 20), MAX_RETRY_DELAY)
