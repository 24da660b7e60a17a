/**
 * Verification of Pannier's webhooks, with WebCrypto.
 *
 *     const event = await verify(await request.text(), request.headers, "whsec_…");
 */
import { PannierError } from "./problem.js";
/** The request is not from Pannier, or not recent. Answer 401 and do not process it. */
export declare class InvalidSignature extends PannierError {
}
/** What a webhook delivers. docs/events.md describes the `data` of each event. */
export interface Envelope {
    event: string;
    api_version: string;
    created_at: string;
    data: Record<string, unknown>;
    id: string;
}
/** The headers of a request, as `fetch` or Node.js represent them. */
export type WebhookHeaders = Headers | Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>;
export interface VerifyOptions {
    /** Seconds that a signature is valid, before and after `now`. */
    tolerance?: number;
    /** The time in seconds. Defaults to the current time. */
    now?: number;
}
/**
 * Return the envelope of a request that was signed with a secret, or throw InvalidSignature.
 *
 * `body` is the raw body of the request, before any parsing. Pass several secrets during a
 * rotation. A malformed secret is the caller's mistake and throws a TypeError.
 */
export declare function verify(body: Uint8Array | string, headers: WebhookHeaders, secret: string | readonly string[], options?: VerifyOptions): Promise<Envelope>;
