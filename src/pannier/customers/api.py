"""HTTP API of customers: with the store's key alone, and signed in."""

from datetime import timedelta

from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens.known import Origin
from pannier.customers import (
    changes,
    closure,
    devices,
    doors,
    fresh,
    identities,
    links,
    queries,
    service,
    social,
)
from pannier.customers.auth import Shopper
from pannier.customers.identities import Kind, Named
from pannier.customers.models import Customer
from pannier.customers.schemas import (
    AnyDeviceIn,
    Closed,
    ClosureIn,
    CodeIn,
    Confirmed,
    CreationCodeIn,
    CustomerChange,
    CustomerCodeSent,
    CustomerIn,
    CustomerOut,
    CustomerSignedIn,
    DeviceGone,
    DeviceIn,
    DeviceRegistered,
    Done,
    EmailIn,
    EmailLoginIn,
    ForgotIn,
    LinkedProvider,
    PasswordIn,
    PasswordLoginIn,
    PhoneIn,
    ResetIn,
    SmsLoginIn,
    VerifyCodeIn,
)
from pannier.customers.service import Store
from pannier.customers.signin import verify_code
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.verification import sending
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.web.exchange import Exchange
from pannier.web.routes import change, delete, get, post
from pannier.web.times import stamp

ASKING = sending.REFUSALS
CODES = [CodeInvalid, CodeExpired, TooManyRequests]
VERIFYING = [*CODES, service.CustomerExists, fresh.SignInUnproved]


def store_of(caller: StorefrontKey | Shopper) -> Store:
    return Store(caller.company, caller.store)


