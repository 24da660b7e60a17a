"""Photos of issues, which are stored and deleted with the issue."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.accounts import audit
from pannier.db import Db, columns
from pannier.db.row import PlainRow
from pannier.errors import Conflict
from pannier.files import service as files
from pannier.files.models import Stored
from pannier.fleet.models import Issue

MOST: Final = 20


class TooManyPhotos(Conflict):
    """The number of photos of an issue is limited."""

    code = "too_many_photos"
    title = f"An issue has at most {MOST} photos."
    remedy = "Delete one first."


class IssuePhoto(PlainRow, kw_only=True):
    """A photo of an issue, and its thumbnail."""

    issue: UUID
    file: UUID
    thumbnail: UUID


async def of_issue(db: Db, company: UUID, issue: UUID) -> list[IssuePhoto]:
    """List the photos of an issue, the oldest first."""
    return await db.many(
        IssuePhoto,
        f"""select {columns(IssuePhoto)} from issue_photos
            where company = :company and issue = :issue order by created_at, uuid""",
        company=company,
        issue=issue,
    )


async def attach(db: Db, issue: Issue, pictures: Sequence[tuple[Stored, Stored]]) -> None:
    """Store photos with a locked issue. They cannot be deleted as files."""
    known = await of_issue(db, issue.company, issue.uuid)
    if len(known) + len(pictures) > MOST:
        raise TooManyPhotos
    for number, (picture, thumbnail) in enumerate(pictures, len(known) + 1):
        name = f"{issue.public_id}-{number}"
        suffix = "png" if picture.content_type == "image/png" else "jpg"
        kept = await files.keep(db, issue.company, picture, name=f"{name}.{suffix}", held=True)
        small = await files.keep(
            db, issue.company, thumbnail, name=f"{name}-thumbnail.webp", held=True
        )
        row = IssuePhoto(
            **db.begun(issue.company),
            issue=issue.uuid,
            file=kept.uuid,
            thumbnail=small.uuid,
        )
        await db.insert("issue_photos", row)
    audit.note(db, issue.company, "issue.photographed", issue.public_id, photos=len(pictures))


async def release(db: Db, company: UUID, issues: Sequence[UUID]) -> None:
    """Delete the photos of some issues."""
    gone = await db.tuples(
        """delete from issue_photos where company = :company and issue = any(:issues)
           returning file, thumbnail""",
        company=company,
        issues=list(issues),
    )
    await files.release(db, company, [uuid for row in gone for uuid in row])
