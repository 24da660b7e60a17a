// Receive webhooks with Node.js 18 or later and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several separated by spaces.
//
//     node verify.mjs serve 8080
//     node verify.mjs check body-file headers-json-file

import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const WINDOW = 300; // seconds
const MAX_BYTES = 4 * 1024 * 1024; // longer bodies are truncated and fail the check
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

// Tell whether the raw body, a Buffer, was signed with one of the secrets.
export function isSigned(body, headers, secrets) {
  if (!secrets.length || !secrets.every((secret) => SECRET.test(secret))) {
    throw new Error('A secret must be whsec_ followed by base64.');
  }
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]));
  if (['webhook-id', 'webhook-timestamp', 'webhook-signature'].some((name) => sent.has(name))) {
    return isSignedStandard(body, sent, secrets);
  }
  const names = ['x-service-signature', 'x-service-signature-previous'];
  const sentSignatures = names.map((name) => (sent.get(name) ?? '').replace(/^sha256=/, ''));
  const expectedSignatures = secrets.map((key) => createHmac('sha256', key).update(body).digest('hex'));
  return hasMatch(sentSignatures, expectedSignatures);
}

// Check the signature of Standard Webhooks, which covers id, time and body.
function isSignedStandard(body, sent, secrets) {
  const id = sent.get('webhook-id') ?? '';
  const moment = sent.get('webhook-timestamp') ?? '';
  // The id must not contain a full stop, which separates the three parts.
  if (!/^[A-Za-z0-9_-]+$/.test(id) || !/^[0-9]{1,12}$/.test(moment)) return false;
  if (Math.abs(Date.now() / 1000 - Number(moment)) > WINDOW) return false;
  const expectedSignatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return 'v1,' + createHmac('sha256', key).update(`${id}.${moment}.`).update(body).digest('base64');
  });
  return hasMatch((sent.get('webhook-signature') ?? '').split(' '), expectedSignatures);
}

// Compare signatures in constant time.
function hasMatch(sentSignatures, expectedSignatures) {
  const same = (one, other) => one.length === other.length && timingSafeEqual(one, other);
  return sentSignatures.some((one) => expectedSignatures.some((other) => same(Buffer.from(one), Buffer.from(other))));
}

// Verify first, respond immediately, and process the event later.
async function receive(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const isGenuine = isSigned(body, request.headers, SECRETS);
  if (isGenuine) console.log(JSON.parse(body).event); // put it into your queue here
  response.writeHead(isGenuine ? 200 : 401).end();
}

const SECRETS = (process.env.WEBHOOK_SECRET ?? '').split(' ').filter(Boolean);

const [command, first, second] = process.argv.slice(2);
if (command === 'check') {
  process.exit(isSigned(readFileSync(first), JSON.parse(readFileSync(second)), SECRETS) ? 0 : 1);
} else if (command === 'serve') {
  // A client that disconnects halfway must not stop the server.
  const safely = (request, response) =>
    receive(request, response).catch((error) => {
      console.error(error.message);
      response.destroy();
    });
  createServer(safely).listen(Number(first), '127.0.0.1');
}
