"""Photos of issues, which are stored and deleted with the issue."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.accounts import audit
from pannier.db import Db, columns
from pannier.db.row import PlainRow
from pannier.errors import Conflict
from pannier.files import service as files
from pannier.files.models import StoredObject
from pannier.fleet.models import Issue

MAX_PHOTOS: Final = 20


class TooManyPhotos(Conflict):
    """The number of photos per issue is limited."""

    code = "too_many_photos"
    title = f"An issue can have at most {MAX_PHOTOS} photos."
    remedy = "Delete one first."


class IssuePhoto(PlainRow, kw_only=True):
    """A photo of an issue, and its thumbnail."""

    issue: UUID
    file: UUID
    thumbnail: UUID


async def list_photos(db: Db, company: UUID, issue: UUID) -> list[IssuePhoto]:
    """List the photos of an issue, oldest first."""
    return await db.fetch_all(
        IssuePhoto,
        f"""select {columns(IssuePhoto)} from issue_photos
            where company = :company and issue = :issue order by created_at, uuid""",
        company=company,
        issue=issue,
    )


async def attach_photos(
    db: Db, issue: Issue, pictures: Sequence[tuple[StoredObject, StoredObject]]
) -> None:
    """Store photos of a locked issue. They cannot be deleted as files."""
    existing_photos = await list_photos(db, issue.company, issue.uuid)
    if len(existing_photos) + len(pictures) > MAX_PHOTOS:
        raise TooManyPhotos
    for number, (picture, thumbnail) in enumerate(pictures, len(existing_photos) + 1):
        name = f"{issue.public_id}-{number}"
        suffix = "png" if picture.content_type == "image/png" else "jpg"
        stored_file = await files.create(
            db, issue.company, picture, name=f"{name}.{suffix}", held=True
        )
        stored_thumbnail = await files.create(
            db, issue.company, thumbnail, name=f"{name}-thumbnail.webp", held=True
        )
        row = IssuePhoto(
            **db.new_row_fields(issue.company),
            issue=issue.uuid,
            file=stored_file.uuid,
            thumbnail=stored_thumbnail.uuid,
        )
        await db.insert("issue_photos", row)
    audit.record_by_operator(
        db, issue.company, "issue.photographed", issue.public_id, photos=len(pictures)
    )


async def delete_photos(db: Db, company: UUID, issues: Sequence[UUID]) -> None:
    """Delete the photos of issues."""
    rows = await db.fetch_tuples(
        """delete from issue_photos where company = :company and issue = any(:issues)
           returning file, thumbnail""",
        company=company,
        issues=list(issues),
    )
    await files.delete_held_files(db, company, [uuid for row in rows for uuid in row])
