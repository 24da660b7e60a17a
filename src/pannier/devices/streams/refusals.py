"""Errors of the brokers."""

from pannier.errors import Unavailable


class StreamAway(Unavailable):
    """NATS did not accept the device events. Nothing of this request was stored."""

    code = "devices_stream_unavailable"
    title = "What takes device events in is away for the moment; send these again."
