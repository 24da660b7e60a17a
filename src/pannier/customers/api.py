"""HTTP API of signed-in customers."""

from datetime import timedelta

from pannier.accounts.tokens import api as tokens
from pannier.customers import (
    changes,
    closure,
    devices,
    identities,
    provider_identities,
    provider_links,
    queries,
    reauthentication,
    service,
    signin_api,
    social,
    storefront_routers,
)
from pannier.customers.auth import Shopper
from pannier.customers.identities import IdentityKind, PhoneOrEmail
from pannier.customers.models import Customer
from pannier.customers.schemas import (
    AccountClosed,
    AnyDeviceIn,
    ClosureIn,
    CodeIn,
    CustomerChange,
    CustomerCodeSent,
    CustomerOut,
    DeviceIn,
    DeviceRegistered,
    EmailIn,
    IdentityConfirmed,
    LinkedProvider,
    PasswordIn,
    PhoneIn,
    Success,
    UnregisterDeviceIn,
)
from pannier.customers.signin_api import CODE_PROBLEMS, CODE_REQUEST_PROBLEMS, to_store
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import change, delete, get, post
from pannier.web.times import to_rfc3339

VERIFICATION_PROBLEMS = [*CODE_PROBLEMS, service.CustomerExists, reauthentication.SignInUnproved]


@get("/customers/me")
async def get_me(caller: Shopper, db: Db) -> CustomerOut:
    """Retrieve the signed-in customer."""
    return CustomerOut.from_row(await queries.CUSTOMERS.get(db, caller.company, caller.customer))


@change("/customers/me", problems=[*reauthentication.PROBLEMS, TooManyRequests])
async def change_me(
    caller: Shopper, data: CustomerChange, exchange: Exchange, db: Db, hasher: Passwords
) -> CustomerOut:
    """Change the customer's name, password or meta. Omitted fields stay unchanged.

    A new password requires the current one, or a confirmation, and ends the other sessions.
    """
    async with exchange.edge.suspend_transaction(exchange):
        new_password = await changes.prepare_password(db.database, hasher, caller, data)
    customer = await lock_customer(db, caller)
    return CustomerOut.from_row(
        await changes.update_customer(db, caller, customer, data, new_password)
    )


async def lock_customer(db: Db, caller: Shopper) -> Customer:
    """Lock the signed-in customer until the transaction ends."""
    return await queries.lock_customer(db, caller.company, caller.store, caller.customer)


@post(
    "/customers/request-confirmation",
    status_code=200,
    problems=[*CODE_REQUEST_PROBLEMS, closure.NothingVerified],
)
async def request_confirmation(caller: Shopper, exchange: Exchange, db: Db) -> CustomerCodeSent:
    """Send a code to confirm the customer's identity.

    The code goes to the verified phone number, or else to the verified email address. Changing a
    phone number, an email address, a password or a provider requires a sign-in or a confirmation
    less than ten minutes old.
    """
    customer = await lock_customer(db, caller)
    timing = await reauthentication.request_code(
        db, to_store(caller), caller, customer, address=exchange.address
    )
    return CustomerCodeSent.from_timing(timing, closure.choose_verified_identity(customer).channel)


@post(
    "/customers/confirm",
    status_code=200,
    problems=[*CODE_PROBLEMS, closure.NothingVerified],
)
async def confirm_with_code(
    caller: Shopper, data: CodeIn, exchange: Exchange, db: Db
) -> IdentityConfirmed:
    """Confirm the customer's identity with the code."""
    customer, address = await lock_customer(db, caller), exchange.address
    await reauthentication.confirm_by_code(
        db, to_store(caller), caller, customer, data.code, address=address
    )
    return IdentityConfirmed("ok", to_rfc3339(db.now + reauthentication.VALIDITY))


@post("/customers/confirm-with-password", status_code=200, problems=[TooManyRequests])
async def confirm_with_password(
    caller: Shopper, data: PasswordIn, exchange: Exchange, db: Db, hasher: Passwords
) -> IdentityConfirmed:
    """Confirm the customer's identity with the password."""
    async with exchange.edge.suspend_transaction(exchange):
        proof = await reauthentication.verify_password(
            db.database, hasher, caller, data.password, path="password"
        )
    await reauthentication.confirm_by_password(db, caller, await lock_customer(db, caller), proof)
    return IdentityConfirmed("ok", to_rfc3339(db.now + reauthentication.VALIDITY))


