"""Queries of accounts. All take the company, except those of sign-in, which finds it."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.models import Company, CompanySummary, Key, KeyKind, Operator, Store
from pannier.accounts.schemas import AuditFilters, KeyFilters, OperatorFilters
from pannier.db import Db, Page, Sort, Table, Where, columns, load_page
from pannier.db.audit import TABLE, AuditEntry
from pannier.kit import crypto, ids
from pannier.kit.credential import Mode, PresentedCredential

KEYS: Final = Table(
    "keys",
    Key,
    sort=Sort(("created_at", "name")),
    configuration=True,
    secret=frozenset({"app_key"}),
)
OPERATORS: Final = Table(
    "operators",
    Operator,
    sort=Sort(("created_at", "name", "email")),
    configuration=True,
    secret=frozenset({"password_hash"}),
)
STORES: Final = Table(
    "stores",
    Store,
    noun="storefront",
    prefix="store",
    sort=Sort(("created_at", "name")),
    configuration=True,
)
_AUDIT: Final = f"select {columns(AuditEntry)} from {TABLE}"
_COMPANY: Final = f"select {columns(Company)} from companies"

# Sign-in hashes the password once for each company, so this bounds the cost of an attempt.
MAX_COMPANIES_PER_EMAIL: Final = 5

# A company belongs to itself: the column `company` repeats its UUID.
COMPANIES: Final = Table("companies", Company, noun="company", configuration=True)


class KeyLogin(msgspec.Struct):
    """A key's row as authentication needs it."""

    uuid: UUID
    public_id: str
    company: UUID
    store: UUID | None
    kind: KeyKind
    name: str
    scopes: list[str]
    secret_hash: bytes
    mode: Mode
    last_used_at: datetime | None
    version: int
    ended: bool

    def matches(self, presented_credential: PresentedCredential, kind: KeyKind) -> bool:
        """Tell whether a presented credential is this key, of this kind and still valid."""
        return (
            crypto.is_equal(self.secret_hash, presented_credential.hash)
            and self.kind == kind
            and self.mode == presented_credential.mode
            and not self.ended
        )


async def find_key_login(db: Db, public_id: str) -> KeyLogin | None:
    """Find a key before its company is known."""
    return await db.find(
        KeyLogin,
        """select k.uuid, k.public_id, k.company, k.store, k.kind, k.name, k.scopes, k.secret_hash,
                  c.mode, k.last_used_at, k.version,
                  k.revoked_at is not null
                      or coalesce(k.expires_at <= pannier_now(), false) as ended
           from keys k join companies c on c.uuid = k.company where k.public_id = :public_id""",
        public_id=public_id,
    )


def make_unchanged_key_sql(key: KeyLogin) -> str:
    """Make the SQL that finds a key only if it is valid and its version is unchanged."""
    return f"""select from keys where company = '{key.company}' and uuid = '{key.uuid}'
        and version = {key.version} and revoked_at is null
        and (expires_at is null or expires_at > pannier_now())"""


async def is_key_unchanged(db: Db, company: UUID, key: KeyLogin) -> bool:
    """Tell whether a key is still valid and has the same scopes."""
    is_unchanged: bool = await db.fetch_value(
        """select exists (
               select from keys where company = :company and uuid = :key and scopes = :scopes
                 and secret_hash = :secret and revoked_at is null
                 and (expires_at is null or expires_at > pannier_now()))""",
        company=company,
        key=key.uuid,
        scopes=key.scopes,
        secret=key.secret_hash,
    )
    return is_unchanged


async def list_operators_by_email(db: Db, email_key: str, company_id: str | None) -> list[Operator]:
    """List the enabled operators with an email address. Several companies may have one."""
    return await db.fetch_all(
        Operator,
        f"""select {columns(Operator, "o")} from operators o join companies c on c.uuid = o.company
           where o.email_key = :email_key and o.disabled_at is null
             and (:company_id::text is null or :company_id in (c.public_id, c.uuid::text))
           order by o.created_at, o.uuid limit :limit""",
        email_key=email_key,
        company_id=company_id,
        limit=MAX_COMPANIES_PER_EMAIL,
    )


async def increment_rates_version(db: Db, company: UUID) -> None:
    """Increment the version of a company's rates, so that processes reload cached rates."""
    await db.execute(
        "update companies set rates_version = rates_version + 1 where uuid = :company",
        company=company,
    )


async def find_first_company(db: Db) -> Company | None:
    """Find the oldest company."""
    return await db.find(Company, f"{_COMPANY} order by created_at, uuid limit 1")


async def find_company(db: Db, identifier: str) -> Company | None:
    """Find a company by its name or identifier, for the command line."""
    return await db.find(
        Company,
        f"""{_COMPANY} where public_id = :name or uuid::text = :name or name = :name
           order by created_at limit 1""",
        name=identifier,
    )


