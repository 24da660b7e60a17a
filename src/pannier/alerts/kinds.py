"""The kinds of alerts, and how operators hear of them by default."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import UNSET, Meta

from pannier.alerts.models import AlertKind
from pannier.web.fields import Given

# A state that returns so soon after its end continues its alert, and nobody is notified again.
FLAPPING_PERIOD: Final = timedelta(minutes=15)


class AlertRule(msgspec.Struct, frozen=True):
    """How an operator hears of a kind of alert."""

    list: Annotated[bool, Meta(description="In the list and the count of the bell.")] = True
    desktop: Annotated[bool, Meta(description="Notification on the desktop.")] = False
    sound: Annotated[bool, Meta(description="Sound in an open page of the console.")] = False

    @property
    def is_announced(self) -> bool:
        """Whether the operator hears of a new alert without looking at the list."""
        return self.list and (self.desktop or self.sound)


class AlertRuleChange(msgspec.Struct, frozen=True):
    """A change of how an operator hears of a kind of alert. Omitted fields stay."""

    list: Given[bool] = UNSET
    desktop: Given[bool] = UNSET
    sound: Given[bool] = UNSET


class AlertKindTraits(NamedTuple):
    """What is special about a kind of alert."""

    # Whether it is a measured state, which may end and return within seconds.
    can_flap: bool = False
    # Whether it ends when an operator acknowledges it, because nothing else ends it.
    ends_when_acknowledged: bool = False


KINDS: Final[Mapping[AlertKind, AlertKindTraits]] = {
    "sos": AlertKindTraits(ends_when_acknowledged=True),
    "delivery_failed": AlertKindTraits(),
    "late": AlertKindTraits(can_flap=True),
    "temperature": AlertKindTraits(can_flap=True),
    "device_silent": AlertKindTraits(can_flap=True),
    "webhook_disabled": AlertKindTraits(),
}
DEFAULT_RULE: Final = AlertRule()
