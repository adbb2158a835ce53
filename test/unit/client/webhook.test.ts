// verifyWebhook: what the reference implementation signs is accepted, anything changed is refused with its reason.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { stringifyJson, verifyWebhook, WebhookVerificationError } from "../../../client/src/client.ts";
import { eventOf } from "./feed-server.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret of thirty-two byt").toString("base64")}`;
const EVENT = eventOf(9007199254740993n);
const BODY = stringifyJson(EVENT);
const NOW_MS = 1_763_197_242_000;
const OPTIONS = { nowMs: () => NOW_MS };

type Signed = {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
};

/** Signed by the reference implementation. */
function sign(body: string = BODY, secret: string = SECRET, atMs: number = NOW_MS): Signed {
  const signature = new Webhook(secret).sign(EVENT.id, new Date(atMs), body);
  return {
    "webhook-id": EVENT.id,
    "webhook-timestamp": String(Math.floor(atMs / 1000)),
    "webhook-signature": signature,
  };
}

function isRefused(reason: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    assert.equal(error.reason, reason);
    assert.ok(!error.message.includes(SECRET.slice(6)));
    return true;
  };
}

test("accepts what the reference implementation signs, in every form of headers and body", async () => {
  const signed = sign();
  const upper = Object.entries(signed).map(([name, value]): [string, string] => [name.toUpperCase(), value]);
  const forms = {
    headers: new Headers({ ...signed }),
    object: { ...signed, host: "example.org", cookie: undefined },
    "object in upper case": Object.fromEntries(upper),
    "object with lists": Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]])),
    map: new Map(Object.entries(signed)),
    "map in upper case": new Map(upper),
    "anything with get": { get: (name: string) => signed[name as keyof Signed] },
  };
  for (const [form, headers] of Object.entries(forms))
    assert.deepEqual(await verifyWebhook(SECRET, headers, BODY, OPTIONS), EVENT, form);

  const bytes = Buffer.from(BODY);
  const { buffer } = new Uint8Array(bytes);
  for (const body of [bytes, new Uint8Array(bytes), buffer])
    assert.deepEqual(await verifyWebhook(SECRET, signed, body, OPTIONS), EVENT);
});

test("verifies the example of the standard", async () => {
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const verified = verifyWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", headers, '{"test": 2432232314}', {
    nowMs: () => 1_614_265_330_000,
  });
  await assert.rejects(verified, isRefused("invalid_body"), "the signature is right; the body is no event");
});

test("the current time is the default", async () => {
  assert.deepEqual(await verifyWebhook(SECRET, sign(BODY, SECRET, Date.now()), BODY), EVENT);
  await assert.rejects(verifyWebhook(SECRET, sign(), BODY), isRefused("too_old"));
});

test("accepts one of several secrets and of several signatures, and ignores other versions", async () => {
  const mine = sign()["webhook-signature"];
  const other = sign(BODY, OTHER)["webhook-signature"];
  for (const signature of [
    `${other} ${mine}`,
    `${mine} ${other}`,
    `v1a,xyz v2,${mine.slice(3)} nonsense ${mine}`,
  ])
    assert.deepEqual(
      await verifyWebhook(SECRET, { ...sign(), "webhook-signature": signature }, BODY, OPTIONS),
      EVENT,
    );
  assert.deepEqual(await verifyWebhook([OTHER, SECRET], sign(), BODY, OPTIONS), EVENT);
  assert.deepEqual(await verifyWebhook([SECRET, OTHER], sign(), BODY, OPTIONS), EVENT);
});

test("refuses a change of any character of the body, the id and the signature", async () => {
  const signed = sign();
  const change = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
  for (let at = 0; at < BODY.length; at += 1)
    await assert.rejects(
      verifyWebhook(SECRET, signed, change(BODY, at), OPTIONS),
      isRefused("invalid_signature"),
    );
  // The last character before the padding has two bits that base64 ignores.
  for (const name of ["webhook-id", "webhook-signature"] as const)
    for (let at = 0; at < signed[name].length - 2; at += 1)
      await assert.rejects(
        verifyWebhook(SECRET, { ...signed, [name]: change(signed[name], at) }, BODY, OPTIONS),
        isRefused("invalid_signature"),
      );
});

const SIGNATURE = sign()["webhook-signature"];
const tampered: Record<string, [Partial<Signed>, string]> = {
  "another time": [{ "webhook-timestamp": String(NOW_MS / 1000 + 1) }, "invalid_signature"],
  "another version": [{ "webhook-signature": SIGNATURE.replace("v1,", "v2,") }, "invalid_signature"],
  "a signature that is cut": [{ "webhook-signature": SIGNATURE.slice(0, 20) }, "invalid_signature"],
  "a signature without a version": [{ "webhook-signature": SIGNATURE.slice(3) }, "invalid_signature"],
  "an empty signature": [{ "webhook-signature": "v1," }, "invalid_signature"],
  "a time with a sign": [{ "webhook-timestamp": `+${NOW_MS / 1000}` }, "invalid_timestamp"],
  "a time that is a date": [{ "webhook-timestamp": new Date(NOW_MS).toISOString() }, "invalid_timestamp"],
  "a time that is NaN": [{ "webhook-timestamp": "NaN" }, "invalid_timestamp"],
  "an empty id": [{ "webhook-id": "" }, "missing_header"],
};

for (const [what, [headers, reason]] of Object.entries(tampered))
  test(`refuses ${what}: ${reason}`, async () => {
    const changed = { ...sign(), ...headers };
    await assert.rejects(verifyWebhook(SECRET, changed, BODY, OPTIONS), isRefused(reason));
  });

test("refuses a delivery without one of the headers, and says which", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
    const { [name]: _, ...rest } = sign();
    await assert.rejects(verifyWebhook(SECRET, rest, BODY, OPTIONS), (error: Error) =>
      error.message.includes(name),
    );
    await assert.rejects(
      verifyWebhook(SECRET, new Headers(rest), BODY, OPTIONS),
      isRefused("missing_header"),
    );
    const twice = { ...sign(), [name.toUpperCase()]: "other" };
    await assert.rejects(verifyWebhook(SECRET, twice, BODY, OPTIONS), isRefused("missing_header"));
  }
});

test("accepts a time of five minutes in both directions, and no more", async () => {
  for (const seconds of [-300, 300])
    assert.deepEqual(
      await verifyWebhook(SECRET, sign(BODY, SECRET, NOW_MS + seconds * 1000), BODY, OPTIONS),
      EVENT,
    );
  const at = (seconds: number) =>
    verifyWebhook(SECRET, sign(BODY, SECRET, NOW_MS + seconds * 1000), BODY, OPTIONS);
  await assert.rejects(at(-301), isRefused("too_old"));
  await assert.rejects(at(301), isRefused("too_new"));
});

test("refuses another secret, and a body that is signed but no event", async () => {
  await assert.rejects(verifyWebhook(OTHER, sign(), BODY, OPTIONS), isRefused("invalid_signature"));
  for (const body of ["", "null", "[]", "{}", '{"id":"1","type":"x"}', "{"])
    await assert.rejects(verifyWebhook(SECRET, sign(body), body, OPTIONS), isRefused("invalid_body"));
  const bytes = Buffer.from([0x22, 0xff, 0x22]);
  const { "webhook-id": id, "webhook-timestamp": time } = sign();
  const hmac = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
    .update(`${id}.${time}.`)
    .update(bytes);
  const headers = { ...sign(), "webhook-signature": `v1,${hmac.digest("base64")}` };
  await assert.rejects(verifyWebhook(SECRET, headers, bytes, OPTIONS), isRefused("invalid_body"));
});

test("a secret or a body of the wrong form is a TypeError that does not show the secret", async () => {
  for (const secret of ["", "whsec_", "whsec_ü", [], undefined as unknown as string])
    await assert.rejects(verifyWebhook(secret, sign(), BODY, OPTIONS), TypeError);
  await assert.rejects(
    verifyWebhook("whsec_not*base64", sign(), BODY, OPTIONS),
    (error: Error) => error instanceof TypeError && !error.message.includes("not*base64"),
  );
  await assert.rejects(
    verifyWebhook(SECRET, sign(), EVENT as unknown as string, OPTIONS),
    /as received, a string or bytes, not parsed JSON/,
  );
});
