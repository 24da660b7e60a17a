"""The sections of the company's settings, and their fields."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.console import fields
from pannier.console.forms import Field, Form

SETTINGS_URL: Final = "/console/settings"
MONEY_PAGE: Final = "billing"
CODES_PAGE: Final = "codes"


class SettingsSection(NamedTuple):
    """A section of settings."""

    name: str
    label: str
    description: str
    form: Form
    is_editable: bool = False
    # The last part of the URL of a page for this section and others, so that pages stay small.
    page: str = ""

    @property
    def page_url(self) -> str:
        return f"{SETTINGS_URL}/{self.page}" if self.page else SETTINGS_URL


def _make_number_field(name: str, label: str, help_text: str = "") -> Field:
    return Field(name=name, label=label, kind="number", help=help_text)


WEEKDAY_OPTIONS: Final = (
    ("mon", "Monday"), ("tue", "Tuesday"), ("wed", "Wednesday"), ("thu", "Thursday"),
    ("fri", "Friday"), ("sat", "Saturday"), ("sun", "Sunday"),
)  # fmt: skip
# Limits for one-time codes.
CODE_LIMITS: Final = (
    _make_number_field("codes.sms_per_day", "SMS codes per day"),
    _make_number_field("codes.sends_per_hour", "Codes per phone or email per hour"),
    _make_number_field("codes.sends_per_day", "Codes per phone or email per day"),
    _make_number_field("codes.sends_per_minute", "Codes per minute, total"),
    _make_number_field("codes.sends_per_address", "Code requests per IP address per hour"),
    _make_number_field("codes.wrong_per_code", "Attempts per code"),
    _make_number_field("codes.wrong_per_hour", "Failed attempts per phone or email per hour"),
    _make_number_field("codes.wrong_per_day", "Failed attempts per phone or email per day"),
    _make_number_field("codes.wrong_per_address", "Failed attempts per IP address per hour"),
    Field(
        name="codes.countries", label="Allowed SMS countries", kind="list",
        help="Two-letter codes, one per line. Leave empty to allow every country.",
    ),
    Field(
        name="codes.refused_types", label="Blocked number types", kind="list",
        help="One per line.",
    ),
    _make_number_field("codes.breaker_sends", "Hourly limit per country before review"),
    _make_number_field(
        "codes.breaker_percent", "Minimum code conversion rate (%)",
        "Below this rate, codes to new numbers in that country are paused for an hour.",
    ),
)  # fmt: skip
FEE_HELP: Final = (
    "An amount in the smallest currency unit, such as cents, or a percentage of the price."
)


def _make_fee_field(name: str, label: str) -> Field:
    return Field(name=name, label=label, kind="fee", placeholder="500 or 50%", help=FEE_HELP)


def _make_choice_field(
    name: str, label: str, options: Sequence[tuple[str, str]], help_text: str = ""
) -> Field:
    return Field(
        name=name, label=label, kind="choice", placeholder="Default", options=options,
        help=help_text,
    )  # fmt: skip


DISPATCH_REQUIRES: Final = _make_choice_field(
    "dispatch_requires",
    "Required before dispatch",
    (("nothing", "Nothing"), ("price", "An accepted quote"), ("payment", "Payment in full")),
)
BILLING_FIELDS: Final = (
    _make_choice_field(
        "price_changes", "When a change moves an accepted price",
        (("adjust", "Adjust the price"), ("refuse", "Refuse the change"),
         ("keep", "Keep the price")),
        "Applies to addresses, items and other changes after acceptance.",
    ),
    _make_choice_field(
        "undelivered_charge", "Charge for undelivered orders",
        (("keep", "Full price"), ("void", "Nothing"), ("return_fee", "Return fee")),
        "Applies when all items are returned. Overpayments are refunded.",
    ),
    _make_fee_field("return_fee", "Return fee"),
    _make_fee_field("cancellation_fees.created", "Cancellation fee before dispatch"),
    _make_fee_field("cancellation_fees.dispatched", "Cancellation fee after dispatch"),
    _make_fee_field("cancellation_fees.started", "Cancellation fee after the start"),
    _make_choice_field(
        "cancellation_refund", "Refund of canceled orders",
        (("manual", "By an operator"), ("automatic", "Automatic")),
        "What was paid beyond the fee. Customers' own cancellations are always refunded.",
    ),
    Field(name="prices_include_tax", label="Tax in prices", kind="choice", placeholder="Default",
          numeric=True, options=(("true", "Included"), ("false", "Added")),
          help="Whether rates and charges include tax."),
    Field(name="tax_rate", label="Tax rate (%)", kind="decimal", placeholder="None",
          help="Service rates and areas may have their own."),
    _make_choice_field(
        "tax_rounding", "Tax rounding", (("line", "Per line"), ("document", "Per document")),
    ),
    Field(name="tax_number", label="Tax number", placeholder="FI12345678",
          help="Shown on invoices."),
)  # fmt: skip
INVOICE_FIELDS: Final = (
    Field(name="legal_name", label="Legal name", placeholder="Acme Couriers Oy"),
    Field(name="billing_address.street", label="Street", placeholder="Mannerheimintie 1"),
    Field(name="billing_address.postal_code", label="Postal code", placeholder="00100"),
    Field(name="billing_address.city", label="City", placeholder="Helsinki"),
    Field(name="billing_address.country", label="Country", kind="choice"),
    Field(name="iban", label="IBAN", placeholder="FI21 1234 5600 0007 85"),
    Field(name="bic", label="BIC", placeholder="NDEAFIHH"),
    _make_number_field("payment_terms_days", "Payment terms (days)",
                       "Customers may have their own."),
    Field(name="invoice_prefix", label="Invoice number prefix",
          help="The year and the number follow, as in INV-2026-00042."),
    Field(name="credit_note_prefix", label="Credit note number prefix"),
    Field(name="email_invoices", label="Email when issued", kind="choice", placeholder="Default",
          numeric=True, options=(("true", "To the customer"), ("false", "None"))),
    Field(name="payment_instructions", label="Payment instructions", kind="area"),
    Field(name="invoice_footer", label="Footer", kind="area"),
)  # fmt: skip
RECIPIENT_FIELDS: Final = (
    Field(
        name="recipients.contact_phone", label="Contact phone", kind="tel",
        placeholder="+6561234567", help="Recipients reach you on it from the tracking page.",
    ),
    Field(name="recipients.contact_email", label="Contact email", kind="email",
          placeholder="help@example.com"),
    Field(name="recipients.ratings", label="Ratings", kind="choice", placeholder="Default",
          numeric=True, options=(("true", "Allowed"), ("false", "Not allowed"))),
    _make_choice_field(
        "recipients.instructions_until", "Delivery instructions",
        (("never", "Not allowed"), ("dispatched", "Until dispatch"), ("started", "Until the start"),
         ("near", "Until the driver is near")),
        "A safe place, a neighbor, a gate code and a note for the driver.",
    ),
    _make_number_field(
        "recipients.near_minutes", "Near (minutes)",
        "The driver is near from this many minutes before the ETA.",
    ),
    _make_number_field(
        "recipients.reschedule_days", "Days to choose from",
        "Recipients can move a delivery this many days ahead. 0 does not allow it.",
    ),
    _make_number_field(
        "recipients.reschedule_notice_hours", "Notice (hours)",
        "Time between the choice and the start of the time window.",
    ),
    Field(
        name="recipients.weekdays", label="Weekdays", kind="choices", options=WEEKDAY_OPTIONS,
        marked=True, help="Without a choice, Monday to Saturday.",
    ),
    Field(
        name="recipients.windows", label="Time windows", kind="list",
        help="Such as 08:00-12:00, one per line.",
    ),
)  # fmt: skip
SECTIONS: Final = (
    SettingsSection(
        "company",
        "Company",
        "Name, location and formats.",
        Form(
            (
                fields.NAME,
                Field(
                    name="country",
                    label="Country",
                    kind="choice",
                    help="Used for phone numbers without a country code.",
                ),
                Field(
                    name="time_zone",
                    label="Time zone",
                    kind="choice",
                    placeholder="Default (UTC)",
                    help="Used for all dates and times.",
                ),
                Field(
                    name="locale",
                    label="Language",
                    kind="choice",
                    placeholder="Default (English)",
                    help="Used for messages, proof sheets and invoices.",
                ),
                Field(name="currency", label="Currency", kind="choice"),
            )
        ),
    ),
    SettingsSection(
        "orders",
        "Orders and quotes",
        "Defaults for new orders, quotes and distances.",
        Form(
            (
                Field(
                    name="order_config",
                    label="Default order flow",
                    kind="choice",
                    placeholder="Built-in flow",
                ),
                _make_number_field("quote_life", "Quote validity (seconds)"),
                DISPATCH_REQUIRES,
                _make_number_field(
                    "speed_limit_kmh",
                    "Speed limit (km/h)",
                    "Devices raise an alert above this speed.",
                ),
                Field(
                    name="dispatch_phone",
                    label="Dispatch phone",
                    kind="tel",
                    placeholder="+6561234567",
                    help="Drivers call or message this number from the app.",
                ),
                Field(
                    name="unique_internal_ids",
                    label="Orders with the same internal ID",
                    kind="choice",
                    placeholder="Default (refused)",
                    numeric=True,
                    options=(("true", "Refused"), ("false", "Allowed")),
                ),
                _make_number_field("routing.detour_factor", "Road distance factor"),
                _make_number_field("routing.speed_kmh", "Average speed (km/h)"),
                _make_number_field("routing.adhoc_distance", "Ad-hoc offer radius (m)"),
                _make_number_field("locations.distance", "Minimum movement before an update (m)"),
                _make_number_field("locations.interval", "Minimum time between updates (s)"),
            )
        ),
    ),
    SettingsSection(
        "billing",
        "Prices, fees and taxes",
        "How prices follow orders, and what is charged when an order ends early.",
        Form(BILLING_FIELDS),
        page=MONEY_PAGE,
    ),
    SettingsSection(
        "invoices",
        "Invoices",
        "The seller, the numbers and the payment of invoices.",
        Form(INVOICE_FIELDS),
        page=MONEY_PAGE,
    ),
    SettingsSection(
        "codes",
        "Codes and SMS",
        "Limits for one-time codes.",
        Form(CODE_LIMITS),
        page=CODES_PAGE,
    ),
    SettingsSection(
        "recipients",
        "Recipients",
        "What recipients can do on the tracking page.",
        Form(RECIPIENT_FIELDS),
    ),
    SettingsSection(
        "retention",
        "Retention",
        "Days to keep data, within the installation's limits.",
        Form(
            tuple(
                _make_number_field(f"retention.{name}", label)
                for name, label in (
                    ("events", "Events"),
                    ("webhook_log", "Webhook deliveries"),
                    ("messages", "Messages"),
                    ("audit", "Audit log"),
                    ("billing", "Billing identities"),
                    ("positions", "Positions"),
                    ("telemetry", "Telemetry"),
                    ("alerts", "Device alerts"),
                    ("heartbeats", "Heartbeats"),
                    ("other_readings", "Other readings"),
                    ("tokens", "Ended sessions"),
                )
            )
        ),
    ),
    SettingsSection(
        "branding",
        "Brand and senders",
        "How your company appears to customers.",
        Form(
            (
                Field(
                    name="branding.name",
                    label="Brand",
                    help="Shown in messages and on proof sheets.",
                ),
                Field(name="branding.color", label="Color", placeholder="#0b7285"),
                Field(
                    name="branding.logo",
                    label="Logo",
                    kind="picture",
                    help="PNG, JPEG or WebP. Printed on proof sheets and invoices.",
                ),
                Field(
                    name="senders.sms",
                    label="SMS sender",
                    placeholder="ACME",
                    help="A phone number, or up to 11 letters and digits.",
                ),
                Field(name="senders.email", label="Email sender name", placeholder="Acme"),
            )
        ),
    ),
)
