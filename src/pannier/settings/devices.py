"""Devices and positions."""

from typing import Annotated, Literal

from msgspec import Meta

from pannier.settings.maps import MapSettings


class DeviceSettings(MapSettings, frozen=True, kw_only=True):
    """Devices and positions."""

    location_distance: Annotated[
        int,
        Meta(
            ge=5,
            le=10_000,
            description="Metres at the least that a driver moves before an event tells of it. "
            "Companies may want more, and have 25 without a word.",
        ),
    ] = 5
    location_interval: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="Seconds at the least between two events of where a driver is. "
            "Companies may want more, and have 5 without a word.",
        ),
    ] = 1
    mqtt_url: Annotated[
        str | None,
        Meta(
            description="An MQTT broker that devices publish their events to, "
            "`mqtt://user:password@host:1883` or `mqtts://…`. Unset: none is listened to."
        ),
    ] = None
    mqtt_version: Annotated[
        Literal["5", "3.1.1"], Meta(description="The version of MQTT that the broker is spoken to.")
    ] = "5"
    mqtt_sessions: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Sessions among which the broker shares out what devices publish; the "
            "workers divide them. More than one needs a broker with shared subscriptions.",
        ),
    ] = 1
    mqtt_trust_broker: Annotated[
        bool,
        Meta(
            description="Whether the broker lets each device write to its own topic only, so that "
            "messages need no token."
        ),
    ] = False
    nats_url: Annotated[
        str | None,
        Meta(
            description="NATS servers with JetStream, `nats://user:password@host:4222` or "
            "`tls://…`, separated by commas, that take device events in before they are stored. "
            "Unset: each API process stores what it is sent."
        ),
    ] = None
    nats_shards: Annotated[
        int,
        Meta(
            ge=1,
            le=256,
            description="Parts into which devices are divided on their way through NATS, each with "
            "one writer at a time; equal on all machines, and never made fewer.",
        ),
    ] = 16
    nats_replicas: Annotated[
        int, Meta(ge=1, le=5, description="NATS servers that keep each event until it is stored.")
    ] = 1
    nats_bytes: Annotated[
        int,
        Meta(
            ge=1 << 20,
            description="Maximum bytes of events waiting in NATS; more are refused with 429.",
        ),
    ] = 1 << 30
