/** Sends requests, and repeats those that fail on the way. */
import { Pages } from "./pages.js";
import { NoResponseError } from "./problem.js";
import { buildRequest, Response } from "./requests.js";
import { findDelay, readRetryAfter, shouldRetry } from "./retries.js";
/** Sends the requests of a client. */
export class Transport {
    #connection;
    constructor(connection) {
        this.#connection = connection;
    }
    /** Send a request and return the JSON of its response. */
    async call(method, path, parts) {
        return (await this.#send(buildRequest(method, path, parts))).readJson();
    }
    /** Return the content of a file. */
    async download(path, parts) {
        return (await this.#send(buildRequest("GET", path, parts))).readContent();
    }
    /** Return a list whose pages are loaded on demand. */
    list(path, query, options) {
        return new Pages((cursor) => this.#send(buildRequest("GET", path, { query: cursor ? { ...query, cursor } : query, options })));
    }
    /** Send a request until it gets a response that counts. */
    async #send(request) {
        const { maxRetries = this.#connection.retry.maxRetries, signal } = request.options;
        const policy = { ...this.#connection.retry, maxRetries };
        for (let retries = 0;; retries++) {
            let response;
            let failure;
            try {
                response = await this.#attempt(request);
            }
            catch (error) {
                signal?.throwIfAborted();
                failure = error;
            }
            if (response && !shouldRetry(response))
                return response;
            const delay = findDelay(policy, retries, response && readRetryAfter(response));
            if (delay !== undefined)
                await sleep(delay, signal);
            else if (response)
                return response;
            else
                throw new NoResponseError(retries + 1, request.headers["Idempotency-Key"], failure);
        }
    }
    /** Send a request once, and read its response completely. */
    async #attempt(request) {
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
function sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
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
