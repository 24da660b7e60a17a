/** Builds requests and reads responses, without sending anything. */
import { BY_CODE } from "./errors.js";
import { ProblemError } from "./problem.js";
import { readRetryAfter } from "./retries.js";

/** Options of one call. */
export interface Options {
  /** Identifies a change over several calls. By default each call gets its own key. */
  idempotencyKey?: string;
  /** Refuse the change if the record no longer has this `version`. */
  ifVersion?: number;
  /** Milliseconds that one attempt may take. */
  timeoutMs?: number;
  /** How often to repeat the request. */
  maxRetries?: number;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** Ends the call, with all its attempts. */
  signal?: AbortSignal;
}

/** Anything that can be sent as a query. */
export type Query = object;

/** A request, which is the same in every attempt. */
export interface Request {
  method: string;
  path: string;
  body: string | undefined;
  headers: Readonly<Record<string, string>>;
  options: Options;
}

/** The parts of a request that the generated methods pass. */
export interface Parts {
  query?: Query;
  body?: unknown;
  options?: Options | undefined;
}

/** Build a request. If it needs an idempotency key, all its attempts share the key. */
export function buildRequest(method: string, path: string, parts: Parts): Request {
  const options = parts.options ?? {};
  const headers: Record<string, string> = {};
  if (needsKey(method, options)) {
    headers["Idempotency-Key"] = options.idempotencyKey ?? makeKey();
  }
  if (options.ifVersion !== undefined) headers["If-Match"] = `"${options.ifVersion}"`;
  if (parts.body !== undefined) headers["Content-Type"] = "application/json";
  return {
    method,
    path: path + encodeQuery(parts.query ?? {}),
    body: parts.body === undefined ? undefined : encodeBody(parts.body),
    headers: { ...headers, ...options.headers },
    options,
  };
}

/** Tell whether a repeated request would be done twice, or refused after its own success. */
function needsKey(method: string, options: Options): boolean {
  if (method === "GET") return false;
  const names = Object.keys(options.headers ?? {});
  return (
    method === "POST" ||
    method === "DELETE" ||
    options.ifVersion !== undefined ||
    names.some((name) => name.toLowerCase() === "if-match")
  );
}

function makeKey(): string {
  // `randomUUID` exists in browsers only on pages with HTTPS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Encode an identifier as a part of a path, which it cannot leave. */
export function segment(value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new TypeError(`"${value}" is not an identifier.`);
  }
  return encodeURIComponent(value).replaceAll("%3A", ":");
}

/** Encode a body as JSON. Bytes become base64, and times RFC 3339. */
export function encodeBody(body: unknown): string {
  return JSON.stringify(body, (_name, value) =>
    value instanceof Uint8Array ? encodeBase64(value) : value,
  );
}

export function encodeBase64(bytes: Uint8Array): string {
  const size = 0x8000;
  let text = "";
  for (let start = 0; start < bytes.length; start += size) {
    text += String.fromCharCode(...bytes.subarray(start, start + size));
  }
  return btoa(text);
}

/** Encode a query. Lists repeat their name; null and undefined are left out. */
export function encodeQuery(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) pairs.append(name, formatQueryValue(item));
    }
  }
  const text = pairs.toString();
  return text && `?${text}`;
}

function formatQueryValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? encodeBody(value) : String(value);
}

/** A response whose body was read completely. */
export class Response {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Uint8Array;

  constructor(status: number, headers: Headers, content: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.content = content;
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Return the problem of an error response; empty if it comes from another server. */
  readProblem(): Record<string, unknown> {
    try {
      const body: unknown = this.parse();
      return isRecord(body) ? body : {};
    } catch {
      return {};
    }
  }

  /** Return the content of a successful response, or throw the class of its code. */
  readContent(): Uint8Array {
    if (this.isSuccess) return this.content;
    const request_id = this.headers.get("x-request-id") ?? "";
    const problem = { request_id, ...this.readProblem() } as Record<string, unknown>;
    const kind = BY_CODE.get(String(problem.code)) ?? ProblemError;
    throw new kind(this.status, problem, readRetryAfter(this));
  }

  /** Return the JSON of a successful response. */
  readJson<T>(): T {
    this.readContent();
    try {
      return this.parse() as T;
    } catch {
      const title = "The response is not JSON.";
      throw new ProblemError(this.status, { code: "response_unreadable", title });
    }
  }

  private parse(): unknown {
    return JSON.parse(new TextDecoder().decode(this.content));
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
