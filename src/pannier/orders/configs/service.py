"""Loading and saving of order configurations. Orders keep the version they started with."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Page, Sort, Table, columns, own_write_condition
from pannier.errors import Conflict, FieldError, Invalid, NotFound, parse_field
from pannier.kit import ids
from pannier.kit.cache import Cache
from pannier.orders import flow, flow_faults, reasons
from pannier.orders.activities import Activity
from pannier.orders.configs.schemas import OrderConfigChange, OrderConfigFilters, OrderConfigIn
from pannier.orders.default_flow import DEFAULT
from pannier.orders.models import ConfigVersion, Order, OrderConfig
from pannier.orders.reasons import FailureReason
from pannier.web import fields

DEFAULT_KEY: Final = company_settings.DEFAULT_ORDER_CONFIG
# Fields that orders keep in the version they started with.
VERSIONED_FIELDS: Final = ("flow", "subflows", "failure_reasons")
MAX_CACHED_ROWS: Final = 1000
MAX_VERSION_DIGITS: Final = 9
MAX_SUBFLOW_NAME_LENGTH: Final = 60
SUBFLOW_NAME_TOO_LONG: Final = (
    f"The name of a stop flow must have at most {MAX_SUBFLOW_NAME_LENGTH} characters."
)

CONFIGS: Final = Table(
    "order_configs",
    OrderConfig,
    configuration=True,
    sort=Sort(("created_at", "name", "key")),
    search=("name", "key"),
)

# Flow versions by company, configuration and number. They never change.
_VERSIONS: Final = Cache[tuple[UUID, UUID, int], ConfigVersion](MAX_CACHED_ROWS)
# Each company's default configuration.
_DEFAULTS: Final = Cache[UUID, OrderConfig](MAX_CACHED_ROWS)


class _Version(ConfigVersion):
    """A version, and whether this transaction wrote it."""

    ours: bool


class ConfigKeyTaken(Conflict):
    """An order configuration's key is unique within a company."""

    code = "order_config_key_taken"
    title = "Another order configuration has this key."
    remedy = "Use another key."


class ConfigNeeded(Conflict):
    """The configuration is built in, or is the company's default."""

    code = "order_config_needed"
    title = "The default order configuration cannot be deleted."
    remedy = "Choose another default first."


async def list_configs(db: Db, company: UUID, filters: OrderConfigFilters) -> Page[OrderConfig]:
    where = CONFIGS.where(company).add_filters(filters, "key", "status")
    return await CONFIGS.load_page(db, where, filters, query=filters.query)


async def create(db: Db, company: UUID, data: OrderConfigIn) -> OrderConfig:
    """Create a configuration and its first version."""
    _validate_flows(data.flow, data.subflows, data.failure_reasons)
    columns = msgspec.structs.asdict(data) | {
        "key": data.key or _derive_key(data.name),
        "flow": _prepend_head(data.flow),
        "meta": parse_field("meta", fields.check_meta, data.meta),
        "failure_reasons": list(reasons.get_effective_reasons(data.failure_reasons)),
        "flow_version": 1,
    }
    try:
        row = await CONFIGS.create(db, company, **columns)
    except asyncpg.UniqueViolationError:
        raise ConfigKeyTaken from None
    db.cache.clear()
    await _insert_version(db, row)
    return row


async def create_default(db: Db, company: UUID) -> OrderConfig:
    """Create the built-in configuration of a new company."""
    config = OrderConfigIn(name="Transport", key=DEFAULT_KEY, flow=list(DEFAULT))
    return await create(db, company, config)


async def change(db: Db, config: OrderConfig, data: OrderConfigChange) -> OrderConfig:
    """Update a configuration. Orders keep the version they started with."""
    columns: dict[str, Any] = {
        name: value
        for name, value in msgspec.structs.asdict(data).items()
        if value is not msgspec.UNSET
    }
    _validate_flows(
        *(columns.get(name, getattr(config, name)) for name in VERSIONED_FIELDS),
        former_codes=_list_activity_codes(config),
    )
    if "flow" in columns:
        columns["flow"] = _prepend_head(columns["flow"])
    if "meta" in columns:
        parse_field("meta", fields.check_meta, columns["meta"])
    if "failure_reasons" in columns:
        columns["failure_reasons"] = list(reasons.get_effective_reasons(columns["failure_reasons"]))
    if any(
        columns.get(name, getattr(config, name)) != getattr(config, name)
        for name in VERSIONED_FIELDS
    ):
        columns["flow_version"] = config.flow_version + 1
    try:
        new_config, _ = await CONFIGS.change(db, config, **columns)
    except asyncpg.UniqueViolationError:
        raise ConfigKeyTaken from None
    db.cache.clear()
    if new_config.flow_version != config.flow_version:
        await _insert_version(db, new_config)
    return new_config


async def remove(db: Db, config: OrderConfig) -> None:
    """Delete a configuration. Orders that use it keep their flow."""
    default = (await company_settings.load(db, config.company)).order_config
    if config.key == DEFAULT_KEY or config.uuid == default:
        raise ConfigNeeded
    await CONFIGS.remove(db, config)


