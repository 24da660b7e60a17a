"""Refusals of the streams."""

from pannier.errors import Unavailable


class StreamAway(Unavailable):
    """NATS did not take the device events; nothing of the request was taken for good."""

    code = "devices_stream_unavailable"
    title = "What takes device events in is away for the moment; send these again."
