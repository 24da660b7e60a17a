"""Implementations of the hooks through which lower packages look up order configurations."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.queries import SettingsVersion
from pannier.db import Db, Where, own_write_condition
from pannier.db.row import RowReference
from pannier.kit import ids
from pannier.payloads import stops
from pannier.rates import queries as rates

_SETTINGS_VERSION: Final = f"""
    select c.version, c.rates_version, o.uuid as order_config, o.version as order_config_version,
           {own_write_condition("c")} or coalesce({own_write_condition("o")}, false) as ours
    from companies c left join order_configs o on o.company = c.uuid and o.uuid = coalesce(
        c.order_config, (
            select uuid from order_configs
            where company = :company and key = :key and deleted_at is null))
    where c.uuid = :company and c.company = :company and c.deleted_at is null"""
_TABLES_READ: Final = frozenset({"companies", "order_configs"})


@company_settings.load_settings_version.register
async def load_settings_version(db: Db, company: UUID) -> SettingsVersion:
    """Load the versions of a company's settings, rates and default configuration at once."""
    return await db.get(
        SettingsVersion,
        _SETTINGS_VERSION,
        of_tables=_TABLES_READ,
        company=company,
        key=company_settings.DEFAULT_ORDER_CONFIG,
    )


@company_settings.find_order_config.register
async def find_active_config(db: Db, company: UUID, identifier: str) -> RowReference | None:
    """Find an active configuration by UUID, public id or key.

    The row is locked in share mode, so that it cannot be deleted at the same time.
    """
    where = Where(company).add("deleted_at is null and status = 'active'")
    where.add("(public_id = :name or key = :name or uuid::text = lower(:name))", name=identifier)
    return await db.find(
        RowReference, f"select uuid, public_id from order_configs {where} for share", **where.values
    )


@company_settings.load_order_config_name.register
async def load_public_id(db: Db, company: UUID, uuid: UUID) -> str | None:
    """Load the public id of a configuration, even a deleted one."""
    return (await load_public_ids(db, company, [uuid])).get(uuid)


@rates.load_order_config_names.register
async def load_public_ids(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, str]:
    """Load the public ids of configurations, including deleted ones."""
    rows = await db.fetch_tuples(
        """select uuid, public_id from order_configs
           where company = :company and uuid = any(:uuids)""",
        company=company,
        uuids=list(uuids),
    )
    return dict(rows)


@rates.find_order_config.register
async def find_config_uuid(db: Db, company: UUID, identifier: str) -> UUID | None:
    """Find a configuration by UUID, public id or key."""
    where = Where(company).add(
        "deleted_at is null and (public_id = :name or key = :name or uuid = :uuid)",
        name=identifier,
        uuid=ids.parse_uuid(identifier),
    )
    uuid: UUID | None = await db.fetch_value(
        f"select uuid from order_configs {where}", **where.values
    )
    return uuid


@stops.load_subflows.register
async def load_subflows(db: Db, company: UUID, order: UUID) -> set[str]:
    """Load the names of the sub-flows that stops of an order may use."""
    names = await db.fetch_value(
        """select array(select jsonb_object_keys(v.subflows))
           from orders o join order_config_versions v
             on v.order_config = o.order_config and v.number = o.flow_version
           where o.company = :company and o.uuid = :order""",
        company=company,
        order=order,
    )
    return set(names or ())
