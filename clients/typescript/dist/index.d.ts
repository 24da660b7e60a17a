/** The TypeScript client of Pannier. */
export { Client, type ClientOptions } from "./client.js";
export * from "./errors.js";
export { type Page, Pages } from "./pages.js";
export { type FieldError, NoResponseError, PannierError, ProblemError } from "./problem.js";
export type { Options } from "./requests.js";
export type { RetryPolicy } from "./retries.js";
export type * as types from "./types.js";
export { type Envelope, InvalidSignature, type VerifyOptions, type WebhookHeaders, verify, } from "./webhooks.js";
