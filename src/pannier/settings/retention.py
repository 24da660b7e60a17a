"""Retention: how long data are kept."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.requests import RequestSettings


class RetentionLimits(RequestSettings, frozen=True, kw_only=True):
    """Retention: how long data are kept."""

    erasure_days: Annotated[
        int,
        Meta(ge=0, le=365, description="Days after which a closed customer account is erased."),
    ] = 30
    retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that relayed events, sent messages and quotes that nobody "
            "accepted are kept at the most. Companies may want fewer, here and below.",
        ),
    ] = 90
    webhook_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that webhook deliveries and their attempts are kept at the most, "
            "held ones too; never longer than their events.",
        ),
    ] = 30
    audit_retention_days: Annotated[
        int, Meta(ge=1, description="Days that the audit log is kept at the most.")
    ] = 3650
    position_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that positions of drivers, vehicles and devices are kept at the "
            "most. What devices report of longer ago is refused, here and below.",
        ),
    ] = 90
    telemetry_retention_days: Annotated[
        int,
        Meta(ge=1, description="Days that readings of engines and sensors are kept at the most."),
    ] = 180
    alert_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that alerts of devices are kept at the most: doors, motion, speed, "
            "zones, faults.",
        ),
    ] = 730
    heartbeat_retention_days: Annotated[
        int, Meta(ge=1, description="Days that heartbeats of devices are kept at the most.")
    ] = 7
    other_reading_retention_days: Annotated[
        int,
        Meta(
            ge=1, description="Days that what else devices report is kept at the most; rejects too."
        ),
    ] = 90
    token_retention_days: Annotated[
        int,
        Meta(ge=1, description="Days that expired and revoked tokens are kept at the most."),
    ] = 30
