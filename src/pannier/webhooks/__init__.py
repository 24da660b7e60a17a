"""Webhooks: events are sent to the URLs that a company registers.

A *webhook*, or *endpoint* in the code, is such a URL with its secret and the events it wants. A
*delivery* is one event for one endpoint. Its id is the `webhook-id`, the same for all retries and
replays. An *attempt* is one request of a delivery, recorded before its first byte is sent. An
attempt that a crash cut off is *interrupted* and uses up no retry. A *lane* is an endpoint's own
queue, so that a slow endpoint delays no other. A delivery is *held* while its endpoint is paused or
disabled, and *superseded* when a newer one replaces it.

Receivers can use `verify`, which needs only the standard library.
"""

from pannier.webhooks.verifying import InvalidSignature, verify

__all__ = ["InvalidSignature", "verify"]
