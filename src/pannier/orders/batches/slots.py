"""Places for batches: a company with many batches leaves connections for the others."""

from typing import Final

from pannier.errors import TooManyRequests
from pannier.web.fair_queue import FairQueue

# Batches that a process works on at the same time: in total, and per company.
MAX_BATCHES: Final = 4
MAX_PER_COMPANY: Final = 1
RETRY_SECONDS: Final = 5.0


class TooManyBatches(TooManyRequests):
    """A process works on one batch of a company at a time, and on a few batches in total."""

    code, title = "too_many_batches", "Other batches of orders are in progress."
    remedy = "Send one batch at a time. Retry after the time in `Retry-After`."


def make_batch_queue() -> FairQueue:
    """Make the queue of a process. Nothing waits in it."""
    return FairQueue(
        lambda: TooManyBatches(RETRY_SECONDS), company_places=MAX_PER_COMPANY, places=MAX_BATCHES
    )
