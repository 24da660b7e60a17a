// Receive webhooks with Node.js 18 or later and nothing else.
//
// WEBHOOK_SECRET holds the secret, or several with spaces between them.
//
//     node verify.mjs serve 8080
//     node verify.mjs check body-file headers-json-file

import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const WINDOW = 300; // seconds
const MOST_BYTES = 4 * 1024 * 1024; // what is longer is cut, and so does not match
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

// Tell whether the raw body, a Buffer, was signed with one of the secrets.
export function verified(body, headers, secrets) {
  if (!secrets.length || !secrets.every((secret) => SECRET.test(secret))) {
    throw new Error('A secret must be whsec_ followed by base64.');
  }
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]));
  if (['webhook-id', 'webhook-timestamp', 'webhook-signature'].some((name) => sent.has(name))) {
    return standard(body, sent, secrets);
  }
  const names = ['x-service-signature', 'x-service-signature-previous'];
  const given = names.map((name) => (sent.get(name) ?? '').replace(/^sha256=/, ''));
  const known = secrets.map((key) => createHmac('sha256', key).update(body).digest('hex'));
  return matches(given, known);
}

// Check the signature of Standard Webhooks, which covers id, time and body.
function standard(body, sent, secrets) {
  const id = sent.get('webhook-id') ?? '';
  const moment = sent.get('webhook-timestamp') ?? '';
  // The id has no full stop: it could move the borders between the three parts.
  if (!/^[A-Za-z0-9_-]+$/.test(id) || !/^[0-9]{1,12}$/.test(moment)) return false;
  if (Math.abs(Date.now() / 1000 - Number(moment)) > WINDOW) return false;
  const known = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return 'v1,' + createHmac('sha256', key).update(`${id}.${moment}.`).update(body).digest('base64');
  });
  return matches((sent.get('webhook-signature') ?? '').split(' '), known);
}

// Compare in a time that tells nothing but the length.
function matches(given, known) {
  const same = (one, other) => one.length === other.length && timingSafeEqual(one, other);
  return given.some((one) => known.some((other) => same(Buffer.from(one), Buffer.from(other))));
}

// Verify first, answer at once, work later.
async function receive(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const genuine = verified(body, request.headers, SECRETS);
  if (genuine) console.log(JSON.parse(body).event); // put it into your queue here
  response.writeHead(genuine ? 200 : 401).end();
}

const SECRETS = (process.env.WEBHOOK_SECRET ?? '').split(' ').filter(Boolean);

const [command, first, second] = process.argv.slice(2);
if (command === 'check') {
  process.exit(verified(readFileSync(first), JSON.parse(readFileSync(second)), SECRETS) ? 0 : 1);
} else if (command === 'serve') {
  // Whoever hangs up halfway must not take the program along.
  const safely = (request, response) =>
    receive(request, response).catch((error) => {
      console.error(error.message);
      response.destroy();
    });
  createServer(safely).listen(Number(first), '127.0.0.1');
}
