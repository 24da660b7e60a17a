"""Reports of issues with photos."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.files import links
from pannier.files import queries as files
from pannier.files.models import StoredObject
from pannier.fleet.issues import photos, queries
from pannier.fleet.issues import service as issues
from pannier.fleet.issues.schemas import IssueIn
from pannier.fleet.models import Issue
from pannier.kit.structs import convert_struct
from pannier.orders.issue_photos.schemas import IssuePhotoOut, ReportedOut, ReportIn
from pannier.proofs.evidence import Evidence
from pannier.settings import Settings
from pannier.web.times import to_rfc3339

LINK_LIFETIME: Final = timedelta(minutes=15)


async def check_report(db: Db, company: UUID, data: ReportIn, *, own_driver: UUID | None) -> None:
    """Reject a report about unknown records, or about records of another driver."""
    await issues.prepare_report(db, company, convert_struct(data, IssueIn), own_driver=own_driver)


async def report(
    db: Db, company: UUID, data: ReportIn, evidence: Sequence[Evidence], *, own_driver: UUID | None
) -> Issue:
    issue = await issues.report(db, company, convert_struct(data, IssueIn), own_driver=own_driver)
    await photos.attach_photos(db, issue, _list_stored_pictures(evidence))
    return issue


async def attach_photos(db: Db, issue: Issue, evidence: Sequence[Evidence]) -> Issue:
    """Add photos to a locked issue, and emit the event."""
    await photos.attach_photos(db, issue, _list_stored_pictures(evidence))
    return await issues.record_photos(db, issue)


def _list_stored_pictures(evidence: Sequence[Evidence]) -> list[tuple[StoredObject, StoredObject]]:
    return [item.stored for item in evidence if item.stored is not None]


async def load_photo_outs(db: Db, settings: Settings, issue: Issue) -> list[IssuePhotoOut]:
    """Build the output of an issue's photos, with fresh links."""
    rows = await photos.list_photos(db, issue.company, issue.uuid)
    files_by_uuid = await files.load_by_uuids(
        db, issue.company, [uuid for row in rows for uuid in (row.file, row.thumbnail)]
    )

    def make_url(uuid: UUID) -> str:
        file_id, expires_at = files_by_uuid[uuid].public_id, db.now + LINK_LIFETIME
        return links.make_link(db.database.keys, settings.base_url, file_id, expires_at).url

    return [
        IssuePhotoOut(
            url=make_url(row.file),
            thumbnail_url=make_url(row.thumbnail),
            created_at=to_rfc3339(row.created_at),
        )
        for row in rows
    ]


async def load_report_out(db: Db, settings: Settings, issue: Issue) -> ReportedOut:
    issue_out = (await queries.load_issues_out(db, issue.company, [issue]))[0]
    return convert_struct(issue_out, ReportedOut, photos=await load_photo_outs(db, settings, issue))