@post(
    "/customers/request-phone-verification",
    status_code=200,
    problems=[*CODE_REQUEST_PROBLEMS, *reauthentication.PROBLEMS],
)
async def request_phone_verification(
    caller: Shopper, data: PhoneIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to the phone number that the customer wants to add."""
    return await _request_identity_code(db, caller, identities.from_phone(data.phone), exchange)


@post("/customers/verify-phone-number", status_code=200, problems=VERIFICATION_PROBLEMS)
async def verify_phone_number(
    caller: Shopper, data: CodeIn, exchange: Exchange, db: Db
) -> CustomerOut:
    """Set the new phone number with its code. The old one is notified, and other sessions end."""
    return await _verify_identity(db, caller, "phone", data.code, exchange)


@post(
    "/customers/request-email-verification",
    status_code=200,
    problems=[TooManyRequests, *reauthentication.PROBLEMS],
)
async def request_email_verification(
    caller: Shopper, data: EmailIn, exchange: Exchange, db: Db
) -> CustomerCodeSent:
    """Send a code to the email address that the customer wants to add or verify."""
    return await _request_identity_code(db, caller, identities.from_email(data.email), exchange)


@post("/customers/verify-email", status_code=200, problems=VERIFICATION_PROBLEMS)
async def verify_email(caller: Shopper, data: CodeIn, exchange: Exchange, db: Db) -> CustomerOut:
    """Set the new email address with its code.

    The old address is notified, and other sessions end.
    """
    return await _verify_identity(db, caller, "email", data.code, exchange)


async def _request_identity_code(
    db: Db, caller: Shopper, identity: PhoneOrEmail, exchange: Exchange
) -> CustomerCodeSent:
    customer = await lock_customer(db, caller)
    timing = await changes.request_identity_code(
        db, to_store(caller), caller, customer, identity, address=exchange.address
    )
    return CustomerCodeSent.from_timing(timing, identity.channel)


async def _verify_identity(
    db: Db, caller: Shopper, kind: IdentityKind, code: str, exchange: Exchange
) -> CustomerOut:
    store, customer, address = to_store(caller), await lock_customer(db, caller), exchange.address
    updated_customer = await changes.verify_identity(
        db, store, caller, customer, kind, code, address=address
    )
    return CustomerOut.from_row(updated_customer)


@post(
    "/customers/account-closure",
    status_code=200,
    problems=[*CODE_REQUEST_PROBLEMS, closure.NothingVerified],
)
async def request_closure(caller: Shopper, exchange: Exchange, db: Db) -> CustomerCodeSent:
    """Send a code to confirm the account closure, by SMS or email."""
    customer = await lock_customer(db, caller)
    timing = await closure.request_code(
        db, to_store(caller), customer, address=exchange.address, known_origin=caller.known_origin
    )
    return CustomerCodeSent.from_timing(timing, closure.choose_verified_identity(customer).channel)


@post(
    "/customers/confirm-account-closure",
    status_code=200,
    problems=[*CODE_PROBLEMS, closure.NothingVerified],
)
async def confirm_closure(
    caller: Shopper, data: ClosureIn, exchange: Exchange, db: Db, settings: Settings
) -> AccountClosed:
    """Close the account. Ends all sessions immediately; erasure follows after a grace period."""
    customer = await lock_customer(db, caller)
    closed_customer = await closure.confirm_closure(
        db, to_store(caller), customer, data.code,
        reason=data.reason, grace=timedelta(days=settings.erasure_days),
        address=exchange.address, known_origin=caller.known_origin,
    )  # fmt: skip
    erase_at = to_rfc3339(closed_customer.erase_at or db.now)
    return AccountClosed("closed", to_rfc3339(db.now), erase_at, erase_at)


@post(
    "/customers/register-device",
    status_code=200,
    opt={"request_bodies": {"application/json": DeviceIn}},
)
async def register_device(caller: Shopper, data: AnyDeviceIn, db: Db) -> DeviceRegistered:
    """Register a device for push messages while this session lasts.

    A token that another customer registered moves to this customer.
    """
    device = await devices.register_device(db, await lock_customer(db, caller), caller.token, data)
    return DeviceRegistered("ok", device.public_id)


@post("/customers/unregister-device", status_code=200)
async def unregister_device(caller: Shopper, data: UnregisterDeviceIn, db: Db) -> Success:
    """Stop push messages to a device. Signing out does the same."""
    await devices.unregister_device(db, await lock_customer(db, caller), data)
    return Success()


@get("/customers/providers")
async def list_providers(caller: Shopper, db: Db) -> list[LinkedProvider]:
    """List the providers linked to the customer."""
    customer = await queries.CUSTOMERS.get(db, caller.company, caller.customer)
    return [
        LinkedProvider.from_row(row)
        for row in await provider_identities.list_linked_identities(db, customer)
    ]


@delete(
    "/customers/providers/{provider_id:str}",
    status_code=200,
    problems=[provider_links.LastSignInMethod, *reauthentication.PROBLEMS, TooManyRequests],
)
async def unlink_provider(caller: Shopper, provider_id: str, db: Db) -> Success:
    """Unlink a provider, unless it is the only way to sign in."""
    await provider_links.unlink_provider(db, caller, await lock_customer(db, caller), provider_id)
    return Success()


customer_routes = storefront_routers.customer_router(
    "Customer account",
    [
        get_me,
        change_me,
        request_confirmation,
        confirm_with_code,
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
        *social.link_handlers,
        *tokens.make_own_session_handlers("customer"),
    ],
)
routers = (signin_api.key_routes, customer_routes)
