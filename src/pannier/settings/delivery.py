"""Messages and webhooks."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.retention import RetentionLimits


class DeliverySettings(RetentionLimits, frozen=True, kw_only=True):
    """Messages and webhooks."""

    sms_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the SMS provider. Unset: messages lie in the drawer. "
            "`{to}` stands for the recipient's number, `{sender}` for the company's sender."
        ),
    ] = None
    email_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the mail server. Unset: messages lie in the drawer. "
            "`{to}` stands for the recipient's address, `{sender}` for the company's sender."
        ),
    ] = None
    push_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the push provider. Unset: messages lie in the drawer. "
            "`{to}` stands for the device token."
        ),
    ] = None
    webhook_allow_networks: Annotated[
        str,
        Meta(
            description="Networks, separated by commas, that webhooks may reach although they are "
            "not public, such as `10.0.0.0/8`. For tests and on-premise."
        ),
    ] = ""
    webhook_ca_bundle: Annotated[
        str | None,
        Meta(description="A PEM file of authorities that webhooks trust besides the system's own."),
    ] = None
    webhook_proxy: Annotated[
        str | None,
        Meta(
            description="A proxy through which all webhooks leave, such as "
            "`http://user:password@proxy.internal:3128`. It is asked (CONNECT) for the addresses "
            "that names lead to, not for the names."
        ),
    ] = None
    webhook_concurrency: Annotated[
        int, Meta(ge=2, le=5000, description="Deliveries on their way at once, per worker.")
    ] = 256
