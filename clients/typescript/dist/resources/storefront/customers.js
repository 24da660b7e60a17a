import { segment } from "../../requests.js";
export class StorefrontCustomers {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Cancel one of the customer's own orders before the driver starts. */
    cancelOrder(orderId, body = {}, options) {
        return this.#transport.call("POST", `/storefront/v1/customers/orders/${segment(orderId)}/cancel`, { body, options });
    }
    /** Get or create the checkout page of an order. */
    checkoutOrder(orderId, body = {}, options) {
        return this.#transport.call("POST", `/storefront/v1/customers/orders/${segment(orderId)}/checkout`, { body, options });
    }
    /** Confirm the customer's identity with the code. */
    confirm(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/confirm", { body, options });
    }
    /** Close the account. */
    confirmAccountClosure(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/confirm-account-closure", { body, options });
    }
    /** Confirm the customer's identity with the password. */
    confirmWithPassword(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/confirm-with-password", { body, options });
    }
    /** Register with the requested code, and sign in. */
    create(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers", { body, options });
    }
    /** Create an order from a quote of this store, at the quoted price. */
    createOrder(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/orders", { body, options });
    }
    /** Create a key that lets the app show and save the customer's cards for an hour. */
    createPaymentEphemeralKey(body = {}, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/payment-ephemeral-key", { body, options });
    }
    /** Prepare to save a card without charging it. */
    createPaymentSetupIntent(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/payment-setup-intent", { options });
    }
    /** Create a key that lets the app show and save the customer's cards for an hour. */
    createStripeEphemeralKey(body = {}, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/stripe-ephemeral-key", { body, options });
    }
    /** Prepare to save a card without charging it. */
    createStripeSetupIntent(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/stripe-setup-intent", { options });
    }
    /** Unlink a provider, unless it is the only way to sign in. */
    deleteProvider(providerId, options) {
        return this.#transport.call("DELETE", `/storefront/v1/customers/providers/${segment(providerId)}`, { options });
    }
    /** End one of your sessions. */
    deleteSession(sessionId, options) {
        return this.#transport.call("DELETE", `/storefront/v1/customers/sessions/${segment(sessionId)}`, { options });
    }
    /** Send a code for a password reset. */
    forgotPassword(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/forgot-password", { body, options });
    }
    /** Retrieve the signed-in customer. */
    getMe(options) {
        return this.#transport.call("GET", "/storefront/v1/customers/me", { options });
    }
    /** Retrieve one of the customer's own orders. */
    getOrder(orderId, options) {
        return this.#transport.call("GET", `/storefront/v1/customers/orders/${segment(orderId)}`, { options });
    }
    /** Retrieve the amount owed for an order, and its checkout page. */
    getOrderPayment(orderId, options) {
        return this.#transport.call("GET", `/storefront/v1/customers/orders/${segment(orderId)}/payment`, { options });
    }
    /** Track one of the customer's own orders. */
    getOrderTracker(orderId, options) {
        return this.#transport.call("GET", `/storefront/v1/customers/orders/${segment(orderId)}/tracker`, { options });
    }
    /** Link provider A to the customer. */
    linkProviderA(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/link-provider-a", { body, options });
    }
    /** Link provider B to the customer. */
    linkProviderB(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/link-provider-b", { body, options });
    }
    /** Link provider C to the customer. */
    linkProviderC(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/link-provider-c", { body, options });
    }
    /** List the customer's own orders, newest first. */
    listOrders(query = {}, options) {
        return this.#transport.list("/storefront/v1/customers/orders", query, options);
    }
    /** List the places where the customer's orders are delivered, newest first. */
    listPlaces(query = {}, options) {
        return this.#transport.list("/storefront/v1/customers/places", query, options);
    }
    /** List the providers linked to the customer. */
    listProviders(options) {
        return this.#transport.call("GET", "/storefront/v1/customers/providers", { options });
    }
    /** List your sessions, newest first. */
    listSessions(options) {
        return this.#transport.call("GET", "/storefront/v1/customers/sessions", { options });
    }
    /** Sign in with a password. */
    login(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login", { body, options });
    }
    /** Sign in with provider A (alias for existing apps). */
    loginWithApple(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-apple", { body, options });
    }
    /** Send a sign-in code by email. */
    loginWithEmail(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-email", { body, options });
    }
    /** Sign in with provider C (alias for existing apps). */
    loginWithFacebook(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-facebook", { body, options });
    }
    /** Sign in with provider B (alias for existing apps). */
    loginWithGoogle(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-google", { body, options });
    }
    /** Sign in with provider A's identity token. */
    loginWithProviderA(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-provider-a", { body, options });
    }
    /** Sign in with provider B's ID token. */
    loginWithProviderB(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-provider-b", { body, options });
    }
    /** Sign in with provider C. */
    loginWithProviderC(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-provider-c", { body, options });
    }
    /** Send a sign-in code by SMS. */
    loginWithSms(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/login-with-sms", { body, options });
    }
    /** End the session that the request uses. */
    logout(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/logout", { options });
    }
    /** End all your sessions, including this one. */
    logoutAll(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/logout-all", { options });
    }
    /** Register a device for push messages while this session lasts. */
    registerDevice(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/register-device", { body, options });
    }
    /** Send a code to confirm the account closure, by SMS or email. */
    requestAccountClosure(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/account-closure", { options });
    }
    /** Send a code to confirm the customer's identity. */
    requestConfirmation(options) {
        return this.#transport.call("POST", "/storefront/v1/customers/request-confirmation", { options });
    }
    /** Send a registration code by SMS or email. */
    requestCreationCode(body = {}, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/request-creation-code", { body, options });
    }
    /** Send a code to the email address that the customer wants to add or verify. */
    requestEmailVerification(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/request-email-verification", { body, options });
    }
    /** Send a code to the phone number that the customer wants to add. */
    requestPhoneVerification(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/request-phone-verification", { body, options });
    }
    /** Set a new password with a code. */
    resetPassword(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/reset-password", { body, options });
    }
    /** Stop push messages to a device. */
    unregisterDevice(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/unregister-device", { body, options });
    }
    /** Change the customer's name, password or meta. */
    updateMe(body = {}, options) {
        return this.#transport.call("PATCH", "/storefront/v1/customers/me", { body, options });
    }
    /** Sign in with a code. */
    verifyCode(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/verify-code", { body, options });
    }
    /** Set the new email address with its code. */
    verifyEmail(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/verify-email", { body, options });
    }
    /** Set the new phone number with its code. */
    verifyPhoneNumber(body, options) {
        return this.#transport.call("POST", "/storefront/v1/customers/verify-phone-number", { body, options });
    }
}
