"""The kinds of alerts, and how operators hear of them by default."""

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


class AlertKindTraits(NamedTuple):
    """What is special about a kind of alert."""

    # Whether it is a measured state, which may end and return within seconds.
    can_flap: bool = False
    # Whether it ends when an operator acknowledges it, because nothing else ends it.
    ends_when_acknowledged: bool = False


KINDS: Final[Mapping[AlertKind, AlertKindTraits]] = {
    "sos": AlertKindTraits(ends_when_acknowledged=True),
    "delivery_failed": AlertKindTraits(),
    "device_silent": AlertKindTraits(can_flap=True),
    "webhook_disabled": AlertKindTraits(),
}
DEFAULT_RULE: Final = AlertRule()
