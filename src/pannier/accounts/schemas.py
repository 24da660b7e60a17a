"""Accounts in JSON."""

from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.models import CompanySummary, Key, KeyKind, Operator, Role
from pannier.accounts.tokens.schemas import DeviceProof
from pannier.db import PageIn
from pannier.db.actor import Kind
from pannier.db.audit import AuditEntry
from pannier.kit.credential import Mode
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.resource_out import PublicId, ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time

Name = Annotated[str, Meta(min_length=1, max_length=200, examples=["Night dispatch"])]
Email = Annotated[str, Meta(min_length=3, max_length=254, examples=["ada@example.com"])]
Password = Annotated[str, Meta(max_length=1024, examples=["a long and private sentence"])]
Scopes = Annotated[list[str], Meta(max_length=50, examples=[["files:read"]])]


class CompanyOut(msgspec.Struct):
    """A company."""

    id: Annotated[str, Meta(examples=["company_1B9hWqUfY0zTnE4c"])]
    uuid: UUID
    public_id: PublicId
    name: Annotated[str, Meta(examples=["Acme Couriers"])]
    mode: Mode
    created_at: Time

    @classmethod
    def from_row(cls, row: CompanySummary) -> Self:
        return to_schema(row, cls)


class OperatorOut(ResourceOut, kw_only=True):
    """An operator, without the password."""

    id: Annotated[str, Meta(examples=["operator_6sQv2kFm8XbJ0LpR"])]
    email: Email
    name: Name
    role: Role
    disabled_at: Time | None

    @classmethod
    def from_row(cls, row: Operator) -> Self:
        return to_schema(row, cls)


class OperatorIn(msgspec.Struct):
    """A new operator."""

    email: Email
    name: Name
    role: Role
    password: Password


class SelfChange(msgspec.Struct):
    """Fields that an admin or the operator may change; `email` cannot change."""

    accepts: ClassVar = ACCEPTED["record"]
    name: Given[Name] = UNSET
    password: Given[Password] = UNSET
    email: Given[Email] = UNSET


class OperatorChange(SelfChange):
    """Fields of an operator that an admin may change."""

    role: Given[Role] = UNSET
    disabled: Given[bool] = UNSET
    disabled_at: Clearable[Moment] = UNSET


class LoginIn(msgspec.Struct):
    """A sign-in; `cookie` asks for the console's session instead of a bearer token."""

    email: Email
    password: Password
    company: Annotated[
        str | None,
        Meta(description="The company; required if the address and password match several."),
    ] = None
    cookie: bool = False


class LoginOut(msgspec.Struct):
    """A successful sign-in."""

    token: Annotated[str | None, Meta(examples=["opr_live_3TgH0…"])]
    csrf_token: str | None
    expires_at: Time
    operator: OperatorOut
    device_proof: Annotated[
        DeviceProof | None, Meta(description="Null with a cookie, which carries it.")
    ]


class MeOut(msgspec.Struct):
    """The signed-in operator and their company."""

    operator: OperatorOut
    company: CompanyOut


class MeChange(SelfChange):
    """Fields that operators may change themselves. A new password requires the current one."""

    role: Given[Role] = UNSET
    current_password: Given[Password] = UNSET


class KeyOut(ResourceOut, kw_only=True):
    """A key, without its secret."""

    id: Annotated[str, Meta(examples=["key_9mYx1ZrC5uKd7VaB"])]
    kind: KeyKind
    name: Name
    scopes: Scopes
    hint: Annotated[
        str, Meta(description="The beginning of the key.", examples=["api_live_9mYx1Z…"])
    ]
    store: UUID | None
    last_used_at: Time | None
    expires_at: Time | None
    revoked_at: Time | None
    replaced_by: UUID | None

    @classmethod
    def from_row(cls, row: Key) -> Self:
        return to_schema(row, cls)


class NewKeyOut(KeyOut):
    """A new key with its secret, which is shown only once."""

    key: Annotated[str, Meta(examples=["api_live_9mYx1ZrC5uKd7VaB_…"])]

    @classmethod
    def from_new_key(cls, row: Key, text: str) -> Self:
        return to_schema(row, cls, key=text)


class KeyIn(msgspec.Struct):
    """A new key; a storefront key may name its store, an app key has no scopes."""

    kind: KeyKind
    name: Name
    scopes: Annotated[Scopes | None, Meta(description="Defaults to all, `*`.")] = None
    store: str | None = None
    expires_at: Moment | None = None


class KeyChange(msgspec.Struct):
    """Changes of a key: its name and scopes. The other fields must be unchanged."""

    accepts: ClassVar = ACCEPTED["record"]
    name: Given[Name] = UNSET
    scopes: Given[Scopes] = UNSET
    kind: Given[KeyKind] = UNSET
    store: Clearable[UUID] = UNSET
    expires_at: Clearable[Moment] = UNSET
    revoked_at: Clearable[Moment] = UNSET


class KeyRotation(msgspec.Struct):
    """How long the old key works after the new one is created."""

    overlap_seconds: Annotated[
        int,
        Meta(
            ge=0, le=90 * 86400, description="Seconds the old key keeps working.", examples=[86400]
        ),
    ] = 86400


class AuditOut(msgspec.Struct):
    """One change in the audit log."""

    id: Annotated[str, Meta(examples=["audit_0bNq4TjW6yEr8CsH"])]
    uuid: UUID
    public_id: PublicId
    created_at: Time
    actor_type: Kind
    actor: str
    actor_name: str
    action: Annotated[str, Meta(examples=["key.created"])]
    subject: str
    details: dict[str, Any]
    before: Annotated[
        dict[str, Any],
        Meta(description="The changed fields before the change.", examples=[{"name": "Night"}]),
    ]
    after: Annotated[
        dict[str, Any],
        Meta(description="The changed fields after the change.", examples=[{"name": "Day"}]),
    ]
    request_id: str
    address: str

    @classmethod
    def from_row(cls, row: AuditEntry) -> Self:
        return to_schema(row, cls)


class KeyFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of keys."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")

    kind: KeyKind | None = None
    revoked: bool | None = None


class OperatorFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of operators."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name", "email")

    role: Role | None = None


class AuditFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the audit log."""

    action: str | None = None
    actor: str | None = None
    subject: str | None = None
    since: Moment | None = None
    until: Moment | None = None


class AuditExportFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the audit log's export, and its format."""

    format: Literal["csv", "ndjson"] = "csv"
    action: str | None = None
    actor: str | None = None
    subject: str | None = None
    since: Moment | None = None
    until: Moment | None = None


accept_response_fields(SelfChange, OperatorOut)
accept_response_fields(KeyChange, KeyOut)
