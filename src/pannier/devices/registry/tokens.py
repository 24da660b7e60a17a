"""A device's tokens: what it shows at the door, and another one in its place."""

from datetime import timedelta

from pannier.accounts.audit import record
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.devices.models import Device


def holder(device: Device) -> Holder:
    """Name a device as tokens do."""
    return Holder(device.company, "device", device.uuid, device.public_id)


async def issue(db: Db, device: Device) -> str:
    """Give a device a token, and answer its text, which is shown once."""
    opened = await tokens.open_token(db, holder(device), "issued", Origin())
    record(db, device.company, "device.token_issued", device.public_id, token=opened.row.public_id)
    return opened.text


async def rotate(db: Db, device: Device, grace: timedelta) -> str:
    """Give a device another token; the older one is taken for the grace, and none before it."""
    if grace:
        await tokens.end_by(db, holder(device), db.now + grace)
    else:
        await tokens.revoke_all(db, holder(device), by="rotation")
    opened = await tokens.open_token(db, holder(device), "rotated", Origin())
    record(
        db, device.company, "device.token_rotated", device.public_id,
        token=opened.row.public_id, grace_seconds=int(grace.total_seconds()),
    )  # fmt: skip
    return opened.text


async def end_all(db: Db, device: Device) -> None:
    """End every token of a device that leaves."""
    await tokens.revoke_all(db, holder(device), by="deleted")
