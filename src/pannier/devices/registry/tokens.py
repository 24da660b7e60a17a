"""Tokens of devices: issue, rotate and revoke."""

from datetime import timedelta

from pannier.accounts.audit import record
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.devices.models import Device


def to_holder(device: Device) -> Holder:
    """Return the device as a token holder."""
    return Holder(device.company, "device", device.uuid, device.public_id)


async def issue(db: Db, device: Device) -> str:
    """Issue a token, and return its text, which is shown once."""
    token = await tokens.create_token(db, to_holder(device), "issued", SigninOrigin())
    record(db, device.company, "device.token_issued", device.public_id, token=token.row.public_id)
    return token.text


async def rotate(db: Db, device: Device, grace: timedelta) -> str:
    """Issue a new token. The old tokens stay valid for the grace period at most."""
    if grace:
        await tokens.limit_expiry(db, to_holder(device), db.now + grace)
    else:
        await tokens.revoke_all_tokens(db, to_holder(device), revoked_by="rotation")
    token = await tokens.create_token(db, to_holder(device), "rotated", SigninOrigin())
    record(
        db, device.company, "device.token_rotated", device.public_id,
        token=token.row.public_id, grace_seconds=int(grace.total_seconds()),
    )  # fmt: skip
    return token.text


async def revoke_all(db: Db, device: Device) -> None:
    """Revoke all tokens of a device that is being deleted."""
    await tokens.revoke_all_tokens(db, to_holder(device), revoked_by="deleted")
