/** Sends requests, and repeats those that fail on the way. */
import { Pages } from "./pages.js";
import { NoResponseError } from "./problem.js";
import { buildRequest, type Parts, type Query, type Request, Response } from "./requests.js";
import { findDelay, type RetryPolicy, readRetryAfter, shouldRetry } from "./retries.js";

/** Where requests go, and with which credentials. */
export interface Connection {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  retry: RetryPolicy;
  fetch: typeof fetch;
}

/** Sends the requests of a client. */
export class Transport {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Send a request and return the JSON of its response. */
  async call<T>(method: string, path: string, parts: Parts): Promise<T> {
    return (await this.#send(buildRequest(method, path, parts))).readJson<T>();
  }

  /** Return the content of a file. */
  async download(path: string, parts: Parts): Promise<Uint8Array> {
    const method = parts.body === undefined ? "GET" : "POST";
    return (await this.#send(buildRequest(method, path, parts))).readContent();
  }

  /** Return a list whose pages are loaded on demand. */
  list<Item>(path: string, query: Query, options: Parts["options"]): Pages<Item> {
    return new Pages<Item>((cursor) =>
      this.#send(
        buildRequest("GET", path, { query: cursor ? { ...query, cursor } : query, options }),
      ),
    );
  }

  /** Send a request until it gets a response that counts. */
  async #send(request: Request): Promise<Response> {
    const { maxRetries = this.#connection.retry.maxRetries, signal } = request.options;
    const policy = { ...this.#connection.retry, maxRetries };
    for (let retries = 0; ; retries++) {
      let response: Response | undefined;
      let failure: unknown;
      try {
        response = await this.#attempt(request);
      } catch (error) {
        signal?.throwIfAborted();
        failure = error;
      }
      if (response && !shouldRetry(response)) return response;
      const delay = findDelay(policy, retries, response && readRetryAfter(response));
      if (delay !== undefined) await sleep(delay, signal);
      else if (response) return response;
      else throw new NoResponseError(retries + 1, request.headers["Idempotency-Key"], failure);
    }
  }

  /** Send a request once, and read its response completely. */
  async #attempt(request: Request): Promise<Response> {
    const { url, headers, timeoutMs, fetch } = this.#connection;
    const timeout = AbortSignal.timeout(request.options.timeoutMs ?? timeoutMs);
    const signal = request.options.signal;
    const response = await fetch(url + request.path, {
      method: request.method,
      headers: { ...headers, ...request.headers },
      body: request.body ?? null,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const content = new Uint8Array(await response.arrayBuffer());
    return new Response(response.status, response.headers, content);
  }
}

/** Wait, unless the caller ends the call. */
function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