@post("/customers/request-creation-code", status_code=200, problems=ASKING)
async def request_creation_code(
    key: StorefrontKey, data: CreationCodeIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code for registration: by SMS to a phone number, by email to an address."""
    identity = identities.one_of(data.phone, data.email, data.identity)
    sent = await service.request_code(
        db, store_of(key), service.CREATE, identity, address=exchange.address
    )
    return CustomerCodeSent.of(sent, identity.channel)


@post("/customers", problems=[*CODES, service.CustomerExists])
async def create_customer(
    key: StorefrontKey, data: CustomerIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Register with the requested code, and sign in."""
    store, origin = store_of(key), Origin.of(exchange)
    async with exchange.edge.outside(exchange):
        hashed = await service.hashed(db.database, hasher, store, data, origin)
    return CustomerSignedIn.signed_in(await service.register(db, store, data, hashed, origin))


@post("/customers/login-with-sms", status_code=200, problems=ASKING)
async def login_with_sms(
    key: StorefrontKey, data: SmsLoginIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a sign-in code by SMS. The answer is the same for an unknown number."""
    return await _sent(db, key, service.LOGIN, identities.of_phone(data.phone), exchange)


@post("/customers/login-with-email", status_code=200, problems=[TooManyRequests])
async def login_with_email(
    key: StorefrontKey, data: EmailLoginIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a sign-in code by email. The answer is the same for an unknown address."""
    return await _sent(db, key, service.LOGIN, identities.of_email(data.email), exchange)


@post("/customers/verify-code", status_code=200, problems=CODES)
async def verify_customer_code(
    key: StorefrontKey, data: VerifyCodeIn, exchange: Exchange, db: Db
) -> CustomerSignedIn:
    """Sign in with a code."""
    identity = identities.read(data.identity)
    done = await verify_code(db, store_of(key), identity, data.code, Origin.of(exchange))
    return CustomerSignedIn.signed_in(done)


@post(
    "/customers/login",
    status_code=200,
    problems=[service.CredentialsInvalid, TooManyRequests],
)
async def login_customer(
    key: StorefrontKey, data: PasswordLoginIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Sign in with a password."""
    store, origin = store_of(key), Origin.of(exchange)
    async with exchange.edge.outside(exchange):
        recognised = await service.recognise(
            db.database, hasher, store, data.identity, data.password, origin
        )
    done = await service.sign_in(db, store, recognised, origin)
    return CustomerSignedIn.signed_in(done)


@post("/customers/forgot-password", status_code=200, problems=ASKING)
async def forgot_password(
    key: StorefrontKey, data: ForgotIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code for a password reset. The answer is the same for an unknown identity."""
    return await _sent(db, key, service.RESET, identities.read(data.identity), exchange)


async def _sent(
    db: Db, key: StorefrontKey, purpose: str, identity: Named, exchange: Exchange
) -> CustomerCodeSent:
    sent = await service.request_of_owner(db, store_of(key), purpose, identity, Origin.of(exchange))
    return CustomerCodeSent.of(sent, identity.channel)


@post("/customers/reset-password", status_code=200, problems=CODES)
async def reset_password(
    key: StorefrontKey, data: ResetIn, exchange: Exchange, db: Db, hasher: Passwords
) -> Done:
    """Set a new password with a code. All sessions end."""
    store, origin = store_of(key), Origin.of(exchange)
    async with exchange.edge.outside(exchange):
        hashed = await changes.hashed_reset(db.database, hasher, store, data, origin)
    await changes.reset_password(db, store, data, hashed, origin)
    return Done()


@get("/customers/me")
async def get_me(caller: Shopper, db: Db) -> CustomerOut:
    """Get the signed-in customer."""
    return CustomerOut.of(await queries.CUSTOMERS.get(db, caller.company, caller.customer))


@change("/customers/me", problems=[*fresh.REFUSALS, TooManyRequests])
async def change_me(
    caller: Shopper, data: CustomerChange, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerOut:
    """Change the customer's name, password or meta. Omitted fields stay unchanged.

    A new password requires the current one, or a confirmation, and ends the other sessions.
    """
    async with exchange.edge.outside(exchange):
        new = await changes.new_password(db.database, hasher, caller, data)
    customer = await held(db, caller)
    return CustomerOut.of(await changes.change(db, caller, customer, data, new))


async def held(db: Db, caller: Shopper) -> Customer:
    """Lock the signed-in customer until the transaction ends."""
    return await queries.take(db, caller.company, caller.store, caller.customer)


@post(
    "/customers/request-confirmation",
    status_code=200,
    problems=[*ASKING, closure.NothingVerified],
)
async def request_confirmation(caller: Shopper, exchange: Exchange, db: Db) -> CustomerCodeSent:
    """Send a code with which the customer confirms their identity.

    The code goes to the verified phone or else address. Changing a phone, an address, a password or
    a provider requires a sign-in or a confirmation less than ten minutes old.
    """
    customer = await held(db, caller)
    sent = await fresh.request(db, store_of(caller), caller, customer, address=exchange.address)
    return CustomerCodeSent.of(sent, closure.reachable(customer).channel)


@post("/customers/confirm", status_code=200, problems=[*CODES, closure.NothingVerified])
async def confirm(caller: Shopper, data: CodeIn, exchange: Exchange, db: Db) -> Confirmed:
    """Confirm the customer's identity with the code."""
    customer, address = await held(db, caller), exchange.address
    await fresh.confirm_by_code(db, store_of(caller), caller, customer, data.code, address=address)
    return Confirmed("ok", stamp(db.now + fresh.LASTS))


@post("/customers/confirm-with-password", status_code=200, problems=[TooManyRequests])
async def confirm_with_password(
    caller: Shopper, data: PasswordIn, exchange: Exchange, db: Db, hasher: Passwords
) -> Confirmed:
    """Confirm the customer's identity with the password."""
    async with exchange.edge.outside(exchange):
        known = await fresh.check_password(
            db.database, hasher, caller, data.password, path="password"
        )
    await fresh.confirm_by_password(db, caller, await held(db, caller), known)
    return Confirmed("ok", stamp(db.now + fresh.LASTS))


@post(
    "/customers/request-phone-verification",
    status_code=200,
    problems=[*ASKING, *fresh.REFUSALS],
)
async def request_phone_verification(
    caller: Shopper, data: PhoneIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to the phone number that the customer wants to add."""
    return await _requested(db, caller, identities.of_phone(data.phone), exchange)


@post("/customers/verify-phone-number", status_code=200, problems=VERIFYING)
async def verify_phone_number(
    caller: Shopper, data: CodeIn, exchange: Exchange, db: Db
) -> CustomerOut:
    """Set the new phone number with its code. The old one is notified, and other sessions end."""
    return await _verified(db, caller, "phone", data.code, exchange)


@post(
    "/customers/request-email-verification",
    status_code=200,
    problems=[TooManyRequests, *fresh.REFUSALS],
)
async def request_email_verification(
    caller: Shopper, data: EmailIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to the email address that the customer wants to add or verify."""
    return await _requested(db, caller, identities.of_email(data.email), exchange)


@post("/customers/verify-email", status_code=200, problems=VERIFYING)
async def verify_email(caller: Shopper, data: CodeIn, exchange: Exchange, db: Db) -> CustomerOut:
    """Set the new email address with its code. The old one is notified, and other sessions end."""
    return await _verified(db, caller, "email", data.code, exchange)


async def _requested(
    db: Db, caller: Shopper, identity: Named, exchange: Exchange
) -> CustomerCodeSent:
    customer = await held(db, caller)
    sent = await changes.request_identity(
        db, store_of(caller), caller, customer, identity, address=exchange.address
    )
    return CustomerCodeSent.of(sent, identity.channel)


async def _verified(
    db: Db, caller: Shopper, kind: Kind, code: str, exchange: Exchange
) -> CustomerOut:
    store, customer, address = store_of(caller), await held(db, caller), exchange.address
    saved = await changes.verify_identity(db, store, caller, customer, kind, code, address=address)
    return CustomerOut.of(saved)


@post(
    "/customers/account-closure",
    status_code=200,
    problems=[*ASKING, closure.NothingVerified],
)
async def request_closure(caller: Shopper, exchange: Exchange, db: Db) -> CustomerCodeSent:
    """Send the code that confirms the closure, to the verified phone or else address."""
    customer, place = await held(db, caller), caller.place
    sent = await closure.request(
        db, store_of(caller), customer, address=exchange.address, place=place
    )
    return CustomerCodeSent.of(sent, closure.reachable(customer).channel)


@post(
    "/customers/confirm-account-closure",
    status_code=200,
    problems=[*CODES, closure.NothingVerified],
)
async def confirm_closure(
    caller: Shopper, data: ClosureIn, exchange: Exchange, db: Db, settings: Settings
) -> Closed:
    """Close the account. All sessions end immediately; erasure follows after a grace period."""
    customer = await held(db, caller)
    closed = await closure.confirm(
        db, store_of(caller), customer, data.code,
        reason=data.reason, grace=timedelta(days=settings.erasure_days),
        address=exchange.address, place=caller.place,
    )  # fmt: skip
    return Closed("closed", stamp(db.now), stamp(closed.erase_at or db.now))


@post(
    "/customers/register-device",
    status_code=200,
    opt={"request_bodies": {"application/json": DeviceIn}},
)
async def register_device(caller: Shopper, data: AnyDeviceIn, db: Db) -> DeviceRegistered:
    """Register a device for push messages while this session lasts.

    A token that another customer registered moves to this customer.
    """
    device = await devices.register(db, await held(db, caller), caller.token, data)
    return DeviceRegistered("ok", device.public_id)


@post("/customers/unregister-device", status_code=200)
async def unregister_device(caller: Shopper, data: DeviceGone, db: Db) -> Done:
    """Stop push messages to a device. Signing out does the same."""
    await devices.unregister(db, await held(db, caller), data)
    return Done()


@get("/customers/providers")
async def list_providers(caller: Shopper, db: Db) -> list[LinkedProvider]:
    """List the providers linked to the customer."""
    customer = await queries.CUSTOMERS.get(db, caller.company, caller.customer)
    return [LinkedProvider.of(row) for row in await links.linked(db, customer)]


@delete(
    "/customers/providers/{provider_id:str}",
    status_code=200,
    problems=[links.LastWayIn, *fresh.REFUSALS, TooManyRequests],
)
async def unlink_provider(caller: Shopper, provider_id: str, db: Db) -> Done:
    """Unlink a provider, unless it is the only way to sign in."""
    await links.unlink(db, caller, await held(db, caller), provider_id)
    return Done()


key_routes = doors.for_storefronts(
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
        *social.handlers,
    ],
)
customer_routes = doors.for_customers(
    "Customer account",
    [
        get_me,
        change_me,
        request_confirmation,
        confirm,
        confirm_with_password,
        request_phone_verification,
        verify_phone_number,
        request_email_verification,
        verify_email,
        request_closure,
        confirm_closure,
        register_device,
        unregister_device,
        list_providers,
        unlink_provider,
        *social.linking,
        *tokens.own("customer"),
    ],
)
routers = (key_routes, customer_routes)
