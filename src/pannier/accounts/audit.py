"""What is done without changing a row, such as signing out, in the audit log all the same.

Changes of rows are written down by the layer that writes them: see `pannier.db.table`.
"""

from typing import Any
from uuid import UUID

from pannier.db import Db, audit


def record(db: Db, company: UUID, action: str, subject: str, **details: Any) -> None:  # noqa: ANN401 - JSON
    """Write down that whoever is behind the transaction did something."""
    audit.write(db, company, action, subject, details=details)


def note(db: Db, company: UUID, action: str, subject: str, **details: Any) -> None:  # noqa: ANN401 - JSON
    """Write down what an operator did to rows that have no table of their own; others' is not."""
    if db.actor.kind == "operator":
        record(db, company, action, subject, **details)
