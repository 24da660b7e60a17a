const RETRIED_STATUSES = new Set([408, 429, 502, 503, 504]);
// The first request with the same key is still running.
const RETRIED_CODES = new Set(["idempotency_in_progress"]);
const CONFLICT = 409;
export const DEFAULT_RETRY = {
    maxRetries: 4,
    minDelayMs: 500,
    maxDelayMs: 8_000,
    maxRetryAfterMs: 60_000,
};
/** Return the milliseconds before the next attempt, or undefined to give up. */
export function findDelay(policy, retries, retryAfterMs) {
    if (retries >= policy.maxRetries)
        return undefined;
    if (retryAfterMs !== undefined && retryAfterMs > policy.maxRetryAfterMs)
        return undefined;
    const full = Math.min(policy.minDelayMs * 2 ** Math.min(retries, 30), policy.maxDelayMs);
    return Math.max(full * (0.5 + Math.random() / 2), retryAfterMs ?? 0);
}
/** Tell whether the same request can get a better response later. */
export function shouldRetry(response) {
    if (RETRIED_STATUSES.has(response.status))
        return true;
    return response.status === CONFLICT && RETRIED_CODES.has(response.readProblem().code);
}
/** Read `Retry-After`, which is a number of seconds or a date. */
export function readRetryAfter(response) {
    const text = response.headers.get("retry-after") ?? "";
    if (/^[0-9]+$/.test(text))
        return Number(text) * 1000;
    const moment = Date.parse(text);
    return Number.isNaN(moment) ? undefined : Math.max(0, moment - Date.now());
}
