"""The doors of customers: with the store's key alone, and signed in."""

from datetime import timedelta

from pannier.accounts.auth import StorefrontKey
from pannier.accounts.tokens import api as tokens
from pannier.accounts.tokens.service import Origin
from pannier.customers import (
    closure,
    devices,
    doors,
    identities,
    links,
    queries,
    service,
    social,
)
from pannier.customers.auth import Shopper
from pannier.customers.schemas import (
    Closed,
    ClosureIn,
    CodeIn,
    CreationCodeIn,
    CustomerChange,
    CustomerCodeSent,
    CustomerIn,
    CustomerOut,
    CustomerSignedIn,
    DeviceIn,
    DeviceRegistered,
    Done,
    ForgotIn,
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
from pannier.verification.service import CodeExpired, CodeInvalid, CountryNotAllowed
from pannier.web.exchange import Exchange
from pannier.web.routes import change, get, post
from pannier.web.times import stamp

ASKING = [CountryNotAllowed, TooManyRequests]
CODES = [CodeInvalid, CodeExpired, TooManyRequests]


def store_of(caller: StorefrontKey | Shopper) -> Store:
    """Tell which store a request is about."""
    return Store(caller.company, caller.store)


@post("/customers/request-creation-code", status_code=200, problems=ASKING)
async def request_creation_code(
    key: StorefrontKey, data: CreationCodeIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to register with: by SMS for a phone, by e-mail for an address."""
    identity = identities.one_of(data.phone, data.email, data.identity)
    sent = await service.request_code(
        db, store_of(key), service.CREATE, identity, address=exchange.address
    )
    return CustomerCodeSent.of(sent, identity.channel)


@post("/customers", problems=[*CODES, service.CustomerExists])
async def create_customer(
    key: StorefrontKey, data: CustomerIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Register with the code that was requested, and sign in."""
    done = await service.register(db, hasher, store_of(key), data, Origin.of(exchange))
    return CustomerSignedIn.signed_in(done.customer, done.text)


@post("/customers/login-with-sms", status_code=200, problems=ASKING)
async def login_with_sms(
    key: StorefrontKey, data: SmsLoginIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to sign in with; the answer is the same for a phone that nobody has."""
    identity = identities.of_phone(data.phone)
    sent = await service.request_login(db, store_of(key), identity, address=exchange.address)
    return CustomerCodeSent.of(sent, "sms")


@post("/customers/verify-code", status_code=200, problems=CODES)
async def verify_customer_code(
    key: StorefrontKey, data: VerifyCodeIn, exchange: Exchange, db: Db
) -> CustomerSignedIn:
    """Turn a code into a sign-in."""
    identity = identities.read(data.identity)
    done = await verify_code(db, store_of(key), identity, data.code, Origin.of(exchange))
    return CustomerSignedIn.signed_in(done.customer, done.text)


@post(
    "/customers/login",
    status_code=200,
    problems=[service.CredentialsInvalid, TooManyRequests],
)
async def login_customer(
    key: StorefrontKey, data: PasswordLoginIn, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerSignedIn:
    """Sign in with a password."""
    store = store_of(key)
    async with exchange.edge.outside(exchange):
        customer = await service.recognised(
            db.database, hasher, store, data.identity, data.password, exchange.address
        )
    origin = Origin.of(exchange)
    done = await service.sign_in(db, hasher, store, customer, data.password, origin)
    return CustomerSignedIn.signed_in(done.customer, done.text)


@post("/customers/forgot-password", status_code=200, problems=ASKING)
async def forgot_password(
    key: StorefrontKey, data: ForgotIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to set a new password with; the answer is the same for everybody."""
    identity = identities.read(data.identity)
    sent = await service.request_reset(db, store_of(key), identity, address=exchange.address)
    return CustomerCodeSent.of(sent, identity.channel)


@post("/customers/reset-password", status_code=200, problems=CODES)
async def reset_password(key: StorefrontKey, data: ResetIn, db: Db, hasher: Passwords) -> Done:
    """Set a new password with a code; every sign-in ends."""
    identity = identities.read(data.identity)
    await service.reset_password(db, hasher, store_of(key), identity, data.code, data.password)
    return Done()


@get("/customers/me")
async def get_me(caller: Shopper, db: Db) -> CustomerOut:
    """Read the customer who is signed in."""
    return CustomerOut.of(await queries.CUSTOMERS.get(db, caller.company, caller.customer))


@change("/customers/me", problems=[service.FreshSignInRequired, TooManyRequests])
async def change_me(
    caller: Shopper, data: CustomerChange, db: Db, hasher: Passwords
) -> CustomerOut:
    """Change one's name, password or meta; a field left out stays as it is."""
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    return CustomerOut.of(await service.change(db, hasher, caller, customer, data))


@post(
    "/customers/request-phone-verification",
    status_code=200,
    problems=[*ASKING, links.SignInUnproved],
)
async def request_phone_verification(
    caller: Shopper, data: PhoneIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to the number that the customer wants to have."""
    links.require_proof(caller)
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    sent = await service.request_phone(
        db, store_of(caller), customer, data.phone, address=exchange.address
    )
    return CustomerCodeSent.of(sent, "sms")


@post(
    "/customers/verify-phone-number",
    status_code=200,
    problems=[*CODES, service.CustomerExists, links.SignInUnproved],
)
async def verify_phone_number(caller: Shopper, data: CodeIn, db: Db) -> CustomerOut:
    """Take the new number over with its code; the old one is told."""
    links.require_proof(caller)
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    return CustomerOut.of(await service.verify_phone(db, store_of(caller), customer, data.code))


@post(
    "/customers/account-closure",
    status_code=200,
    problems=[*ASKING, closure.NothingVerified],
)
async def request_closure(caller: Shopper, exchange: Exchange, db: Db) -> CustomerCodeSent:
    """Send the code that confirms the closure, to the verified phone or else address."""
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    sent = await closure.request(db, store_of(caller), customer, address=exchange.address)
    return CustomerCodeSent.of(sent, closure.reachable(customer).channel)


@post(
    "/customers/confirm-account-closure",
    status_code=200,
    problems=[*CODES, closure.NothingVerified],
)
async def confirm_closure(caller: Shopper, data: ClosureIn, db: Db, settings: Settings) -> Closed:
    """Close the account: signed out everywhere at once, erased after the grace."""
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    grace = timedelta(days=settings.erasure_days)
    closed = await closure.confirm(
        db, store_of(caller), customer, data.code, reason=data.reason, grace=grace
    )
    return Closed("closed", stamp(db.now), stamp(closed.erase_at or db.now))


@post("/customers/register-device", status_code=200)
async def register_device(caller: Shopper, data: DeviceIn, db: Db) -> DeviceRegistered:
    """Have push messages reach a device; a token that somebody else had moves over."""
    customer = await queries.take(db, caller.company, caller.store, caller.customer)
    device = await devices.register(db, customer, data)
    return DeviceRegistered("ok", device.public_id)


key_routes = doors.for_storefronts(
    "Customers",
    [
        request_creation_code,
        create_customer,
        login_with_sms,
        verify_customer_code,
        login_customer,
        forgot_password,
        reset_password,
        *social.handlers,
    ],
)
customer_routes = doors.for_customers(
    "Customers",
    [
        get_me,
        change_me,
        request_phone_verification,
        verify_phone_number,
        request_closure,
        confirm_closure,
        register_device,
        *tokens.own("customer"),
    ],
)
routers = (key_routes, customer_routes)
