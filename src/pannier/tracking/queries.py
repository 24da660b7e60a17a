"""Reading what has a tracking number."""

from pannier.db import Db, columns
from pannier.payloads.models import TrackingNumber


async def numbered(db: Db, number: str) -> TrackingNumber | None:
    """Find a tracking number that somebody holds, before a company is known."""
    sql = f"""select {columns(TrackingNumber)} from tracking_numbers
              where number = :number and deleted_at is null"""
    return await db.find(TrackingNumber, sql, number=number)
