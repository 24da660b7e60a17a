"""Retention of the audit log."""

from typing import Final

from pannier.db import audit
from pannier.db.retention import RetentionSweep

AUDIT: Final = RetentionSweep("audit", audit.TABLE)
