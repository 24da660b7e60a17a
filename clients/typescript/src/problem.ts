/** The errors that all calls can throw. `errors.ts` has a class for each code. */

/** Any failure of a call. */
export class PannierError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * No attempt got a response. The cause is the last attempt's error.
 *
 * Whether the server has done the work is unknown. Repeat it with the same idempotency key.
 */
export class NoResponseError extends PannierError {
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(attempts: number, idempotencyKey: string | undefined, cause: unknown) {
    super(`There was no response to ${attempts} attempts.`, { cause });
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/** What is wrong with one field of a request. */
export interface FieldError {
  path: string;
  message: string;
}

/** An error response. `code` is stable; the texts are for people and may change. */
export class ProblemError extends PannierError {
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

  constructor(status: number, problem: Record<string, unknown>, retryAfterMs?: number) {
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

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
