"""HTTP API of customers with the store's key alone: registration, sign-in and password reset."""

from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import (
    changes,
    identities,
    password_signin,
    service,
    social,
    storefront_routers,
)
from pannier.customers.auth import Shopper
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.schemas import (
    CreationCodeIn,
    CustomerCodeSent,
    CustomerIn,
    CustomerSignedIn,
    EmailLoginIn,
    ForgotIn,
    PasswordLoginIn,
    ResetIn,
    SmsLoginIn,
    Success,
    VerifyCodeIn,
)
from pannier.customers.service import StoreRef
from pannier.customers.signin import verify_code
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.kit.passwords import Passwords
from pannier.verification import send_limits
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.web.exchange import Exchange
from pannier.web.routes import post

CODE_REQUEST_PROBLEMS = send_limits.SEND_PROBLEMS
CODE_PROBLEMS = [CodeInvalid, CodeExpired, TooManyRequests]


def to_store(caller: StorefrontKey | Shopper) -> StoreRef:
    return StoreRef(caller.company, caller.store)


@post("/customers/request-creation-code", status_code=200, problems=CODE_REQUEST_PROBLEMS)
async def request_creation_code(
    key: StorefrontKey, data: CreationCodeIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a registration code by SMS or email."""
    identity = identities.from_fields(data.phone, data.email, data.identity)
    timing = await service.request_code(
        db, to_store(key), service.CREATE, identity, address=exchange.address
    )
    return CustomerCodeSent.from_timing(timing, identity.channel)


@post("/customers", problems=[*CODE_PROBLEMS, service.CustomerExists])
async def create_customer(
    key: StorefrontKey, data: CustomerIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Register with the requested code, and sign in."""
    store, origin = to_store(key), SigninOrigin.from_exchange(exchange)
    async with exchange.edge.suspend_transaction(exchange):
        password_hash = await service.hash_new_password(db.database, hasher, store, data, origin)
    return CustomerSignedIn.from_session(
        await service.register_customer(db, store, data, password_hash, origin)
    )


@post("/customers/login-with-sms", status_code=200, problems=CODE_REQUEST_PROBLEMS)
async def login_with_sms(
    key: StorefrontKey, data: SmsLoginIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a sign-in code by SMS. The response is the same for an unknown number."""
    return await _send_code_to_owner(
        db, key, service.LOGIN, identities.from_phone(data.phone), exchange
    )


@post("/customers/login-with-email", status_code=200, problems=[TooManyRequests])
async def login_with_email(
    key: StorefrontKey, data: EmailLoginIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a sign-in code by email. The response is the same for an unknown address."""
    return await _send_code_to_owner(
        db, key, service.LOGIN, identities.from_email(data.email), exchange
    )


@post("/customers/verify-code", status_code=200, problems=CODE_PROBLEMS)
async def verify_customer_code(
    key: StorefrontKey, data: VerifyCodeIn, exchange: Exchange, db: Db
) -> CustomerSignedIn:
    """Sign in with a code."""
    identity = identities.parse(data.identity)
    session = await verify_code(
        db, to_store(key), identity, data.code, SigninOrigin.from_exchange(exchange)
    )
    return CustomerSignedIn.from_session(session)


@post(
    "/customers/login",
    status_code=200,
    problems=[password_signin.CredentialsInvalid, TooManyRequests],
)
async def login_customer(
    key: StorefrontKey, data: PasswordLoginIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Sign in with a password."""
    store, origin = to_store(key), SigninOrigin.from_exchange(exchange)
    async with exchange.edge.suspend_transaction(exchange):
        password_match = await password_signin.check_credentials(
            db.database, hasher, store, data.identity, data.password, origin
        )
    session = await password_signin.sign_in(db, store, password_match, origin)
    return CustomerSignedIn.from_session(session)


@post("/customers/forgot-password", status_code=200, problems=CODE_REQUEST_PROBLEMS)
async def forgot_password(
    key: StorefrontKey, data: ForgotIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code for a password reset. The response is the same for an unknown identity."""
    return await _send_code_to_owner(
        db, key, service.RESET, identities.parse(data.identity), exchange
    )


async def _send_code_to_owner(
    db: Db, key: StorefrontKey, purpose: str, identity: PhoneOrEmail, exchange: Exchange
) -> CustomerCodeSent:
    timing = await service.request_owner_code(
        db, to_store(key), purpose, identity, SigninOrigin.from_exchange(exchange)
    )
    return CustomerCodeSent.from_timing(timing, identity.channel)


@post("/customers/reset-password", status_code=200, problems=CODE_PROBLEMS)
async def reset_password(
    key: StorefrontKey, data: ResetIn, exchange: Exchange, db: Db, hasher: Passwords
) -> Success:
    """Set a new password with a code. Ends all of the customer's sessions."""
    store, origin = to_store(key), SigninOrigin.from_exchange(exchange)
    async with exchange.edge.suspend_transaction(exchange):
        password_hash = await changes.hash_reset_password(db.database, hasher, store, data, origin)
    await changes.reset_password(db, store, data, password_hash, origin)
    return Success()


key_routes = storefront_routers.storefront_router(
    "Customer sign-in",
    [
        request_creation_code,
        create_customer,
        login_with_sms,
        login_with_email,
        verify_customer_code,
        login_customer,
        forgot_password,
        reset_password,
        *social.login_handlers,
    ],
)
