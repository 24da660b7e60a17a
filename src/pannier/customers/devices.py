"""Customers' devices for push messages."""

from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec.structs import asdict

from pannier.customers.models import Customer, CustomerDevice
from pannier.customers.schemas import AnyDeviceIn, UnregisterDeviceIn
from pannier.db import Db, Where, columns, parameters
from pannier.errors import FieldError, Invalid
from pannier.notifications import service as notifications
from pannier.notifications.models import NewsContext

# The same limit as for sign-ins.
MAX_DEVICES: Final = 20


async def register_device(
    db: Db, customer: Customer, session: UUID, data: AnyDeviceIn
) -> CustomerDevice:
    """Register a device. A push token of another customer moves to this customer."""
    platform = data.platform or data.os
    if platform is None:
        raise Invalid(fields=[FieldError("platform", "This field is required.")])
    details = {
        name: value
        for name, value in (("app_version", data.app_version), ("locale", data.locale))
        if value is not None
    }
    row = CustomerDevice(
        **db.new_row_fields(customer.company, "device"),
        store=customer.store,
        customer=customer.uuid,
        session=session,
        platform=platform,
        token=data.token,
        details=details,
        last_seen_at=db.now,
    )
    device = await db.get(
        CustomerDevice,
        f"""insert into customer_devices ({columns(CustomerDevice)})
           values ({parameters(CustomerDevice)})
           on conflict (store, platform, token) do update
           set customer = :customer, session = :session, details = :details,
               last_seen_at = :last_seen_at
           returning {columns(CustomerDevice)}""",
        **asdict(row),
    )
    await _delete_oldest(db, customer)
    return device


async def _delete_oldest(db: Db, customer: Customer) -> None:
    """Delete the oldest devices above the limit, because each receives every message."""
    where = Where(customer.company).add_equal(customer=customer.uuid)
    await db.execute(
        f"""delete from customer_devices where uuid = any(array(
               select uuid from customer_devices {where}
               order by last_seen_at desc, uuid desc offset :kept_count))""",
        **where.values,
        kept_count=MAX_DEVICES,
    )


async def unregister_device(db: Db, customer: Customer, data: UnregisterDeviceIn) -> None:
    """Stop push messages to a device; an unknown one is not an error."""
    where = Where(customer.company).add_equal(
        customer=customer.uuid, token=data.token, platform=data.platform
    )
    await db.execute(f"delete from customer_devices {where}", **where.values)


async def push_to_devices(
    db: Db,
    company: UUID,
    customer: UUID,
    title: str,
    text: str,
    expires_at: datetime,
    news_context: NewsContext | None = None,
) -> int:
    """Send a push message to every device with an active session, and return their number.

    The message is not sent after `expires_at`.
    """
    devices = await db.fetch_all(
        CustomerDevice,
        f"""select {columns(CustomerDevice, "d")} from customer_devices d
            join tokens t on t.uuid = d.session and t.company = d.company
            where d.company = :company and d.customer = :customer and t.revoked_at is null
              and (t.ends_at is null or t.ends_at > pannier_now())""",
        company=company,
        customer=customer,
    )
    for device in devices:
        await notifications.queue_message(
            db,
            company,
            "push",
            device.token,
            text,
            title,
            expires_at=expires_at,
            customer=customer,
            news_context=news_context,
        )
    return len(devices)
