"""Operators: console users, their roles and their sessions."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import access_tokens, columns, fields
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records

ROLES: Final = (
    ("viewer", "Viewer: read-only access"),
    ("dispatcher", "Dispatcher: manages orders and the fleet"),
    ("billing", "Billing: manages payments, charges and invoices"),
    ("admin", "Admin: full access, including settings and operators"),
)
PASSWORD: Final = Field(
    name="password", label="Password", kind="password", required=True, nullable=False, only="new",
    help="Choose a long password that is not used anywhere else.",
)  # fmt: skip
FORM: Final = Form(
    (
        fields.NAME,
        Field(
            name="email", label="Email", kind="email", required=True, nullable=False, only="new",
            help="Used to sign in.",
        ),
        Field(
            name="role", label="Role", kind="choice", options=ROLES, required=True,
            default="dispatcher", nullable=False,
        ),
        PASSWORD,
    )
)  # fmt: skip
RESET_FORM: Final = Form(
    (Field(name="password", label="New password", kind="password", required=True),)
)
RECORD_PATH: Final = "/int/v1/operators/{operator_id}"
TOKENS: Final = f"{RECORD_PATH}/tokens"


async def _load_related(client: ApiClient, record: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load an operator's sessions."""
    return await access_tokens.load_tokens(client, TOKENS, operator_id=record["id"])


OPERATORS: Final = Records(
    "/int/v1/operators",
    columns=(
        columns.NAME,
        columns.EMAIL,
        Column("Role", "role", "standing"),
        Column("Disabled", "disabled_at", "ago"),
        columns.CREATED,
    ),
    facts=(
        Column("Name", "name", "person"),
        "email",
        "role",
        "created_at",
        Column("Disabled", "disabled_at", "time", quiet=True),
    ),
    filters=(
        Field(
            name="role", label="Role", kind="choice",
            options=[(role, role.capitalize()) for role, _ in ROLES],
        ),
    ),
    form=FORM,
    actions=(
        Action(
            "reset", "Reset password", "PATCH", RECORD_PATH, "key-round",
            "Password reset and all sessions ended.", form=RESET_FORM,
            question="Share the new password securely, not by email. The operator can change it.",
        ),
        Action(
            "disable", "Disable", "PATCH", RECORD_PATH, "user-x",
            "Operator disabled and signed out.", danger=True, body={"disabled": True},
            condition=lambda operator: operator["disabled_at"] is None,
            question="Disable this operator? They are signed out immediately.",
        ),
        Action(
            "enable", "Enable", "PATCH", RECORD_PATH, "user-check", "Operator enabled.",
            body={"disabled": False},
            condition=lambda operator: operator["disabled_at"] is not None,
        ),
        Action(
            "sign-out", "Sign out everywhere", "DELETE", TOKENS, "log-out",
            "All sessions ended.", question="Sign this operator out everywhere?",
        ),
    ),
    record_template="operators/operator.html",
    load_related=_load_related,
)  # fmt: skip


handlers: Final = [*OPERATORS.make_handlers(), access_tokens.make_end_handler(OPERATORS, TOKENS)]