async def get_company(db: Db, company: UUID) -> Company:
    return await COMPANIES.get(db, company, company)


async def get_company_summary(db: Db, company: UUID) -> CompanySummary:
    return await db.get(
        CompanySummary,
        f"""select {columns(CompanySummary)} from companies
            where company = :company and uuid = :company and deleted_at is null""",
        company=company,
    )


async def lock_company(db: Db, company: UUID) -> Company:
    return await COMPANIES.lock(db, company, company)


async def get_store(db: Db, company: UUID, identifier: str | None) -> Store:
    """Get a store; the company's first if no identifier is given."""
    where = Where(company)
    if identifier is not None:
        where.add_identifier(identifier)
    return await db.get(
        Store,
        f"select {STORES.columns} from stores {where} order by created_at, uuid limit 1",
        **where.values,
    )


async def list_keys(db: Db, company: UUID, filters: KeyFilters) -> Page[Key]:
    """List keys, the newest first."""
    where = KEYS.where(company).add_equal(kind=filters.kind)
    if filters.revoked is not None:
        where.add(f"(revoked_at is not null) = {filters.revoked}")
    return await KEYS.load_page(db, where, filters)


async def find_app_key(db: Db, company: UUID) -> Key | None:
    """Find the newest valid app key whose text is stored."""
    return await db.find(
        Key,
        f"""select {columns(Key)} from keys
            where company = :company and kind = 'app' and app_key is not null
              and revoked_at is null and replaced_by is null
              and (expires_at is null or expires_at > pannier_now())
            order by created_at desc, uuid desc limit 1""",
        company=company,
    )


async def lock_company_operators(db: Db, company: UUID, identifier: str) -> Operator:
    """Lock all operators of the company, and return the one with this identifier.

    Whether somebody is the last admin depends on all of them.
    """
    await db.execute(
        "select uuid from operators where company = :company order by uuid for update",
        company=company,
    )
    return await OPERATORS.get(db, company, identifier)


async def delete_saved_views(db: Db, company: UUID, operator: UUID) -> list[str]:
    """Delete an operator's saved views; return their public ids."""
    rows = await db.fetch_tuples(
        """delete from saved_views where company = :company and operator = :operator
           returning public_id""",
        company=company,
        operator=operator,
    )
    return [public_id for (public_id,) in rows]


async def count_other_admins(db: Db, company: UUID, operator: UUID) -> int:
    """Count the enabled admins except this one."""
    count: int = await db.fetch_value(
        """select count(*) from operators where company = :company and uuid <> :operator
           and role = 'admin' and disabled_at is null""",
        company=company,
        operator=operator,
    )
    return count


async def list_operators(db: Db, company: UUID, filters: OperatorFilters) -> Page[Operator]:
    """List operators, the newest first."""
    where = OPERATORS.where(company).add_equal(role=filters.role)
    return await OPERATORS.load_page(db, where, filters)


async def list_audit_entries(db: Db, company: UUID, filters: AuditFilters) -> Page[AuditEntry]:
    """List audit entries, the newest first."""
    actor = await _resolve_public_id(db, company, filters.actor)
    subject = await _resolve_public_id(db, company, filters.subject)
    where = Where(company).add_equal(action=filters.action, actor=actor, subject=subject)
    where.add_time_range("created_at", filters.since, filters.until)
    return await load_page(db, AuditEntry, _AUDIT, where, filters)


async def get_audit_entry(db: Db, company: UUID, identifier: str) -> AuditEntry:
    where = Where(company).add_identifier(identifier)
    return await db.get(AuditEntry, f"{_AUDIT} {where}", **where.values)


async def _resolve_public_id(db: Db, company: UUID, identifier: str | None) -> str | None:
    """Resolve the UUID of a key, operator or store to the public id in the audit log."""
    uuid = ids.parse_uuid(identifier) if identifier else None
    if uuid is None:
        return identifier
    public_id: str | None = await db.fetch_value(
        """select public_id from keys where company = :company and uuid = :uuid
           union all
           select public_id from operators where company = :company and uuid = :uuid
           union all
           select public_id from stores where company = :company and uuid = :uuid""",
        company=company,
        uuid=uuid,
    )
    return public_id or identifier


async def list_company_ids(db: Db, mode: Mode | None = None) -> list[str]:
    """List the public ids of all companies or of those in one mode, for the command line."""
    rows = await db.fetch_all(
        Company,
        f"{_COMPANY} where :mode::text is null or mode = :mode order by created_at, uuid",
        mode=mode,
    )
    return [row.public_id for row in rows]


async def list_admin_emails(db: Db, company: UUID) -> list[str]:
    """List the email addresses of a company's enabled admins."""
    emails: list[str] = await db.fetch_value(
        """select array(select email from operators
               where company = :company and role = 'admin' and disabled_at is null
               order by email)""",
        company=company,
    )
    return emails
