/** Decides whether a request is repeated, and when. */
import type { Response } from "./requests.js";
/**
 * How often a request is repeated, and how long the client waits before.
 *
 * The wait doubles from `minDelayMs` with each attempt, up to `maxDelayMs`. A random part of it is
 * left out, so that clients do not return at the same time. `Retry-After` of a response takes
 * precedence. If it asks for more than `maxRetryAfterMs`, the client gives up.
 */
export interface RetryPolicy {
    maxRetries: number;
    minDelayMs: number;
    maxDelayMs: number;
    maxRetryAfterMs: number;
}
export declare const DEFAULT_RETRY: RetryPolicy;
/** Return the milliseconds before the next attempt, or undefined to give up. */
export declare function findDelay(policy: RetryPolicy, retries: number, retryAfterMs: number | undefined): number | undefined;
/** Tell whether the same request can get a better response later. */
export declare function shouldRetry(response: Response): boolean;
/** Read `Retry-After`, which is a number of seconds or a date. */
export declare function readRetryAfter(response: Response): number | undefined;
