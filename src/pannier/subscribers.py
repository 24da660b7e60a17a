"""The subscribers of events, and the retries of parked work."""

from collections.abc import Sequence
from typing import Final

from pannier.devices import rule_evaluation
from pannier.events import relay
from pannier.news import processor
from pannier.news import subscriber as news
from pannier.orders import remeasure, repricing, unpaid
from pannier.orders import sweep as orders_sweep
from pannier.orders.driver_days import subscriber as driver_changes
from pannier.parked import sweep as parked_sweep
from pannier.reports import subscriber as report_changes
from pannier.webhooks import fanout

# Subscribers receive events in this order, in the relay's transaction.
SUBSCRIBERS: Final[Sequence[relay.Subscriber]] = (
    news.queue_events,
    driver_changes.subscriber,
    report_changes.queue_touched_days,
    fanout.create_deliveries,
)
# The function that retries the parked work of each step.
RETRIES: Final[parked_sweep.Retries] = {
    **relay.make_retries(SUBSCRIBERS),
    processor.STEP: processor.retry_event,
    orders_sweep.STEP: orders_sweep.retry,
    unpaid.STEP: unpaid.retry,
    remeasure.STEP: remeasure.retry,
    repricing.STEP: repricing.retry,
    rule_evaluation.STEP_NAME: rule_evaluation.requeue_device,
}
