"""Pictures for documents, read from the storage."""

import hashlib
from typing import Final

from pannier.files.models import File
from pannier.files.storage import Storage, StorageUnavailable
from pannier.proofs.archive import ProofAttachment

MAX_LOGO_BYTES: Final = 2 * 1024 * 1024
IMAGE_GONE: Final = "The image is no longer stored."
IMAGE_CHANGED: Final = "The stored image differs from the captured one."


async def load_logo(storage: Storage, file: File | None) -> bytes | None:
    """Read a company's logo, if it is small enough to print."""
    if file is None or file.size > MAX_LOGO_BYTES:
        return None
    return (await load_picture(storage, file)).data


async def load_picture(storage: Storage, file: File | None) -> ProofAttachment:
    """Read a picture, or note that it is missing or altered."""
    if file is None:
        return ProofAttachment("", missing=IMAGE_GONE)
    try:
        data = await storage.get(file.sha256)
    except StorageUnavailable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return ProofAttachment(file.content_type, missing=IMAGE_GONE)
        raise
    if hashlib.sha256(data).digest() != file.sha256:
        return ProofAttachment(file.content_type, missing=IMAGE_CHANGED)
    return ProofAttachment(file.content_type, data)
