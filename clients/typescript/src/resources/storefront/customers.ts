// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `listOrders`. */
export interface StorefrontCustomersListOrdersQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Any of these. */
  status?: string | ReadonlyArray<string> | undefined;
}

/** Parameters of `listPlaces`. */
export interface StorefrontCustomersListPlacesQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
}

export class StorefrontCustomers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Cancel one of the customer's own orders before the driver starts. */
  cancelOrder(
    orderId: string,
    body: types.CancelOwnIn = {},
    options?: Options,
  ): Promise<types.CustomerOrderOut> {
    return this.#transport.call(
      "POST",
      `/storefront/v1/customers/orders/${segment(orderId)}/cancel`,
      { body, options },
    );
  }

  /** Get or create the checkout page of an order. */
  checkoutOrder(
    orderId: string,
    body: types.CheckoutAgainIn = {},
    options?: Options,
  ): Promise<types.PaymentOut> {
    return this.#transport.call(
      "POST",
      `/storefront/v1/customers/orders/${segment(orderId)}/checkout`,
      { body, options },
    );
  }

  /** Confirm the customer's identity with the code. */
  confirm(body: types.CodeIn, options?: Options): Promise<types.IdentityConfirmed> {
    return this.#transport.call("POST", "/storefront/v1/customers/confirm", { body, options });
  }

  /** Close the account. */
  confirmAccountClosure(body: types.ClosureIn, options?: Options): Promise<types.AccountClosed> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/confirm-account-closure",
      { body, options },
    );
  }

  /** Confirm the customer's identity with the password. */
  confirmWithPassword(body: types.PasswordIn, options?: Options): Promise<types.IdentityConfirmed> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/confirm-with-password",
      { body, options },
    );
  }

  /** Register with the requested code, and sign in. */
  create(body: types.CustomerIn, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call("POST", "/storefront/v1/customers", { body, options });
  }

  /** Create an order from a quote of this store, at the quoted price. */
  createOrder(body: types.CustomerOrderIn, options?: Options): Promise<types.CustomerPlacedOut> {
    return this.#transport.call("POST", "/storefront/v1/customers/orders", { body, options });
  }

  /** Create a key that lets the app show and save the customer's cards for an hour. */
  createPaymentEphemeralKey(
    body: types.EphemeralKeyIn = {},
    options?: Options,
  ): Promise<types.EphemeralKeyOut> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/payment-ephemeral-key",
      { body, options },
    );
  }

  /** Prepare to save a card without charging it. */
  createPaymentSetupIntent(options?: Options): Promise<types.SetupIntentOut> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/payment-setup-intent",
      { options },
    );
  }

  /** Create a key that lets the app show and save the customer's cards for an hour. */
  createStripeEphemeralKey(
    body: types.EphemeralKeyIn = {},
    options?: Options,
  ): Promise<types.EphemeralKeyOut> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/stripe-ephemeral-key",
      { body, options },
    );
  }

  /** Prepare to save a card without charging it. */
  createStripeSetupIntent(options?: Options): Promise<types.SetupIntentOut> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/stripe-setup-intent",
      { options },
    );
  }

  /** Unlink a provider, unless it is the only way to sign in. */
  deleteProvider(providerId: string, options?: Options): Promise<types.Success> {
    return this.#transport.call(
      "DELETE",
      `/storefront/v1/customers/providers/${segment(providerId)}`,
      { options },
    );
  }

  /** End one of your sessions. */
  deleteSession(sessionId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/storefront/v1/customers/sessions/${segment(sessionId)}`,
      { options },
    );
  }

  /** Send a code for a password reset. */
  forgotPassword(body: types.ForgotIn, options?: Options): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/forgot-password",
      { body, options },
    );
  }

  /** Retrieve the signed-in customer. */
  getMe(options?: Options): Promise<types.CustomerOut> {
    return this.#transport.call("GET", "/storefront/v1/customers/me", { options });
  }

  /** Retrieve one of the customer's own orders. */
  getOrder(orderId: string, options?: Options): Promise<types.CustomerOrderOut> {
    return this.#transport.call(
      "GET",
      `/storefront/v1/customers/orders/${segment(orderId)}`,
      { options },
    );
  }

  /** Retrieve the amount owed for an order, and its checkout page. */
  getOrderPayment(orderId: string, options?: Options): Promise<types.PaymentOut> {
    return this.#transport.call(
      "GET",
      `/storefront/v1/customers/orders/${segment(orderId)}/payment`,
      { options },
    );
  }

  /** Track one of the customer's own orders. */
  getOrderTracker(orderId: string, options?: Options): Promise<types.CustomerTracked> {
    return this.#transport.call(
      "GET",
      `/storefront/v1/customers/orders/${segment(orderId)}/tracker`,
      { options },
    );
  }

  /** Link provider A to the customer. */
  linkProviderA(body: types.ProviderALogin, options?: Options): Promise<types.LinkedProvider> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/link-provider-a",
      { body, options },
    );
  }

  /** Link provider B to the customer. */
  linkProviderB(body: types.ProviderBLogin, options?: Options): Promise<types.LinkedProvider> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/link-provider-b",
      { body, options },
    );
  }

  /** Link provider C to the customer. */
  linkProviderC(body: types.ProviderCLogin, options?: Options): Promise<types.LinkedProvider> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/link-provider-c",
      { body, options },
    );
  }

  /** List the customer's own orders, newest first. */
  listOrders(
    query: StorefrontCustomersListOrdersQuery = {},
    options?: Options,
  ): Pages<types.CustomerOrderOut> {
    return this.#transport.list("/storefront/v1/customers/orders", query, options);
  }

  /** List the places where the customer's orders are delivered, newest first. */
  listPlaces(
    query: StorefrontCustomersListPlacesQuery = {},
    options?: Options,
  ): Pages<types.CustomerPlaceOut> {
    return this.#transport.list("/storefront/v1/customers/places", query, options);
  }

  /** List the providers linked to the customer. */
  listProviders(options?: Options): Promise<Array<types.LinkedProvider>> {
    return this.#transport.call("GET", "/storefront/v1/customers/providers", { options });
  }

  /** List your sessions, newest first. */
  listSessions(options?: Options): Promise<Array<types.SessionOut>> {
    return this.#transport.call("GET", "/storefront/v1/customers/sessions", { options });
  }

  /** Sign in with a password. */
  login(body: types.PasswordLoginIn, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call("POST", "/storefront/v1/customers/login", { body, options });
  }

  /** Sign in with provider A (former name for existing apps). */
  loginWithApple(body: types.AppleLogin, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-apple",
      { body, options },
    );
  }

  /** Send a sign-in code by email. */
  loginWithEmail(body: types.EmailLoginIn, options?: Options): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-email",
      { body, options },
    );
  }

  /** Sign in with provider C (former name for existing apps). */
  loginWithFacebook(body: types.FacebookLogin, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-facebook",
      { body, options },
    );
  }

  /** Sign in with provider B (former name for existing apps). */
  loginWithGoogle(body: types.ProviderBLogin, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-google",
      { body, options },
    );
  }

  /** Sign in with provider A's identity token. */
  loginWithProviderA(
    body: types.ProviderALogin,
    options?: Options,
  ): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-provider-a",
      { body, options },
    );
  }

  /** Sign in with provider B's ID token. */
  loginWithProviderB(
    body: types.ProviderBLogin,
    options?: Options,
  ): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-provider-b",
      { body, options },
    );
  }

  /** Sign in with provider C. */
  loginWithProviderC(
    body: types.ProviderCLogin,
    options?: Options,
  ): Promise<types.CustomerSignedIn> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-provider-c",
      { body, options },
    );
  }

  /** Send a sign-in code by SMS. */
  loginWithSms(body: types.SmsLoginIn, options?: Options): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/login-with-sms",
      { body, options },
    );
  }

  /** End the session that the request uses. */
  logout(options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("POST", "/storefront/v1/customers/logout", { options });
  }

  /** End all your sessions, including this one. */
  logoutAll(options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("POST", "/storefront/v1/customers/logout-all", { options });
  }

  /** Register a device for push messages while this session lasts. */
  registerDevice(body: types.DeviceIn, options?: Options): Promise<types.DeviceRegistered> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/register-device",
      { body, options },
    );
  }

  /** Send a code to confirm the account closure, by SMS or email. */
  requestAccountClosure(options?: Options): Promise<types.CustomerCodeSent> {
    return this.#transport.call("POST", "/storefront/v1/customers/account-closure", { options });
  }

  /** Send a code to confirm the customer's identity. */
  requestConfirmation(options?: Options): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/request-confirmation",
      { options },
    );
  }

  /** Send a registration code by SMS or email. */
  requestCreationCode(
    body: types.CreationCodeIn = {},
    options?: Options,
  ): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/request-creation-code",
      { body, options },
    );
  }

  /** Send a code to the email address that the customer wants to add or verify. */
  requestEmailVerification(
    body: types.EmailIn,
    options?: Options,
  ): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/request-email-verification",
      { body, options },
    );
  }

  /** Send a code to the phone number that the customer wants to add. */
  requestPhoneVerification(
    body: types.PhoneIn,
    options?: Options,
  ): Promise<types.CustomerCodeSent> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/request-phone-verification",
      { body, options },
    );
  }

  /** Set a new password with a code. */
  resetPassword(body: types.ResetIn, options?: Options): Promise<types.Success> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/reset-password",
      { body, options },
    );
  }

  /** Stop push messages to a device. */
  unregisterDevice(body: types.UnregisterDeviceIn, options?: Options): Promise<types.Success> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/unregister-device",
      { body, options },
    );
  }

  /** Change the customer's name, password or meta. */
  updateMe(body: types.CustomerChange = {}, options?: Options): Promise<types.CustomerOut> {
    return this.#transport.call("PATCH", "/storefront/v1/customers/me", { body, options });
  }

  /** Sign in with a code. */
  verifyCode(body: types.VerifyCodeIn, options?: Options): Promise<types.CustomerSignedIn> {
    return this.#transport.call("POST", "/storefront/v1/customers/verify-code", { body, options });
  }

  /** Set the new email address with its code. */
  verifyEmail(body: types.CodeIn, options?: Options): Promise<types.CustomerOut> {
    return this.#transport.call("POST", "/storefront/v1/customers/verify-email", { body, options });
  }

  /** Set the new phone number with its code. */
  verifyPhoneNumber(body: types.CodeIn, options?: Options): Promise<types.CustomerOut> {
    return this.#transport.call(
      "POST",
      "/storefront/v1/customers/verify-phone-number",
      { body, options },
    );
  }
}
