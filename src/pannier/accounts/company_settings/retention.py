"""The retention of a company's data: configured, and effective with defaults."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.parts import get_configured_values
from pannier.settings import Settings
from pannier.web.fields import Clearable

Days = Annotated[int, Meta(ge=1, le=36_500, description="Days to keep the data.", examples=[30])]


class RetentionSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured days of retention, never more than the installation allows."""

    events: Clearable[Days] = UNSET
    messages: Clearable[Days] = UNSET
    webhook_log: Clearable[Days] = UNSET
    audit: Clearable[Days] = UNSET
    billing: Clearable[Days] = UNSET
    positions: Clearable[Days] = UNSET
    telemetry: Clearable[Days] = UNSET
    alerts: Clearable[Days] = UNSET
    heartbeats: Clearable[Days] = UNSET
    other_readings: Clearable[Days] = UNSET
    tokens: Clearable[Days] = UNSET


class Retention(msgspec.Struct, kw_only=True, frozen=True):
    """Effective days of retention."""

    events: Days
    messages: Days
    webhook_log: Days
    audit: Days
    billing: Annotated[
        Days,
        Meta(
            description="Days to keep the billing identity of erased customers: in debt, and on "
            "invoices after their issue."
        ),
    ]
    positions: Days
    telemetry: Days
    alerts: Days
    heartbeats: Days
    other_readings: Days
    tokens: Annotated[
        Days, Meta(description="Days to keep tokens after they expire or are revoked.")
    ]

    @property
    def device_days(self) -> tuple[int, int, int, int, int]:
        """Days that device events are kept, by the number of their class."""
        return (self.positions, self.telemetry, self.alerts, self.heartbeats, self.other_readings)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Retention":
        """Return the installation's maximum, which is also the default."""
        return cls(
            events=settings.retention_days,
            messages=settings.retention_days,
            webhook_log=settings.webhook_retention_days,
            audit=settings.audit_retention_days,
            billing=settings.billing_retention_days,
            positions=settings.position_retention_days,
            telemetry=settings.telemetry_retention_days,
            alerts=settings.alert_retention_days,
            heartbeats=settings.heartbeat_retention_days,
            other_readings=settings.other_reading_retention_days,
            tokens=settings.token_retention_days,
        )

    def apply_maximum(self, requested_retention: RetentionSettings) -> "Retention":
        """Return the requested retention, limited to this maximum."""
        limited_days = {
            name: min(days, getattr(self, name))
            for name, days in get_configured_values(requested_retention).items()
        }
        retention = msgspec.structs.replace(self, **limited_days)
        # The log refers to events, so it is not kept longer than they are.
        return msgspec.structs.replace(
            retention, webhook_log=min(retention.webhook_log, retention.events)
        )
