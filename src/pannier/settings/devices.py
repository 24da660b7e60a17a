"""Devices and positions."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.planning import PlanningSettings


class DeviceSettings(PlanningSettings, frozen=True, kw_only=True):
    """Devices and positions."""

    location_distance: Annotated[
        int,
        Meta(
            ge=5,
            le=10_000,
            description="Minimum movement in meters before a driver's location update emits "
            "an event. Companies can set a higher value; their default is 25.",
        ),
    ] = 5
    location_interval: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="Minimum seconds between two location events of a driver. Companies "
            "can set a higher value; their default is 5.",
        ),
    ] = 1
    mqtt_url: Annotated[
        str | None,
        Meta(
            description="MQTT broker that devices publish events to, "
            "`mqtt://user:password@host:1883` or `mqtts://…`. Unset: MQTT is "
            "disabled."
        ),
    ] = None
    mqtt_version: Annotated[
        Literal["5", "3.1.1"], Meta(description="MQTT protocol version of the broker.")
    ] = "5"
    mqtt_sessions: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Number of MQTT sessions that share the published events, divided "
            "among the workers. More than one requires a broker with shared "
            "subscriptions.",
        ),
    ] = 1
    mqtt_trust_broker: Annotated[
        bool,
        Meta(
            description="Whether the broker restricts each device to its own topic, so that "
            "messages need no token."
        ),
    ] = False
    nats_url: Annotated[
        str | None,
        Meta(
            description="NATS servers with JetStream, separated by commas, that buffer "
            "device events before they are stored: "
            "`nats://user:password@host:4222` or `tls://…`. Unset: each API "
            "process stores events directly."
        ),
    ] = None
    nats_shards: Annotated[
        int,
        Meta(
            ge=1,
            le=256,
            description="Number of NATS partitions for device events, each with one writer "
            "at a time. Must be the same on all machines and never be reduced.",
        ),
    ] = 16
    nats_replicas: Annotated[
        int,
        Meta(
            ge=1,
            le=5,
            description="Number of NATS replicas that keep each event until it is stored.",
        ),
    ] = 1
    nats_bytes: Annotated[
        int,
        Meta(
            ge=1 << 20,
            description="Maximum bytes of events waiting in NATS. Further events are "
            "refused with 429.",
        ),
    ] = 1 << 30
