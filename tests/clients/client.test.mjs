// The TypeScript client under Node.js: against the running program, and against failing servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Client,
  Conflict,
  IdempotencyKeyReused,
  Internal,
  NoResponseError,
  NotFound,
  PreconditionFailed,
  ProblemError,
  ValidationFailed,
} from "@pannier/client";

const AT_ONCE = { minDelayMs: 0 };
const DONE = { id: "contact_1", name: "Ada" };
const { PANNIER, API_KEY, OPERATOR_TOKEN, SIGNATURE } = process.env;
const shop = new Client(PANNIER, { key: API_KEY, retry: AT_ONCE });

test("a record is created, changed, read and deleted", async () => {
  const made = await shop.contacts.create({ name: "Ada Lovelace", type: "customer" });
  const changed = await shop.contacts.update(made.id, { name: "Ada King", email: null });
  assert.equal(changed.name, "Ada King");
  assert.equal((await shop.contacts.get(made.id)).name, "Ada King");
  const stale = { ifVersion: made.version };
  await assert.rejects(shop.contacts.update(made.id, { name: "Ada" }, stale), PreconditionFailed);
  await shop.contacts.delete(made.id);
  await assert.rejects(shop.contacts.get(made.id), (error) => {
    assert.ok(error instanceof NotFound && error instanceof ProblemError);
    assert.deepEqual([error.status, error.code, error.name], [404, "not_found", "NotFound"]);
    return error.requestId !== "";
  });
});

test("a list loads its pages while it is read", async () => {
  const type = `type-${Date.now()}`;
  const names = ["0", "1", "2", "3", "4"];
  for (const name of names) await shop.contacts.create({ name, type });
  const contacts = shop.contacts.list({ limit: 2, sort: "created_at", type });
  assert.deepEqual((await contacts.toArray()).map((contact) => contact.name), names);
  const first = await contacts.firstPage();
  assert.equal(first.items.length, 2);
  const sizes = [];
  for await (const page of contacts.pages(first.nextCursor)) sizes.push(page.items.length);
  assert.deepEqual(sizes, [2, 1]);
});

test("a list for operators is read by its cursors", async () => {
  const operator = new Client(PANNIER, { key: OPERATOR_TOKEN });
  const made = await operator.internal.keys.create({ kind: "api", name: "One" });
  const ids = [];
  for await (const key of operator.internal.keys.list({ limit: 1 })) ids.push(key.id);
  assert.ok(ids.includes(made.id) && ids.length > 1);
});

test("a signature is sent as bytes and read as a file", async () => {
  const order = await shop.orders.create({ pickup: "1 Raffles Place", dropoff: "80 Mandai Lake" });
  const signature = Uint8Array.from(Buffer.from(SIGNATURE, "base64"));
  await shop.orders.captureSignature(order.id, { signature, signer_name: "Ada" });
  const sheet = await shop.orders.downloadProofSheetPdf(order.id);
  assert.equal(new TextDecoder().decode(sheet.slice(0, 4)), "%PDF");
});

test("an error names the fields", async () => {
  await assert.rejects(shop.contacts.create({ name: "Ada", email: "nobody" }), (error) => {
    assert.ok(error instanceof ValidationFailed);
    assert.deepEqual(error.fields.map((field) => field.path), ["email"]);
    return true;
  });
});

test("a POST that is sent twice is done once", async () => {
  const options = { idempotencyKey: `order-${Date.now()}` };
  const first = await shop.contacts.create({ name: "Ada" }, options);
  assert.deepEqual(await shop.contacts.create({ name: "Ada" }, options), first);
  await assert.rejects(shop.contacts.create({ name: "Grace" }, options), IdempotencyKeyReused);
});

// What fails on the way

function respond(status, body, headers = {}) {
  const isText = typeof body === "string";
  return () => new Response(isText ? body : JSON.stringify(body), { status, headers });
}

function cutOff() {
  const stream = new ReadableStream({
    pull: (controller) => controller.error(new TypeError("terminated")),
  });
  return new Response(stream, { status: 201 });
}

function refuse() {
  throw new TypeError("fetch failed");
}

/** A client whose server gives these replies in order, and the requests that it gets. */
function failing(...replies) {
  const requests = [];
  const fetch = async (url, request) => {
    requests.push({ url: String(url), ...request });
    return replies.shift()();
  };
  return [new Client("http://pannier.test/", { key: "key", retry: AT_ONCE, fetch }), requests];
}

const PASSING = {
  refused: refuse,
  "cut off": cutOff,
  "bad gateway": respond(502, "<h1>Bad gateway</h1>"),
  timeout: respond(408, { code: "request_timeout" }),
  limit: respond(429, { code: "too_many_requests" }, { "Retry-After": "0" }),
  unknown: respond(503, { code: "outcome_unknown" }),
  "in progress": respond(409, { code: "idempotency_in_progress" }),
};
for (const [name, reply] of Object.entries(PASSING)) {
  test(`a request that fails on the way is repeated with its key: ${name}`, async () => {
    const [client, requests] = failing(reply, reply, respond(201, DONE));
    assert.deepEqual(await client.contacts.create({ name: "Ada" }), DONE);
    assert.equal(requests.length, 3);
    assert.equal(new Set(requests.map((request) => request.headers["Idempotency-Key"])).size, 1);
    assert.equal(new Set(requests.map((request) => request.body)).size, 1);
  });
}

