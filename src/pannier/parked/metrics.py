"""What Prometheus learns of parked work."""

from pannier.db import Db
from pannier.web.metrics import gauge

_parked = gauge("pannier_parked", "Pieces of background work that failed and were set aside.")


async def count(db: Db) -> None:
    """Take over how much is parked."""
    _parked.set(await db.value("select count(*) from parked"))
