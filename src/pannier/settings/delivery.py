"""Messages and webhooks."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.retention import RetentionLimits


class DeliverySettings(RetentionLimits, frozen=True, kw_only=True):
    """Messages and webhooks."""

    sms_url: Annotated[
        str | None,
        Meta(
            description="Apprise URL of the SMS provider, with `{to}` for the recipient's "
            "number and `{sender}` for the company's sender. Unset: SMS are "
            "stored but not sent."
        ),
    ] = None
    email_url: Annotated[
        str | None,
        Meta(
            description="Apprise URL of the mail server, with `{to}` for the recipient's "
            "address and `{sender}` for the company's sender. Unset: emails "
            "are stored but not sent."
        ),
    ] = None
    push_url: Annotated[
        str | None,
        Meta(
            description="Apprise URL of the push provider, with `{to}` for the device "
            "token. Unset: push messages are stored but not sent."
        ),
    ] = None
    webhook_allow_networks: Annotated[
        str,
        Meta(
            description="Private networks that webhooks can reach, separated by commas, "
            "such as `10.0.0.0/8`. For tests and on-premise receivers."
        ),
    ] = ""
    webhook_ca_bundle: Annotated[
        str | None,
        Meta(
            description="PEM file of certificate authorities that webhooks trust in "
            "addition to the system's."
        ),
    ] = None
    webhook_proxy: Annotated[
        str | None,
        Meta(
            description="Proxy for all webhook requests, such as "
            "`http://user:password@proxy.internal:3128`. CONNECT requests use "
            "resolved IP addresses, not host names."
        ),
    ] = None
    webhook_concurrency: Annotated[
        int, Meta(ge=2, le=5000, description="Maximum concurrent webhook deliveries per worker.")
    ] = 256
