/** The errors that all calls can throw. `errors.ts` has a class for each code. */
/** Any failure of a call. */
export class PannierError extends Error {
    constructor(message, options) {
        super(message, options);
        this.name = new.target.name;
    }
}
/**
 * No attempt got a response. The cause is the last attempt's error.
 *
 * Whether the server has done the work is unknown. Repeat a POST with the same idempotency key.
 */
export class NoResponseError extends PannierError {
    attempts;
    idempotencyKey;
    constructor(attempts, idempotencyKey, cause) {
        super(`There was no response to ${attempts} attempts.`, { cause });
        this.attempts = attempts;
        this.idempotencyKey = idempotencyKey;
    }
}
/** An error response. `code` is stable; the texts are for people and may change. */
export class ProblemError extends PannierError {
    status;
    code;
    title;
    detail;
    requestId;
    fields;
    /** Milliseconds that the response asks to wait. */
    retryAfterMs;
    /** The complete body, with the members that only this code has. */
    problem;
    constructor(status, problem, retryAfterMs) {
        const code = readText(problem.code) || `http_${status}`;
        const title = readText(problem.title) || "The response is not from Pannier.";
        const detail = readText(problem.detail) || title;
        super(`${status} ${code}: ${detail}`);
        this.status = status;
        this.code = code;
        this.title = title;
        this.detail = detail;
        this.requestId = readText(problem.request_id);
        this.fields = Array.isArray(problem.fields) ? problem.fields : [];
        this.retryAfterMs = retryAfterMs;
        this.problem = problem;
    }
}
function readText(value) {
    return typeof value === "string" ? value : "";
}