test("no attempt is refused because an earlier one succeeded", async () => {
  let isLost = false;
  const losing = async (...args) => {
    const answer = await fetch(...args);
    await answer.clone().arrayBuffer();
    isLost = !isLost;
    if (isLost) throw new TypeError("cut off");
    return answer;
  };
  const client = new Client(PANNIER, { key: API_KEY, retry: AT_ONCE, fetch: losing });
  const made = await client.contacts.create({ name: "Ada" });
  const options = { ifVersion: made.version };
  const changed = await client.contacts.update(made.id, { name: "Grace" }, options);
  assert.deepEqual([changed.name, changed.version], ["Grace", made.version + 1]);
  const again = client.contacts.update(made.id, { name: "Ada" }, options);
  await assert.rejects(again, PreconditionFailed);
  assert.equal((await client.contacts.delete(made.id)).id, made.id);
});

test("two calls have two keys, and reads have none", async () => {
  const [client, requests] = failing(respond(200, DONE), respond(200, DONE), respond(200, DONE));
  await client.contacts.create({ name: "Ada" });
  await client.contacts.create({ name: "Ada" });
  await client.contacts.get("contact_1");
  const keys = requests.map((request) => request.headers["Idempotency-Key"]);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], undefined);
});

test("an error that would come again is thrown at once", async () => {
  for (const [status, code, kind] of [
    [500, "internal", Internal],
    [409, "conflict", Conflict],
    [418, "of_a_later_version", ProblemError],
  ]) {
    const [client, requests] = failing(respond(status, { code, detail: "No." }));
    await assert.rejects(client.contacts.create({ name: "Ada" }), (error) => {
      return error instanceof kind && error.code === code && error.status === status;
    });
    assert.equal(requests.length, 1);
  }
});

test("a client gives up after as many retries as it is allowed", async () => {
  const [client, requests] = failing(refuse, refuse, refuse, refuse);
  await assert.rejects(client.contacts.create({ name: "Ada" }, { maxRetries: 2 }), (error) => {
    assert.ok(error instanceof NoResponseError && error.cause instanceof TypeError);
    return error.idempotencyKey === requests[0].headers["Idempotency-Key"];
  });
  assert.equal(requests.length, 3);
  const [other] = failing(respond(503, { code: "overloaded" }, { "Retry-After": "3600" }));
  await assert.rejects(other.contacts.get("contact_1"), (error) => error.retryAfterMs === 3.6e6);
});

test("the caller can end a call, with all its attempts", async () => {
  const controller = new AbortController();
  const [client, requests] = failing(() => {
    controller.abort(new Error("enough"));
    throw controller.signal.reason;
  });
  const options = { signal: controller.signal };
  await assert.rejects(client.contacts.create({ name: "Ada" }, options), /enough/);
  assert.equal(requests.length, 1);
});

test("an attempt that takes too long is repeated", async () => {
  let attempts = 0;
  const fetch = (_url, { signal }) =>
    ++attempts > 1
      ? Promise.resolve(respond(200, DONE)())
      : new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          setTimeout(() => undefined, 1000).unref();
        });
  const client = new Client("http://pannier.test", { retry: AT_ONCE, timeoutMs: 5, fetch });
  const keepAlive = setInterval(() => undefined, 1);
  assert.deepEqual(await client.contacts.get("contact_1"), DONE);
  clearInterval(keepAlive);
});

test("a list that leads elsewhere gets no credentials there", async () => {
  const Link = '<https://attacker.example.com/v1/contacts?cursor=next>; rel="next"';
  const [client, requests] = failing(respond(200, [DONE], { Link }), respond(200, [DONE]));
  assert.equal((await client.contacts.list({ limit: 1 }).toArray()).length, 2);
  assert.deepEqual(
    requests.map((request) => request.url),
    [
      "http://pannier.test/v1/contacts?limit=1",
      "http://pannier.test/v1/contacts?limit=1&cursor=next",
    ],
  );
});

test("a list whose last page has no cursor does not begin again", async () => {
  const page = (cursor) => ({ data: [DONE], meta: { next_cursor: cursor, has_more: true } });
  for (const cursor of [null, "", "one"]) {
    const [client, requests] = failing(respond(200, page("one")), respond(200, page(cursor)));
    await assert.rejects(client.events.list().toArray(), /does not end/);
    assert.equal(requests.length, 2);
  }
});

test("a call that is ended while its answer arrives does not wait for a retry", async () => {
  const controller = new AbortController();
  const [client, requests] = failing(() => {
    controller.abort(new Error("enough"));
    return respond(503, { code: "overloaded" }, { "Retry-After": "60" })();
  });
  const options = { signal: controller.signal };
  await assert.rejects(client.contacts.get("contact_1", options), /enough/);
  assert.equal(requests.length, 1);
});

test("an id cannot leave its part of the path", async () => {
  const [client, requests] = failing(respond(200, DONE));
  await client.contacts.get("../orders?x=1#y");
  assert.equal(requests[0].url, "http://pannier.test/v1/contacts/..%2Forders%3Fx%3D1%23y");
  assert.throws(() => client.contacts.get(".."), TypeError);
});

test("an answer that is not ours is an error of its own", async () => {
  const [client] = failing(respond(200, "Sign in to this network"), respond(302, ""));
  const codes = ["response_unreadable", "http_302"];
  for (const code of codes) {
    await assert.rejects(client.contacts.get("contact_1"), (error) => error.code === code);
  }
});
