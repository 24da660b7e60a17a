"""Scopes of keys and roles of operators."""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from pannier.accounts.models import Role

ALL_SCOPES: Final = "*"
# Each has the scopes `<resource>:read` and `<resource>:write`.
RESOURCES: Final = (
    "contacts",
    "vendors",
    "places",
    "service-areas",
    "zones",
    "service-rates",
    "service-quotes",
    "files",
    "order-configs",
    "orders",
    "plans",
    "imports",
    "payloads",
    "waypoints",
    "entities",
    "tracking-numbers",
    "tracking-statuses",
    "proofs",
    "drivers",
    "vehicles",
    "fleets",
    "issues",
    "devices",
    "transactions",
    "cash",
    "invoices",
    "reports",
    "webhooks",
    # Applies wherever events can be read.
    "events",
)
SCOPES: Final = (
    ALL_SCOPES,
    *(f"{resource}:{verb}" for resource in RESOURCES for verb in ("read", "write")),
)

# The roles that a role includes. Dispatchers move goods and billing operators move money: neither
# may do everything that the other may.
INCLUDED_ROLES: Final[Mapping[Role, frozenset[Role]]] = {
    "viewer": frozenset({"viewer"}),
    "dispatcher": frozenset({"viewer", "dispatcher"}),
    "billing": frozenset({"viewer", "billing"}),
    "admin": frozenset({"viewer", "dispatcher", "billing", "admin"}),
}
MoneyTask = Literal[
    "open_checkout",
    "record_payment",
    "add_charge",
    "void",
    "refund",
    "issue_invoice",
    "hand_in_cash",
    "remit_cash",
    "change_fees",
]
# Who may do what with money. Admins may do all of it, and docs/guide/credentials.md has the table.
MONEY_ROLES: Final[Mapping[MoneyTask, tuple[Role, ...]]] = {
    "open_checkout": ("dispatcher", "billing"),
    "record_payment": ("dispatcher", "billing"),
    "add_charge": ("dispatcher", "billing"),
    "void": ("dispatcher", "billing"),
    "hand_in_cash": ("dispatcher", "billing"),
    "refund": ("billing",),
    "remit_cash": ("billing",),
    "issue_invoice": ("billing",),
    "change_fees": ("billing",),
}
# The company settings that the task `change_fees` covers. Only admins change the others.
FEE_SETTINGS: Final = frozenset(
    {
        "undelivered_charge",
        "return_fee",
        "price_changes",
        "cancellation_fees",
        "cancellation_refund",
        "prices_include_tax",
        "tax_rate",
        "tax_rounding",
        "tax_number",
        "legal_name",
        "billing_address",
        "iban",
        "bic",
        "payment_instructions",
        "payment_terms_days",
        "invoice_prefix",
        "credit_note_prefix",
        "invoice_footer",
        "email_invoices",
    }
)


def has_scope(scopes: Collection[str], resource: str, verb: str) -> bool:
    return ALL_SCOPES in scopes or f"{resource}:{verb}" in scopes


def has_role(role: Role, *min_roles: Role) -> bool:
    """Tell whether a role is, or includes, one of the required roles."""
    return not INCLUDED_ROLES[role].isdisjoint(min_roles)


def can_change_settings(role: Role, names: Collection[str]) -> bool:
    """Tell whether a role may change these company settings."""
    return has_role(role, "admin") or (
        has_role(role, *MONEY_ROLES["change_fees"]) and FEE_SETTINGS.issuperset(names)
    )
