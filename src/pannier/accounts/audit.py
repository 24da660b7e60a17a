"""Audit entries for actions that change no row, such as signing out.

The layer that writes rows records their changes: see `pannier.db.table`.
"""

from typing import Any
from uuid import UUID

from pannier.db import Db, audit


def record(db: Db, company: UUID, action: str, subject: str, **details: Any) -> None:  # noqa: ANN401 - JSON
    """Record an action of the transaction's actor."""
    audit.record(db, company, action, subject, details=details)


def record_by_operator(db: Db, company: UUID, action: str, subject: str, **details: Any) -> None:  # noqa: ANN401 - JSON
    """Record an operator's change of rows without an audited table; skip other actors."""
    if db.actor.kind == "operator":
        record(db, company, action, subject, **details)
