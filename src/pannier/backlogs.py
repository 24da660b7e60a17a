"""The queue metrics of all domains, for Prometheus."""

from collections.abc import Sequence
from typing import Final

from pannier.backups import metrics as backups
from pannier.devices import metrics as devices
from pannier.devices.events import horizon
from pannier.imports import metrics as imports
from pannier.news import metrics as news
from pannier.parked import metrics as parked
from pannier.planning import metrics as planning
from pannier.web.metrics import CountRefresh
from pannier.web.sweep_metrics import count_stopped_sweeps
from pannier.webhooks import metrics as webhooks

COUNT_REFRESHES: Final[Sequence[CountRefresh]] = (
    parked.update_gauge,
    webhooks.update_gauges,
    news.count,
    devices.count,
    horizon.measure,
    count_stopped_sweeps,
    planning.count,
    imports.count,
    backups.update_gauges,
)
