// Reads requests from standard input, and writes what the TypeScript client says of each.
import { readFileSync } from "node:fs";
import { InvalidSignature, verify } from "@pannier/client";

const vectors = JSON.parse(readFileSync(0, "utf8"));
const verdicts = [];
for (const { body, headers, secret, now, tolerance } of vectors) {
  const bytes = Uint8Array.from(Buffer.from(body, "base64"));
  try {
    await verify(bytes, headers, secret, { now, tolerance });
    verdicts.push("genuine");
  } catch (error) {
    verdicts.push(error instanceof InvalidSignature ? "refused" : error.constructor.name);
  }
}
console.log(JSON.stringify(verdicts));
