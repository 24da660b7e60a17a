/**
 * Verification of Pannier's webhooks, with WebCrypto.
 *
 *     const event = await verify(await request.text(), request.headers, "whsec_…");
 */
import { PannierError } from "./problem.js";
import { encodeBase64, isRecord } from "./requests.js";
const STANDARD = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const PLAIN = ["x-service-signature", "x-service-signature-previous"];
const MIN_SECRET_BYTES = 24;
const DEFAULT_TOLERANCE_SECONDS = 300;
/** The request is not from Pannier, or not recent. Answer 401 and do not process it. */
export class InvalidSignature extends PannierError {
}
/**
 * Return the envelope of a request that was signed with a secret, or throw InvalidSignature.
 *
 * `body` is the raw body of the request, before any parsing. Pass several secrets during a
 * rotation. A malformed secret is the caller's mistake and throws a TypeError.
 */
export async function verify(body, headers, secret, options = {}) {
    if (typeof body !== "string" && !(body instanceof Uint8Array)) {
        throw new TypeError("Pass the raw bytes of the body, before any parsing.");
    }
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const keys = decodeSecrets(secret);
    const lowerHeaders = joinHeaders(headers);
    // If these headers are present, only they count: the other header contains no time.
    if (STANDARD.some((name) => lowerHeaders.has(name))) {
        await checkStandardSignature(bytes, lowerHeaders, keys, options);
    }
    else {
        await checkPlainSignature(bytes, lowerHeaders, keys);
    }
    return parseBody(bytes);
}
function decodeSecrets(secret) {
    const secrets = typeof secret === "string" ? [secret] : secret;
    const keys = secrets.filter((text) => text !== "").map(decodeSecret);
    if (keys.length === 0)
        throw new TypeError("No secret was given.");
    return keys;
}
/** Decode the bytes of a secret. Refuse one that is short enough to guess. */
function decodeSecret(text) {
    if (typeof text !== "string")
        throw new TypeError("A secret must be text.");
    const encoded = text.slice("whsec_".length);
    let bytes = new Uint8Array();
    try {
        bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    }
    catch {
        // Reported below.
    }
    // Decoding accepts several encodings of one key. Encoding it again finds those.
    const isExact = text.startsWith("whsec_") && encodeBase64(bytes) === encoded;
    if (!isExact || bytes.length < MIN_SECRET_BYTES) {
        throw new TypeError("A secret must be whsec_ followed by base64. Copy it completely.");
    }
    return { text, bytes };
}
/** Return headers by lower-case name. Join repeated headers with commas, as in HTTP. */
function joinHeaders(headers) {
    const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
    const byName = new Map();
    for (const [name, value] of pairs) {
        const lowerName = name.toLowerCase();
        const earlier = byName.get(lowerName);
        if (value === undefined)
            continue;
        const text = typeof value === "string" ? value : value.join(", ");
        byName.set(lowerName, earlier === undefined ? text : `${earlier}, ${text}`);
    }
    return byName;
}
function isIterable(headers) {
    return Symbol.iterator in headers;
}
/** Return a required header, which must be ASCII. */
function getHeader(headers, name) {
    const value = headers.get(name) ?? "";
    if (value === "")
        throw new InvalidSignature(`The header ${name} is missing.`);
    for (const letter of value) {
        if (letter > "\x7f")
            throw new InvalidSignature(`The header ${name} is not ASCII.`);
    }
    return value;
}
/** Check the signature of Standard Webhooks, which covers the id, the time and the body. */
async function checkStandardSignature(body, headers, keys, options) {
    const [id, timestamp, signatures] = STANDARD.map((name) => getHeader(headers, name));
    // A full stop in the id could shift the boundaries between the three parts.
    if (!/^[A-Za-z0-9_-]+$/.test(id)) {
        throw new InvalidSignature("The header webhook-id is not a valid delivery id.");
    }
    checkTime(timestamp, options);
    const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
    const content = new Uint8Array(prefix.length + body.length);
    content.set(prefix);
    content.set(body, prefix.length);
    const digests = await Promise.all(keys.map((key) => sign(key.bytes, content)));
    const expected = digests.map((digest) => `v1,${encodeBase64(digest)}`);
    checkAnySignature(signatures.split(" "), expected);
}
/** Refuse a request that was signed too long ago, or in the future. */
function checkTime(timestamp, options) {
    if (!/^[0-9]{1,12}$/.test(timestamp)) {
        throw new InvalidSignature("The header webhook-timestamp is not a number of seconds.");
    }
    const { tolerance = DEFAULT_TOLERANCE_SECONDS, now = Date.now() / 1000 } = options;
    // Written this way, a tolerance of NaN refuses the request.
    if (!(Math.abs(now - Number(timestamp)) <= tolerance)) {
        throw new InvalidSignature("The request was signed too long ago, or in the future.");
    }
}
/** Check the signature of the body alone, with or without a prefix. */
async function checkPlainSignature(body, headers, keys) {
    const names = PLAIN.filter((name) => headers.has(name));
    if (names.length === 0)
        throw new InvalidSignature("The request has no signature.");
    const encoder = new TextEncoder();
    const digests = await Promise.all(keys.map((key) => sign(encoder.encode(key.text), body)));
    const expected = digests.map(toHex).flatMap((text) => [`sha256=${text}`, text]);
    checkAnySignature(names.map((name) => getHeader(headers, name)), expected);
}
async function sign(key, content) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new Uint8Array(content)));
}
function toHex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** Throw InvalidSignature unless one of the signatures is expected. */
function checkAnySignature(signatures, expected) {
    // Texts are compared, not decoded bytes, so that each signature has exactly one encoding.
    const isGenuine = signatures.some((signature) => expected.some((candidate) => areEqual(signature, candidate)));
    if (!isGenuine)
        throw new InvalidSignature("No signature matches the body and the secret.");
}
/** Compare two texts in a time that does not depend on where they differ. */
function areEqual(left, right) {
    if (left.length !== right.length)
        return false;
    let difference = 0;
    for (let index = 0; index < left.length; index++) {
        difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
    }
    return difference === 0;
}
/** Parse the envelope. The signature must have been checked before. */
function parseBody(body) {
    let envelope;
    try {
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        envelope = JSON.parse(decoder.decode(body));
    }
    catch {
        // Reported below.
    }
    if (!isRecord(envelope)) {
        throw new InvalidSignature("The body is signed, but it is not a JSON object.");
    }
    return envelope;
}
