"""The statuses and types that a company's orders can have, to validate filters."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.errors import UnknownValue
from pannier.orders import flow
from pannier.web.validation_errors import describe_choice

SYSTEM_STATUSES: Final = (
    flow.CREATED,
    flow.DISPATCHED,
    flow.STARTED,
    flow.COMPLETED,
    flow.CANCELED,
)


async def check_statuses(db: Db, company: UUID, requested_statuses: Sequence[str] | None) -> None:
    """Reject a status that no flow of the company has or ever had."""
    if requested_statuses is None or set(requested_statuses) <= set(SYSTEM_STATUSES):
        return
    statuses = [*SYSTEM_STATUSES, *sorted(await _load_codes(db, company) - set(SYSTEM_STATUSES))]
    has_several = len(requested_statuses) > 1
    choice_errors = [
        describe_choice(f"status[{index}]" if has_several else "status", status, statuses)
        for index, status in enumerate(requested_statuses)
    ]
    errors = [field for field in choice_errors if field is not None]
    if errors:
        raise UnknownValue(fields=errors)


async def check_type(db: Db, company: UUID, requested_type: str | None) -> None:
    """Reject a type that neither a configuration nor an order of the company has."""
    if requested_type is None:
        return
    rows = await db.fetch_tuples(
        """select key from order_configs where company = :company and deleted_at is null
           union all
           (select type from orders
            where company = :company and type = :type and deleted_at is null limit 1)""",
        company=company,
        type=requested_type,
    )
    error = describe_choice("type", requested_type, sorted({key for (key,) in rows}))
    if error is not None:
        raise UnknownValue(fields=[error])


async def _load_codes(db: Db, company: UUID) -> set[str]:
    """Load the activity codes of every version of every flow."""
    rows = await db.fetch_tuples(
        """select distinct activity ->> 'code' as code
           from order_config_versions,
                jsonb_path_query(jsonb_build_array(flow, subflows), '$[*].**') as activity
           where company = :company and activity ->> 'code' is not null""",
        company=company,
    )
    return {code for (code,) in rows}
