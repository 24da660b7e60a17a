"""Queries for tracking numbers."""

from pannier.db import Db, columns
from pannier.payloads.models import TrackingNumber


async def find_number(db: Db, number: str) -> TrackingNumber | None:
    """Find a tracking number before its company is known."""
    sql = f"""select {columns(TrackingNumber)} from tracking_numbers
              where number = :number and deleted_at is null"""
    return await db.find(TrackingNumber, sql, number=number)
