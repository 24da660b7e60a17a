"""The rows of orders."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.orders.flow import Activity


class OrderConfig(msgspec.Struct):
    """A kind of order: its flow, and the sub-flows its stops may name."""

    uuid: UUID
    public_id: str
    company: UUID
    key: str
    name: str
    description: str
    status: Literal["active", "inactive"]
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    flow_version: int
    meta: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    version: int = 1
    deleted_at: datetime | None = None


class ConfigVersion(msgspec.Struct):
    """A flow as it was when orders began with it."""

    order_config: UUID
    number: int
    company: UUID
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    created_at: datetime
