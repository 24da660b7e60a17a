"""Retention: maximum ages of data."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.requests import RequestSettings


class RetentionLimits(RequestSettings, frozen=True, kw_only=True):
    """Retention: maximum ages of data."""

    erasure_days: Annotated[
        int,
        Meta(ge=0, le=365, description="Days until a closed customer account is erased."),
    ] = 30
    retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum days to keep relayed events, sent messages and quotes that "
            "were not accepted. A company can set fewer, here and below.",
        ),
    ] = 90
    webhook_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum days to keep webhook deliveries and their attempts, including "
            "held ones; never longer than their events.",
        ),
    ] = 30
    audit_retention_days: Annotated[
        int, Meta(ge=1, description="Maximum days to keep the audit log.")
    ] = 3650
    billing_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum days to keep the name, address and tax number of erased "
            "customers who owe or are owed money. They are deleted earlier once that is settled.",
        ),
    ] = 3650
    position_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum days to keep positions of drivers, vehicles and devices. "
            "Older readings are refused, here and below.",
        ),
    ] = 90
    telemetry_retention_days: Annotated[
        int,
        Meta(ge=1, description="Maximum days to keep engine and sensor readings."),
    ] = 180
    alert_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum days to keep device alerts: doors, motion, speed, "
            "geofences, faults.",
        ),
    ] = 730
    heartbeat_retention_days: Annotated[
        int, Meta(ge=1, description="Maximum days to keep device heartbeats.")
    ] = 7
    other_reading_retention_days: Annotated[
        int,
        Meta(ge=1, description="Maximum days to keep other readings and rejected events."),
    ] = 90
    import_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days to keep imports with their files. Until then, they can be undone.",
        ),
    ] = 30
    token_retention_days: Annotated[
        int,
        Meta(ge=1, description="Maximum days to keep expired and revoked tokens."),
    ] = 30
