import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `listOrders`. */
export interface StorefrontCustomersListOrdersQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Any of these. */
    status?: string | ReadonlyArray<string> | undefined;
}
/** Parameters of `listPlaces`. */
export interface StorefrontCustomersListPlacesQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
}
export declare class StorefrontCustomers {
    #private;
    constructor(transport: Transport);
    /** Cancel one of the customer's own orders before the driver starts. */
    cancelOrder(orderId: string, body?: types.CancelOwnIn, options?: Options): Promise<types.CustomerOrderOut>;
    /** Get or create the checkout page of an order. */
    checkoutOrder(orderId: string, body?: types.CheckoutAgainIn, options?: Options): Promise<types.PaymentOut>;
    /** Confirm the customer's identity with the code. */
    confirm(body: types.CodeIn, options?: Options): Promise<types.IdentityConfirmed>;
    /** Close the account. */
    confirmAccountClosure(body: types.ClosureIn, options?: Options): Promise<types.AccountClosed>;
    /** Confirm the customer's identity with the password. */
    confirmWithPassword(body: types.PasswordIn, options?: Options): Promise<types.IdentityConfirmed>;
    /** Register with the requested code, and sign in. */
    create(body: types.CustomerIn, options?: Options): Promise<types.CustomerSignedIn>;
    /** Create an order from a quote of this store, at the quoted price. */
    createOrder(body: types.CustomerOrderIn, options?: Options): Promise<types.CustomerPlacedOut>;
    /** Create a key that lets the app show and save the customer's cards for an hour. */
    createPaymentEphemeralKey(body?: types.EphemeralKeyIn, options?: Options): Promise<types.EphemeralKeyOut>;
    /** Prepare to save a card without charging it. */
    createPaymentSetupIntent(options?: Options): Promise<types.SetupIntentOut>;
    /** Create a key that lets the app show and save the customer's cards for an hour. */
    createStripeEphemeralKey(body?: types.EphemeralKeyIn, options?: Options): Promise<types.EphemeralKeyOut>;
    /** Prepare to save a card without charging it. */
    createStripeSetupIntent(options?: Options): Promise<types.SetupIntentOut>;
    /** Unlink a provider, unless it is the only way to sign in. */
    deleteProvider(providerId: string, options?: Options): Promise<types.Success>;
    /** End one of your sessions. */
    deleteSession(sessionId: string, options?: Options): Promise<types.SessionEnded>;
    /** Send a code for a password reset. */
    forgotPassword(body: types.ForgotIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** Retrieve the signed-in customer. */
    getMe(options?: Options): Promise<types.CustomerOut>;
    /** Retrieve one of the customer's own orders. */
    getOrder(orderId: string, options?: Options): Promise<types.CustomerOrderOut>;
    /** Retrieve the amount owed for an order, and its checkout page. */
    getOrderPayment(orderId: string, options?: Options): Promise<types.PaymentOut>;
    /** Track one of the customer's own orders. */
    getOrderTracker(orderId: string, options?: Options): Promise<types.CustomerTracked>;
    /** Link provider A to the customer. */
    linkProviderA(body: types.ProviderALogin, options?: Options): Promise<types.LinkedProvider>;
    /** Link provider B to the customer. */
    linkProviderB(body: types.ProviderBLogin, options?: Options): Promise<types.LinkedProvider>;
    /** Link provider C to the customer. */
    linkProviderC(body: types.ProviderCLogin, options?: Options): Promise<types.LinkedProvider>;
    /** List the customer's own orders, newest first. */
    listOrders(query?: StorefrontCustomersListOrdersQuery, options?: Options): Pages<types.CustomerOrderOut>;
    /** List the places where the customer's orders are delivered, newest first. */
    listPlaces(query?: StorefrontCustomersListPlacesQuery, options?: Options): Pages<types.CustomerPlaceOut>;
    /** List the providers linked to the customer. */
    listProviders(options?: Options): Promise<Array<types.LinkedProvider>>;
    /** List your sessions, newest first. */
    listSessions(options?: Options): Promise<Array<types.SessionOut>>;
    /** Sign in with a password. */
    login(body: types.PasswordLoginIn, options?: Options): Promise<types.CustomerSignedIn>;
    /** Sign in with provider A (alias for existing apps). */
    loginWithApple(body: types.AppleLogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Send a sign-in code by email. */
    loginWithEmail(body: types.EmailLoginIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** Sign in with provider C (alias for existing apps). */
    loginWithFacebook(body: types.FacebookLogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Sign in with provider B (alias for existing apps). */
    loginWithGoogle(body: types.ProviderBLogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Sign in with provider A's identity token. */
    loginWithProviderA(body: types.ProviderALogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Sign in with provider B's ID token. */
    loginWithProviderB(body: types.ProviderBLogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Sign in with provider C. */
    loginWithProviderC(body: types.ProviderCLogin, options?: Options): Promise<types.CustomerSignedIn>;
    /** Send a sign-in code by SMS. */
    loginWithSms(body: types.SmsLoginIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** End the session that the request uses. */
    logout(options?: Options): Promise<types.SessionEnded>;
    /** End all your sessions, including this one. */
    logoutAll(options?: Options): Promise<types.SessionEnded>;
    /** Register a device for push messages while this session lasts. */
    registerDevice(body: types.DeviceIn, options?: Options): Promise<types.DeviceRegistered>;
    /** Send a code to confirm the account closure, by SMS or email. */
    requestAccountClosure(options?: Options): Promise<types.CustomerCodeSent>;
    /** Send a code to confirm the customer's identity. */
    requestConfirmation(options?: Options): Promise<types.CustomerCodeSent>;
    /** Send a registration code by SMS or email. */
    requestCreationCode(body?: types.CreationCodeIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** Send a code to the email address that the customer wants to add or verify. */
    requestEmailVerification(body: types.EmailIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** Send a code to the phone number that the customer wants to add. */
    requestPhoneVerification(body: types.PhoneIn, options?: Options): Promise<types.CustomerCodeSent>;
    /** Set a new password with a code. */
    resetPassword(body: types.ResetIn, options?: Options): Promise<types.Success>;
    /** Stop push messages to a device. */
    unregisterDevice(body: types.UnregisterDeviceIn, options?: Options): Promise<types.Success>;
    /** Change the customer's name, password or meta. */
    updateMe(body?: types.CustomerChange, options?: Options): Promise<types.CustomerOut>;
    /** Sign in with a code. */
    verifyCode(body: types.VerifyCodeIn, options?: Options): Promise<types.CustomerSignedIn>;
    /** Set the new email address with its code. */
    verifyEmail(body: types.CodeIn, options?: Options): Promise<types.CustomerOut>;
    /** Set the new phone number with its code. */
    verifyPhoneNumber(body: types.CodeIn, options?: Options): Promise<types.CustomerOut>;
}
