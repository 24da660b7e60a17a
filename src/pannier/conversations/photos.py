"""Photos of messages, which are stored and deleted with their message."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from pannier.conversations.models import DriverMessage, MessagePhoto
from pannier.conversations.schemas import MessagePhotoOut
from pannier.db import Db, columns
from pannier.files import links
from pannier.files import queries as file_queries
from pannier.files import service as files
from pannier.files.models import StoredObject
from pannier.proofs.evidence import Evidence
from pannier.settings import Settings

LINK_LIFETIME: Final = timedelta(minutes=15)
# Links stay the same for so long, so that a phone that asks often has not always a new answer.
LINK_STEP_SECONDS: Final = 300


async def attach_photos(db: Db, message: DriverMessage, evidence: Sequence[Evidence]) -> None:
    """Store the photos of a new message. They cannot be deleted as files."""
    pictures = [item.stored for item in evidence if item.stored is not None]
    for number, (picture, thumbnail) in enumerate(pictures, 1):
        name = f"{message.public_id}-{number}"
        row = MessagePhoto(
            **db.new_row_fields(message.company),
            message=message.uuid,
            file=await _create_file(db, message.company, picture, name),
            thumbnail=await _create_file(db, message.company, thumbnail, f"{name}-thumbnail"),
        )
        await db.insert("driver_message_photos", row)


async def _create_file(db: Db, company: UUID, stored: StoredObject, name: str) -> UUID:
    suffix = {"image/png": "png", "image/webp": "webp"}.get(stored.content_type, "jpg")
    return (await files.create(db, company, stored, name=f"{name}.{suffix}", held=True)).uuid


async def list_photos(db: Db, company: UUID, messages: Sequence[UUID]) -> list[MessagePhoto]:
    """List the photos of messages, oldest first."""
    return await db.fetch_all(
        MessagePhoto,
        f"""select {columns(MessagePhoto)} from driver_message_photos
            where company = :company and message = any(:messages) order by created_at, uuid""",
        company=company,
        messages=list(messages),
    )


async def has_same_photos(db: Db, message: DriverMessage, evidence: Sequence[Evidence]) -> bool:
    """Return whether a message has these photos and no others, in any order."""
    rows = await list_photos(db, message.company, [message.uuid])
    files_by_uuid = await file_queries.load_by_uuids(
        db, message.company, [row.file for row in rows]
    )
    digests = [item.stored[0].sha256 for item in evidence if item.stored is not None]
    return sorted(file.sha256 for file in files_by_uuid.values()) == sorted(digests)


async def load_photo_outs(
    db: Db, settings: Settings, company: UUID, messages: Sequence[UUID]
) -> dict[UUID, list[MessagePhotoOut]]:
    """Load the photos of messages, with fresh links."""
    rows = await list_photos(db, company, messages) if messages else []
    if not rows:
        return {}
    files_by_uuid = await file_queries.load_by_uuids(
        db, company, [uuid for row in rows for uuid in (row.file, row.thumbnail)]
    )
    expires_at = _find_expiry(db.now)

    def make_url(uuid: UUID) -> str:
        public_id = files_by_uuid[uuid].public_id
        return links.make_link(db.database.keys, settings.base_url, public_id, expires_at).url

    outs: defaultdict[UUID, list[MessagePhotoOut]] = defaultdict(list)
    for row in rows:
        # The files of a message that is deleted at this moment are gone before it.
        if not {row.file, row.thumbnail} <= files_by_uuid.keys():
            continue
        outs[row.message].append(MessagePhotoOut(make_url(row.file), make_url(row.thumbnail)))
    return outs


def _find_expiry(now: datetime) -> datetime:
    seconds = now.timestamp() // LINK_STEP_SECONDS * LINK_STEP_SECONDS + LINK_STEP_SECONDS
    return datetime.fromtimestamp(seconds, now.tzinfo) + LINK_LIFETIME


async def delete_photos(db: Db, company: UUID, messages: Sequence[UUID]) -> None:
    """Delete the photos of messages."""
    rows = await db.fetch_tuples(
        """delete from driver_message_photos where company = :company and message = any(:messages)
           returning file, thumbnail""",
        company=company,
        messages=list(messages),
    )
    if rows:
        await files.delete_held_files(db, company, [uuid for row in rows for uuid in row])
