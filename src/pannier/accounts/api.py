"""API of accounts: sign-in, keys, operators, the audit log."""

from datetime import timedelta
from typing import Final

import msgspec
from litestar import Response, Router
from litestar.datastructures import Cookie

from pannier.accounts import api_routers, audit_export, auth, queries, service, signin
from pannier.accounts.auth import Caller, FleetKey
from pannier.accounts.company_settings import api as company_settings
from pannier.accounts.queries import KEYS, OPERATORS
from pannier.accounts.saved_views import api as saved_views
from pannier.accounts.schemas import (
    AuditExportFilters,
    AuditFilters,
    AuditOut,
    CompanyOut,
    KeyIn,
    KeyOut,
    KeyRotation,
    LoginIn,
    LoginOut,
    MeChange,
    MeOut,
    NewKeyOut,
    OperatorChange,
    OperatorIn,
    OperatorOut,
)
from pannier.accounts.stores import api as stores
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens import device_proofs
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_envelope
from pannier.web.resources import Resource
from pannier.web.routes import delete, get, patch, post
from pannier.web.streams import StreamedResponse, TooManyStreams
from pannier.web.times import to_rfc3339
from pannier.web.versions import IfMatch, PreconditionFailed


@get("/organizations/current")
async def get_current_organization(key: FleetKey, db: Db) -> CompanyOut:
    """Retrieve the company that the key belongs to."""
    return CompanyOut.from_row(await queries.get_company_summary(db, key.company))


@get("/companies/current")
async def get_current_company(key: FleetKey, db: Db) -> CompanyOut:
    """Retrieve the company that the key belongs to."""
    return CompanyOut.from_row(await queries.get_company_summary(db, key.company))


@post(
    "/login",
    status_code=200,
    before_request=auth.allow_anonymous,
    problems=[signin.LoginFailed, auth.CsrfFailed],
)
async def login(
    data: LoginIn, db: Db, exchange: Exchange, hasher: Passwords, settings: Settings
) -> Response[LoginOut]:
    """Sign an operator in.

    Attempts with a `device_proof` from an earlier sign-in have their own rate limit.
    """
    return await sign_operator_in(data, db, exchange, hasher, settings)


async def sign_operator_in(
    data: LoginIn, db: Db, exchange: Exchange, hasher: Passwords, settings: Settings
) -> Response[LoginOut]:
    """Sign an operator in. The session is a cookie if the body requests one, otherwise a token."""
    if data.cookie:
        auth.check_same_site(exchange)
    origin = SigninOrigin.from_exchange(exchange)
    async with exchange.edge.suspend_transaction(exchange):
        verified_operator = await signin.verify_credentials(
            db.database,
            hasher,
            email_text=data.email,
            password=data.password,
            company=data.company,
            origin=origin,
        )
    lifetime = signin.get_session_lifetime(settings)
    session = await signin.sign_in(db, verified_operator, origin=origin, lifetime=lifetime)
    csrf_token = auth.make_csrf_token(db.database, session.token.public_id) if data.cookie else None
    login_out = LoginOut(
        None if data.cookie else session.text,
        csrf_token,
        to_rfc3339(db.now + lifetime),
        OperatorOut.from_row(session.operator),
        None if data.cookie else session.proof,
    )
    cookies = _make_cookies(session, settings, secure=exchange.secure) if data.cookie else []
    return Response(login_out, cookies=cookies)


def _make_cookies(
    session: signin.OperatorSession, settings: Settings, *, secure: bool
) -> list[Cookie]:
    cookies = [
        (auth.SESSION_COOKIE, session.text, signin.get_session_lifetime(settings)),
        (device_proofs.PROOF_COOKIE, session.proof, signin.get_proof_lifetime(settings)),
    ]
    return [
        Cookie(
            name, value=text, httponly=True, samesite="lax", secure=secure,
            max_age=int(lifetime.total_seconds()), path="/",
        )
        for name, text, lifetime in cookies
    ]  # fmt: skip


@post("/logout", status_code=200)
async def logout(caller: Caller, db: Db) -> Response[dict[str, str]]:
    """End the session that the request uses."""
    await signin.sign_out(db, caller)
    return Response(
        {"status": "ok"}, cookies=[Cookie(auth.SESSION_COOKIE, value="", max_age=0, path="/")]
    )


@get("/me")
async def get_me(caller: Caller, db: Db) -> MeOut:
    """Retrieve the signed-in operator."""
    operator = await OPERATORS.get(db, caller.company, caller.public_id)
    company = await queries.get_company_summary(db, caller.company)
    return MeOut(OperatorOut.from_row(operator), CompanyOut.from_row(company))


@patch("/me")
async def change_me(
    caller: Caller, data: MeChange, exchange: Exchange, db: Db, hasher: Passwords
) -> OperatorOut:
    """Change your own name or password."""
    async with exchange.edge.suspend_transaction(exchange):
        replacement = await signin.prepare_password_replacement(db.database, hasher, caller, data)
    operator = await queries.lock_company_operators(db, caller.company, caller.public_id)
    return OperatorOut.from_row(await signin.change_self(db, caller, operator, data, replacement))


