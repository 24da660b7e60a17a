# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.storefront.customers`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class StorefrontCustomersListOrdersQuery(TypedDict, total=False):
    """Parameters of `list_orders`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    status: str | Sequence[str]
    """Any of these."""


class StorefrontCustomersListPlacesQuery(TypedDict, total=False):
    """Parameters of `list_places`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""


class StorefrontCustomers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def cancel_order(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CancelOwnIn],
    ) -> types.CustomerOrderOut:
        """Cancel one of the customer's own orders before the driver starts."""
        return self._transport.call(
            "POST",
            fill_path("/storefront/v1/customers/orders/{order_id}/cancel", order_id),
            body=fields,
            options=options,
        )

    def checkout_order(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CheckoutAgainIn],
    ) -> types.PaymentOut:
        """Get or create the checkout page of an order."""
        return self._transport.call(
            "POST",
            fill_path("/storefront/v1/customers/orders/{order_id}/checkout", order_id),
            body=fields,
            options=options,
        )

    def confirm(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.IdentityConfirmed:
        """Confirm the customer's identity with the code."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/confirm", body=fields, options=options
        )

    def confirm_account_closure(
        self, *, options: Options | None = None, **fields: Unpack[types.ClosureIn]
    ) -> types.AccountClosed:
        """Close the account."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/confirm-account-closure", body=fields, options=options
        )

    def confirm_with_password(
        self, *, options: Options | None = None, **fields: Unpack[types.PasswordIn]
    ) -> types.IdentityConfirmed:
        """Confirm the customer's identity with the password."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/confirm-with-password", body=fields, options=options
        )

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerIn]
    ) -> types.CustomerSignedIn:
        """Register with the requested code, and sign in."""
        return self._transport.call(
            "POST", "/storefront/v1/customers", body=fields, options=options
        )

    def create_order(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerOrderIn]
    ) -> types.CustomerPlacedOut:
        """Create an order from a quote of this store, at the quoted price."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/orders", body=fields, options=options
        )

    def create_payment_ephemeral_key(
        self, *, options: Options | None = None, **fields: Unpack[types.EphemeralKeyIn]
    ) -> types.EphemeralKeyOut:
        """Create a key that lets the app show and save the customer's cards for an hour."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/payment-ephemeral-key", body=fields, options=options
        )

    def create_payment_setup_intent(
        self, *, options: Options | None = None
    ) -> types.SetupIntentOut:
        """Prepare to save a card without charging it."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/payment-setup-intent", options=options
        )

    def create_stripe_ephemeral_key(
        self, *, options: Options | None = None, **fields: Unpack[types.EphemeralKeyIn]
    ) -> types.EphemeralKeyOut:
        """Create a key that lets the app show and save the customer's cards for an hour."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/stripe-ephemeral-key", body=fields, options=options
        )

    def create_stripe_setup_intent(self, *, options: Options | None = None) -> types.SetupIntentOut:
        """Prepare to save a card without charging it."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/stripe-setup-intent", options=options
        )

    def delete_provider(
        self, provider_id: str, /, *, options: Options | None = None
    ) -> types.Success:
        """Unlink a provider, unless it is the only way to sign in."""
        return self._transport.call(
            "DELETE",
            fill_path("/storefront/v1/customers/providers/{provider_id}", provider_id),
            options=options,
        )

    def delete_session(
        self, session_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """End one of your sessions."""
        return self._transport.call(
            "DELETE",
            fill_path("/storefront/v1/customers/sessions/{session_id}", session_id),
            options=options,
        )

    def forgot_password(
        self, *, options: Options | None = None, **fields: Unpack[types.ForgotIn]
    ) -> types.CustomerCodeSent:
        """Send a code for a password reset."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/forgot-password", body=fields, options=options
        )

    def get_me(self, *, options: Options | None = None) -> types.CustomerOut:
        """Retrieve the signed-in customer."""
        return self._transport.call("GET", "/storefront/v1/customers/me", options=options)

    def get_order(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CustomerOrderOut:
        """Retrieve one of the customer's own orders."""
        return self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}", order_id),
            options=options,
        )

    def get_order_payment(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.PaymentOut:
        """Retrieve the amount owed for an order, and its checkout page."""
        return self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}/payment", order_id),
            options=options,
        )

    def get_order_tracker(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CustomerTracked:
        """Track one of the customer's own orders."""
        return self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}/tracker", order_id),
            options=options,
        )

    def link_provider_a(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderALogin]
    ) -> types.LinkedProvider:
        """Link provider A to the customer."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-a", body=fields, options=options
        )

    def link_provider_b(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.LinkedProvider:
        """Link provider B to the customer."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-b", body=fields, options=options
        )

    def link_provider_c(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderCLogin]
    ) -> types.LinkedProvider:
        """Link provider C to the customer."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-c", body=fields, options=options
        )

    def list_orders(
        self, *, options: Options | None = None, **query: Unpack[StorefrontCustomersListOrdersQuery]
    ) -> Pages[types.CustomerOrderOut]:
        """List the customer's own orders, newest first."""
        return self._transport.list_pages(
            "/storefront/v1/customers/orders", query=query, options=options
        )

    def list_places(
        self, *, options: Options | None = None, **query: Unpack[StorefrontCustomersListPlacesQuery]
    ) -> Pages[types.CustomerPlaceOut]:
        """List the places where the customer's orders are delivered, newest first."""
        return self._transport.list_pages(
            "/storefront/v1/customers/places", query=query, options=options
        )

    def list_providers(
        self, *, options: Options | None = None
    ) -> builtins.list[types.LinkedProvider]:
        """List the providers linked to the customer."""
        return self._transport.call("GET", "/storefront/v1/customers/providers", options=options)

    def list_sessions(self, *, options: Options | None = None) -> builtins.list[types.SessionOut]:
        """List your sessions, newest first."""
        return self._transport.call("GET", "/storefront/v1/customers/sessions", options=options)

    def login(
        self, *, options: Options | None = None, **fields: Unpack[types.PasswordLoginIn]
    ) -> types.CustomerSignedIn:
        """Sign in with a password."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login", body=fields, options=options
        )

    def login_with_apple(
        self, *, options: Options | None = None, **fields: Unpack[types.AppleLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider A (former name for existing apps)."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-apple", body=fields, options=options
        )

    def login_with_email(
        self, *, options: Options | None = None, **fields: Unpack[types.EmailLoginIn]
    ) -> types.CustomerCodeSent:
        """Send a sign-in code by email."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-email", body=fields, options=options
        )

    def login_with_facebook(
        self, *, options: Options | None = None, **fields: Unpack[types.FacebookLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider C (former name for existing apps)."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-facebook", body=fields, options=options
        )

    def login_with_google(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider B (former name for existing apps)."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-google", body=fields, options=options
        )

    def login_with_provider_a(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderALogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider A's identity token."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-a", body=fields, options=options
        )

    def login_with_provider_b(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider B's ID token."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-b", body=fields, options=options
        )

    def login_with_provider_c(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderCLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider C."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-c", body=fields, options=options
        )

    def login_with_sms(
        self, *, options: Options | None = None, **fields: Unpack[types.SmsLoginIn]
    ) -> types.CustomerCodeSent:
        """Send a sign-in code by SMS."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/login-with-sms", body=fields, options=options
        )

    def logout(self, *, options: Options | None = None) -> types.SessionEnded:
        """End the session that the request uses."""
        return self._transport.call("POST", "/storefront/v1/customers/logout", options=options)

    def logout_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """End all your sessions, including this one."""
        return self._transport.call("POST", "/storefront/v1/customers/logout-all", options=options)

    def register_device(
        self, *, options: Options | None = None, **fields: Unpack[types.DeviceIn]
    ) -> types.DeviceRegistered:
        """Register a device for push messages while this session lasts."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/register-device", body=fields, options=options
        )

    def request_account_closure(self, *, options: Options | None = None) -> types.CustomerCodeSent:
        """Send a code to confirm the account closure, by SMS or email."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/account-closure", options=options
        )

    def request_confirmation(self, *, options: Options | None = None) -> types.CustomerCodeSent:
        """Send a code to confirm the customer's identity."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/request-confirmation", options=options
        )

    def request_creation_code(
        self, *, options: Options | None = None, **fields: Unpack[types.CreationCodeIn]
    ) -> types.CustomerCodeSent:
        """Send a registration code by SMS or email."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/request-creation-code", body=fields, options=options
        )

    def request_email_verification(
        self, *, options: Options | None = None, **fields: Unpack[types.EmailIn]
    ) -> types.CustomerCodeSent:
        """Send a code to the email address that the customer wants to add or verify."""
        return self._transport.call(
            "POST",
            "/storefront/v1/customers/request-email-verification",
            body=fields,
            options=options,
        )

    def request_phone_verification(
        self, *, options: Options | None = None, **fields: Unpack[types.PhoneIn]
    ) -> types.CustomerCodeSent:
        """Send a code to the phone number that the customer wants to add."""
        return self._transport.call(
            "POST",
            "/storefront/v1/customers/request-phone-verification",
            body=fields,
            options=options,
        )

    def reset_password(
        self, *, options: Options | None = None, **fields: Unpack[types.ResetIn]
    ) -> types.Success:
        """Set a new password with a code."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/reset-password", body=fields, options=options
        )

    def unregister_device(
        self, *, options: Options | None = None, **fields: Unpack[types.UnregisterDeviceIn]
    ) -> types.Success:
        """Stop push messages to a device."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/unregister-device", body=fields, options=options
        )

    def update_me(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerChange]
    ) -> types.CustomerOut:
        """Change the customer's name, password or meta."""
        return self._transport.call(
            "PATCH", "/storefront/v1/customers/me", body=fields, options=options
        )

    def verify_code(
        self, *, options: Options | None = None, **fields: Unpack[types.VerifyCodeIn]
    ) -> types.CustomerSignedIn:
        """Sign in with a code."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/verify-code", body=fields, options=options
        )

    def verify_email(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.CustomerOut:
        """Set the new email address with its code."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/verify-email", body=fields, options=options
        )

    def verify_phone_number(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.CustomerOut:
        """Set the new phone number with its code."""
        return self._transport.call(
            "POST", "/storefront/v1/customers/verify-phone-number", body=fields, options=options
        )


class AsyncStorefrontCustomers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def cancel_order(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CancelOwnIn],
    ) -> types.CustomerOrderOut:
        """Cancel one of the customer's own orders before the driver starts."""
        return await self._transport.call(
            "POST",
            fill_path("/storefront/v1/customers/orders/{order_id}/cancel", order_id),
            body=fields,
            options=options,
        )

    async def checkout_order(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CheckoutAgainIn],
    ) -> types.PaymentOut:
        """Get or create the checkout page of an order."""
        return await self._transport.call(
            "POST",
            fill_path("/storefront/v1/customers/orders/{order_id}/checkout", order_id),
            body=fields,
            options=options,
        )

    async def confirm(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.IdentityConfirmed:
        """Confirm the customer's identity with the code."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/confirm", body=fields, options=options
        )

    async def confirm_account_closure(
        self, *, options: Options | None = None, **fields: Unpack[types.ClosureIn]
    ) -> types.AccountClosed:
        """Close the account."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/confirm-account-closure", body=fields, options=options
        )

    async def confirm_with_password(
        self, *, options: Options | None = None, **fields: Unpack[types.PasswordIn]
    ) -> types.IdentityConfirmed:
        """Confirm the customer's identity with the password."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/confirm-with-password", body=fields, options=options
        )

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerIn]
    ) -> types.CustomerSignedIn:
        """Register with the requested code, and sign in."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers", body=fields, options=options
        )

    async def create_order(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerOrderIn]
    ) -> types.CustomerPlacedOut:
        """Create an order from a quote of this store, at the quoted price."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/orders", body=fields, options=options
        )

    async def create_payment_ephemeral_key(
        self, *, options: Options | None = None, **fields: Unpack[types.EphemeralKeyIn]
    ) -> types.EphemeralKeyOut:
        """Create a key that lets the app show and save the customer's cards for an hour."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/payment-ephemeral-key", body=fields, options=options
        )

    async def create_payment_setup_intent(
        self, *, options: Options | None = None
    ) -> types.SetupIntentOut:
        """Prepare to save a card without charging it."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/payment-setup-intent", options=options
        )

    async def create_stripe_ephemeral_key(
        self, *, options: Options | None = None, **fields: Unpack[types.EphemeralKeyIn]
    ) -> types.EphemeralKeyOut:
        """Create a key that lets the app show and save the customer's cards for an hour."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/stripe-ephemeral-key", body=fields, options=options
        )

    async def create_stripe_setup_intent(
        self, *, options: Options | None = None
    ) -> types.SetupIntentOut:
        """Prepare to save a card without charging it."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/stripe-setup-intent", options=options
        )

    async def delete_provider(
        self, provider_id: str, /, *, options: Options | None = None
    ) -> types.Success:
        """Unlink a provider, unless it is the only way to sign in."""
        return await self._transport.call(
            "DELETE",
            fill_path("/storefront/v1/customers/providers/{provider_id}", provider_id),
            options=options,
        )

    async def delete_session(
        self, session_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """End one of your sessions."""
        return await self._transport.call(
            "DELETE",
            fill_path("/storefront/v1/customers/sessions/{session_id}", session_id),
            options=options,
        )

    async def forgot_password(
        self, *, options: Options | None = None, **fields: Unpack[types.ForgotIn]
    ) -> types.CustomerCodeSent:
        """Send a code for a password reset."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/forgot-password", body=fields, options=options
        )

    async def get_me(self, *, options: Options | None = None) -> types.CustomerOut:
        """Retrieve the signed-in customer."""
        return await self._transport.call("GET", "/storefront/v1/customers/me", options=options)

    async def get_order(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CustomerOrderOut:
        """Retrieve one of the customer's own orders."""
        return await self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}", order_id),
            options=options,
        )

    async def get_order_payment(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.PaymentOut:
        """Retrieve the amount owed for an order, and its checkout page."""
        return await self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}/payment", order_id),
            options=options,
        )

    async def get_order_tracker(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CustomerTracked:
        """Track one of the customer's own orders."""
        return await self._transport.call(
            "GET",
            fill_path("/storefront/v1/customers/orders/{order_id}/tracker", order_id),
            options=options,
        )

    async def link_provider_a(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderALogin]
    ) -> types.LinkedProvider:
        """Link provider A to the customer."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-a", body=fields, options=options
        )

    async def link_provider_b(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.LinkedProvider:
        """Link provider B to the customer."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-b", body=fields, options=options
        )

    async def link_provider_c(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderCLogin]
    ) -> types.LinkedProvider:
        """Link provider C to the customer."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/link-provider-c", body=fields, options=options
        )

    def list_orders(
        self, *, options: Options | None = None, **query: Unpack[StorefrontCustomersListOrdersQuery]
    ) -> AsyncPages[types.CustomerOrderOut]:
        """List the customer's own orders, newest first."""
        return self._transport.list_pages(
            "/storefront/v1/customers/orders", query=query, options=options
        )

    def list_places(
        self, *, options: Options | None = None, **query: Unpack[StorefrontCustomersListPlacesQuery]
    ) -> AsyncPages[types.CustomerPlaceOut]:
        """List the places where the customer's orders are delivered, newest first."""
        return self._transport.list_pages(
            "/storefront/v1/customers/places", query=query, options=options
        )

    async def list_providers(
        self, *, options: Options | None = None
    ) -> builtins.list[types.LinkedProvider]:
        """List the providers linked to the customer."""
        return await self._transport.call(
            "GET", "/storefront/v1/customers/providers", options=options
        )

    async def list_sessions(
        self, *, options: Options | None = None
    ) -> builtins.list[types.SessionOut]:
        """List your sessions, newest first."""
        return await self._transport.call(
            "GET", "/storefront/v1/customers/sessions", options=options
        )

    async def login(
        self, *, options: Options | None = None, **fields: Unpack[types.PasswordLoginIn]
    ) -> types.CustomerSignedIn:
        """Sign in with a password."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login", body=fields, options=options
        )

    async def login_with_apple(
        self, *, options: Options | None = None, **fields: Unpack[types.AppleLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider A (former name for existing apps)."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-apple", body=fields, options=options
        )

    async def login_with_email(
        self, *, options: Options | None = None, **fields: Unpack[types.EmailLoginIn]
    ) -> types.CustomerCodeSent:
        """Send a sign-in code by email."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-email", body=fields, options=options
        )

    async def login_with_facebook(
        self, *, options: Options | None = None, **fields: Unpack[types.FacebookLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider C (former name for existing apps)."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-facebook", body=fields, options=options
        )

    async def login_with_google(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider B (former name for existing apps)."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-google", body=fields, options=options
        )

    async def login_with_provider_a(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderALogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider A's identity token."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-a", body=fields, options=options
        )

    async def login_with_provider_b(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderBLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider B's ID token."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-b", body=fields, options=options
        )

    async def login_with_provider_c(
        self, *, options: Options | None = None, **fields: Unpack[types.ProviderCLogin]
    ) -> types.CustomerSignedIn:
        """Sign in with provider C."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-provider-c", body=fields, options=options
        )

    async def login_with_sms(
        self, *, options: Options | None = None, **fields: Unpack[types.SmsLoginIn]
    ) -> types.CustomerCodeSent:
        """Send a sign-in code by SMS."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/login-with-sms", body=fields, options=options
        )

    async def logout(self, *, options: Options | None = None) -> types.SessionEnded:
        """End the session that the request uses."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/logout", options=options
        )

    async def logout_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """End all your sessions, including this one."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/logout-all", options=options
        )

    async def register_device(
        self, *, options: Options | None = None, **fields: Unpack[types.DeviceIn]
    ) -> types.DeviceRegistered:
        """Register a device for push messages while this session lasts."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/register-device", body=fields, options=options
        )

    async def request_account_closure(
        self, *, options: Options | None = None
    ) -> types.CustomerCodeSent:
        """Send a code to confirm the account closure, by SMS or email."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/account-closure", options=options
        )

    async def request_confirmation(
        self, *, options: Options | None = None
    ) -> types.CustomerCodeSent:
        """Send a code to confirm the customer's identity."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/request-confirmation", options=options
        )

    async def request_creation_code(
        self, *, options: Options | None = None, **fields: Unpack[types.CreationCodeIn]
    ) -> types.CustomerCodeSent:
        """Send a registration code by SMS or email."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/request-creation-code", body=fields, options=options
        )

    async def request_email_verification(
        self, *, options: Options | None = None, **fields: Unpack[types.EmailIn]
    ) -> types.CustomerCodeSent:
        """Send a code to the email address that the customer wants to add or verify."""
        return await self._transport.call(
            "POST",
            "/storefront/v1/customers/request-email-verification",
            body=fields,
            options=options,
        )

    async def request_phone_verification(
        self, *, options: Options | None = None, **fields: Unpack[types.PhoneIn]
    ) -> types.CustomerCodeSent:
        """Send a code to the phone number that the customer wants to add."""
        return await self._transport.call(
            "POST",
            "/storefront/v1/customers/request-phone-verification",
            body=fields,
            options=options,
        )

    async def reset_password(
        self, *, options: Options | None = None, **fields: Unpack[types.ResetIn]
    ) -> types.Success:
        """Set a new password with a code."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/reset-password", body=fields, options=options
        )

    async def unregister_device(
        self, *, options: Options | None = None, **fields: Unpack[types.UnregisterDeviceIn]
    ) -> types.Success:
        """Stop push messages to a device."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/unregister-device", body=fields, options=options
        )

    async def update_me(
        self, *, options: Options | None = None, **fields: Unpack[types.CustomerChange]
    ) -> types.CustomerOut:
        """Change the customer's name, password or meta."""
        return await self._transport.call(
            "PATCH", "/storefront/v1/customers/me", body=fields, options=options
        )

    async def verify_code(
        self, *, options: Options | None = None, **fields: Unpack[types.VerifyCodeIn]
    ) -> types.CustomerSignedIn:
        """Sign in with a code."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/verify-code", body=fields, options=options
        )

    async def verify_email(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.CustomerOut:
        """Set the new email address with its code."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/verify-email", body=fields, options=options
        )

    async def verify_phone_number(
        self, *, options: Options | None = None, **fields: Unpack[types.CodeIn]
    ) -> types.CustomerOut:
        """Set the new phone number with its code."""
        return await self._transport.call(
            "POST", "/storefront/v1/customers/verify-phone-number", body=fields, options=options
        )
