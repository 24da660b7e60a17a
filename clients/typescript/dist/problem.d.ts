/** The errors that all calls can throw. `errors.ts` has a class for each code. */
/** Any failure of a call. */
export declare class PannierError extends Error {
    constructor(message: string, options?: ErrorOptions);
}
/**
 * No attempt got a response. The cause is the last attempt's error.
 *
 * Whether the server has done the work is unknown. Repeat a POST with the same idempotency key.
 */
export declare class NoResponseError extends PannierError {
    readonly attempts: number;
    readonly idempotencyKey: string | undefined;
    constructor(attempts: number, idempotencyKey: string | undefined, cause: unknown);
}
/** What is wrong with one field of a request. */
export interface FieldError {
    path: string;
    message: string;
}
/** An error response. `code` is stable; the texts are for people and may change. */
export declare class ProblemError extends PannierError {
    readonly status: number;
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    readonly requestId: string;
    readonly fields: readonly FieldError[];
    /** Milliseconds that the response asks to wait. */
    readonly retryAfterMs: number | undefined;
    /** The complete body, with the members that only this code has. */
    readonly problem: Readonly<Record<string, unknown>>;
    constructor(status: number, problem: Record<string, unknown>, retryAfterMs?: number);
}