@post("/keys")
async def create_key(caller: Caller, data: KeyIn, db: Db) -> NewKeyOut:
    """Create a key. Only this response contains its secret."""
    new_key = await service.create_key(db, caller.company, **msgspec.structs.asdict(data))
    return NewKeyOut.from_new_key(new_key.row, new_key.text)


@delete("/keys/{key_id:str}", status_code=200, problems=[PreconditionFailed])
async def revoke_key(caller: Caller, key_id: str, match: IfMatch, db: Db) -> KeyOut:
    """Revoke a key. It stays in the list."""
    key = await KEYS.lock(db, caller.company, key_id)
    match(key.version)
    return KeyOut.from_row(await service.revoke_key(db, key))


@post("/keys/{key_id:str}/rotate", problems=[service.KeyRevoked])
async def rotate_key(caller: Caller, key_id: str, data: KeyRotation, db: Db) -> NewKeyOut:
    """Replace a key. Both keys work until the overlap ends."""
    key = await KEYS.lock(db, caller.company, key_id)
    overlap = timedelta(seconds=data.overlap_seconds)
    new_key = await service.rotate_key(db, key, overlap)
    return NewKeyOut.from_new_key(new_key.row, new_key.text)


@post("/operators", problems=[service.EmailTaken])
async def create_operator(
    caller: Caller, data: OperatorIn, exchange: Exchange, db: Db, hasher: Passwords
) -> OperatorOut:
    """Create an operator."""
    async with exchange.edge.suspend_transaction(exchange):
        password_hash = await service.hash_password(hasher, data, data.password)
    return OperatorOut.from_row(
        await service.create_operator_with_hash(db, caller.company, data, password_hash)
    )


@patch("/operators/{operator_id:str}", problems=[service.LastAdmin, PreconditionFailed])
async def change_operator(
    caller: Caller,
    operator_id: str,
    data: OperatorChange,
    match: IfMatch,
    exchange: Exchange,
    db: Db,
    hasher: Passwords,
) -> OperatorOut:
    """Update an operator's name, role or password, or disable the operator."""
    async with exchange.edge.suspend_transaction(exchange):
        password_hash = await service.hash_changed_password(
            db.database, hasher, caller.company, operator_id, data
        )
    operator = await queries.lock_company_operators(db, caller.company, operator_id)
    match(operator.version)
    return OperatorOut.from_row(await service.change_operator(db, operator, data, password_hash))


@delete(
    "/operators/{operator_id:str}",
    status_code=204,
    problems=[service.LastAdmin, PreconditionFailed],
)
async def remove_operator(caller: Caller, operator_id: str, match: IfMatch, db: Db) -> None:
    """Remove an operator."""
    operator = await queries.lock_company_operators(db, caller.company, operator_id)
    match(operator.version)
    await service.remove_operator(db, operator)


async def _find_operator_holder(db: Db, caller: Caller, operator_id: str) -> Holder:
    return service.make_holder(await OPERATORS.get(db, caller.company, operator_id))


async def _get_own_holder(_: Db, caller: Caller) -> Holder:
    return caller.holder


@get("/audit")
async def list_audit(caller: Caller, filters: AuditFilters, db: Db) -> Listed[AuditOut]:
    """List changes and who made them."""
    return to_envelope(
        await queries.list_audit_entries(db, caller.company, filters), AuditOut.from_row
    )


@get(
    "/audit/export",
    opt={"responses": {200: audit_export.RESPONSES}},
    problems=[TooManyStreams],
)
async def export_audit(
    caller: Caller, filters: AuditExportFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Download all entries of the audit log that match the filters, oldest first."""
    return await audit_export.start_export(exchange, db, caller.company, filters)


@get("/audit/{audit_id:str}")
async def get_audit_entry(caller: Caller, audit_id: str, db: Db) -> AuditOut:
    """Retrieve an audit log entry, with the values before and after the change."""
    return AuditOut.from_row(await queries.get_audit_entry(db, caller.company, audit_id))


keys: Final = Resource(
    KEYS, out=KeyOut, change=service.change_key, page=queries.list_keys, remove=False
)
operators: Final = Resource(OPERATORS, out=OperatorOut, page=queries.list_operators, remove=False)
fleet_routes = api_routers.api_router(
    "Company", None, [get_current_organization, get_current_company]
)
public_routes = Router("/int/v1", route_handlers=[login], tags=["Sign-in"], security=[{}])
viewer_routes = api_routers.operator_router(
    "Sign-in",
    "viewer",
    [
        logout,
        get_me,
        change_me,
        *tokens.make_managed_session_handlers(
            "operator", _get_own_holder, tokens.OWN_SESSIONS_PATH
        ),
    ],
)
admin_routes = api_routers.operator_router(
    "Keys and operators",
    "admin",
    [
        *keys.make_handlers(with_envelope=True),
        create_key,
        revoke_key,
        rotate_key,
        *operators.make_handlers(with_envelope=True),
        create_operator,
        change_operator,
        remove_operator,
        *tokens.make_managed_session_handlers("operator", _find_operator_holder),
        list_audit,
        export_audit,
        get_audit_entry,
    ],
)
routers = (
    fleet_routes,
    public_routes,
    viewer_routes,
    admin_routes,
    *stores.routers,
    *saved_views.routers,
    *company_settings.routers,
)