async def get_config(
    db: Db, company: UUID, identifier: str | None, path: str = "order_config"
) -> OrderConfig:
    """Return the configuration with this UUID, public id or key.

    If `identifier` is empty, return the default one. `path` is the request field to report if
    there is none.
    """
    if not identifier:
        return await _load_default(db, company)
    where = CONFIGS.where(company).add("(public_id = :name or key = :name or uuid = :uuid)")
    where.values |= {"name": identifier, "uuid": ids.parse_uuid(identifier)}
    select = f"select {CONFIGS.columns} from order_configs"
    return _require_config(await db.find(OrderConfig, f"{select} {where}", **where.values), path)


async def _load_default(db: Db, company: UUID) -> OrderConfig:
    """Load the company's default configuration."""
    settings_version = await company_settings.get_version(db, company)
    uuid, version = settings_version.order_config, settings_version.order_config_version

    async def load_row(_: OrderConfig | None) -> OrderConfig:
        return _require_config(None if uuid is None else await CONFIGS.find(db, company, uuid))

    return await _DEFAULTS.load(
        company, (uuid, version), load_row, uncommitted=settings_version.ours
    )


def _require_config(config: OrderConfig | None, path: str = "order_config") -> OrderConfig:
    if config is None:
        raise NotFound(fields=[FieldError(path, "There is no such order configuration.")])
    return config


async def load_version(db: Db, company: UUID, config: UUID, number: int) -> ConfigVersion:
    """Load a flow version. Versions never change, so they are cached."""
    cache_key = (company, config, number)
    if (cached_version := _VERSIONS.find(cache_key)) is not None:
        return cached_version
    loaded_version = await _read_version(db, company, config, number)
    if not loaded_version.ours:
        # Uncommitted rows stay out of the shared cache.
        _VERSIONS.store(cache_key, loaded_version)
    return loaded_version


async def load_reasons(db: Db, order: Order) -> Sequence[FailureReason]:
    """Load the failure reasons of the flow version that an order started with."""
    version = await load_version(db, order.company, order.order_config, order.flow_version)
    return reasons.get_effective_reasons(version.failure_reasons)


async def get_version(db: Db, config: OrderConfig, number: str) -> ConfigVersion:
    """Load a version by the number in a request, or raise NotFound."""
    is_number = number.isdecimal() and len(number) <= MAX_VERSION_DIGITS
    if not is_number or not 1 <= int(number) <= config.flow_version:
        raise NotFound
    return await load_version(db, config.company, config.uuid, int(number))


async def _read_version(db: Db, company: UUID, config: UUID, number: int) -> _Version:
    return await db.get(
        _Version,
        f"""select {columns(ConfigVersion)}, {own_write_condition("v")} as ours
           from order_config_versions v
           where company = :company and order_config = :config and number = :number""",
        company=company,
        config=config,
        number=number,
    )


async def _insert_version(db: Db, config: OrderConfig) -> None:
    await db.insert(
        "order_config_versions",
        ConfigVersion(
            config.uuid,
            config.flow_version,
            config.company,
            config.flow,
            config.subflows,
            config.failure_reasons,
            db.now,
        ),
    )


def _prepend_head(activities: list[Activity]) -> list[Activity]:
    return list(flow.prepend_head(activities).values())


def _validate_flows(
    main_flow: list[Activity],
    subflows: dict[str, list[Activity]],
    failure_reasons: list[FailureReason],
    *,
    former_codes: Collection[str] = (),
) -> None:
    """Reject invalid flows or reasons, with a message for each fault."""
    errors = [
        _to_field_error("flow", flow_fault)
        for flow_fault in flow_faults.find_faults(main_flow, former_codes=former_codes)
    ]
    errors += [
        _to_field_error("failure_reasons", flow_fault)
        for flow_fault in reasons.find_faults(failure_reasons)
    ]
    for name, activities in subflows.items():
        if len(name) > MAX_SUBFLOW_NAME_LENGTH:
            raise Invalid(fields=[FieldError("subflows", SUBFLOW_NAME_TOO_LONG)])
        errors += [
            _to_field_error(f"subflows.{name}", flow_fault)
            for flow_fault in flow_faults.find_faults(
                activities, is_stop_flow=True, former_codes=former_codes
            )
        ]
    if errors:
        raise Invalid(fields=errors)


def _list_activity_codes(config: OrderConfig) -> set[str]:
    """List the activity codes of a configuration, including its sub-flows."""
    flows = [config.flow, *config.subflows.values()]
    return {activity.code for activities in flows for activity in activities}


def _to_field_error(path: str, flow_fault: flow_faults.Fault) -> FieldError:
    return FieldError(
        path if flow_fault.position is None else f"{path}[{flow_fault.position}]",
        flow_fault.message,
    )


def _derive_key(name: str) -> str:
    """Derive a key from a name: lower-case letters, digits and hyphens."""
    parts = "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()
    return "-".join(parts)[:60] or ids.random_text(8).lower()
