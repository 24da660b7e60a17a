"""The kinds of alerts: how operators hear of them by default, and which of them flap."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec

from pannier.alerts.models import AlertKind

# A state that returns so soon after its end continues its alert, and nobody is notified again.
FLAPPING_PERIOD: Final = timedelta(minutes=15)


class AlertRule(msgspec.Struct, frozen=True):
    """How an operator hears of a kind of alert."""

    list: bool = True
    desktop: bool = False
    sound: bool = False


class AlertKindTraits(NamedTuple):
    """What is special about a kind of alert."""

    rule: AlertRule
    # Whether it is a measured state, which may end and return within seconds.
    can_flap: bool = False
    # Whether it ends when an operator acknowledges it, because nothing else ends it.
    ends_when_acknowledged: bool = False


KINDS: Final[Mapping[AlertKind, AlertKindTraits]] = {
    "sos": AlertKindTraits(AlertRule(desktop=True, sound=True), ends_when_acknowledged=True),
    "delivery_failed": AlertKindTraits(AlertRule(desktop=True)),
    "order_late": AlertKindTraits(AlertRule(desktop=True), can_flap=True),
    "temperature": AlertKindTraits(AlertRule(desktop=True), can_flap=True),
    "device_silent": AlertKindTraits(AlertRule(), can_flap=True),
    "webhook_disabled": AlertKindTraits(AlertRule()),
}
