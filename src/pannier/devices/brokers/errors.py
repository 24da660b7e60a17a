"""Errors of the brokers."""

from pannier.errors import Unavailable


class StreamUnavailable(Unavailable):
    """NATS did not accept the device events. No events from this request were stored."""

    code = "devices_stream_unavailable"
    title = "Device ingestion is unavailable."
    remedy = "Retry after the time in `Retry-After`."
