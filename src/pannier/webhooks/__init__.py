"""Webhooks: what happened is told to the addresses that a company registers.

A *webhook*, or *endpoint* in the code, is such an address with its secret and the events it
chose. A *delivery* is one event on its way to one endpoint; its id is the `webhook-id`, the same
at every retry and replay. An *attempt* is one request of a delivery, in the log from before its
first byte leaves; one that was cut off by a crash is *interrupted*, and uses up no retry. A *lane*
is the endpoint's own queue, so that a slow one delays nobody else. A delivery is *held* while its
endpoint is paused or disabled, and *superseded* when a newer one says all that it would have said.

For receivers there is `verify`, which needs nothing but the standard library.
"""

from pannier.webhooks.verifying import InvalidSignature, verify

__all__ = ["InvalidSignature", "verify"]
