// How a key is sent: the Authorization header, its scheme, and the challenges of 401.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateSecret } from "../../../src/domain/keys/key-secret.ts";
import { startApp } from "../../harness/servers/app.ts";
import { assertError } from "../assertions.ts";

const CHALLENGE = 'Bearer realm="animal-store"';

test("The Authorization header", async (t) => {
  const { call, createKey } = await startApp(t);
  const { key: adminKey } = await createKey({ access: "admin", plan: "business" });
  const authorization = (value: string | string[]) => ({ key: undefined, headers: { authorization: value } });

  const missing: Record<string, object> = {
    "no header": { key: undefined },
    "an empty header": authorization(""),
    "another scheme": authorization("Basic dXNlcjpwYXNz"),
    "a scheme without a key": authorization("Bearer"),
    "a scheme and spaces": authorization("Bearer   "),
    "a key without a scheme": authorization(adminKey),
    "a key in the body": { key: undefined, body: { api_key: adminKey } },
  };
  for (const [what, options] of Object.entries(missing))
    await t.test(`rejects ${what} with 401 missing_api_key`, async () => {
      const answer = await call("GET", "/pets", options);
      assertError(answer, "missing_api_key");
      assert.equal(answer.headers["www-authenticate"], CHALLENGE);
    });

  const invalid: Record<string, string | string[]> = {
    "an unknown key": `Bearer ${generateSecret("production")}`,
    "a bad checksum": `Bearer ${adminKey.replace(/.$/, (last) => (last === "a" ? "b" : "a"))}`,
    "a key in capitals": `Bearer ${adminKey.toUpperCase()}`,
    "a key and another word": `Bearer ${adminKey} x`,
    "a key and a no-break space": `Bearer ${adminKey}\u{a0}`,
    "a no-break space and a key": `Bearer \u{a0}${adminKey}`,
    "quotes around the key": `Bearer "${adminKey}"`,
    "bytes that are not ASCII": `Bearer ${Buffer.from("ключ").toString("latin1")}`,
    "a very long key": `Bearer ${"a".repeat(8_000)}`,
    "two headers": [`Bearer ${adminKey}`, `Bearer ${adminKey}`],
  };
  const bodies = new Set<string>();
  for (const [what, value] of Object.entries(invalid))
    await t.test(`rejects ${what} with 401 invalid_api_key`, async () => {
      const answer = await call("GET", "/pets", authorization(value));
      assertError(answer, "invalid_api_key");
      assert.equal(answer.headers["www-authenticate"], `${CHALLENGE}, error="invalid_token"`);
      bodies.add(answer.text);
    });
  await t.test("every invalid key gets the same body", () => assert.equal(bodies.size, 1));

  for (const scheme of ["bearer", "BEARER", "Bearer  "])
    await t.test(`accepts the scheme written as "${scheme}"`, async () => {
      assert.equal((await call("GET", "/pets", authorization(`${scheme} ${adminKey}`))).status, 200);
    });

  await t.test("access is checked before the body is read", async () => {
    const { key } = await createKey({ access: "browse" });
    const options = { key, body: "not json", headers: { "content-type": "text/plain" } };
    assertError(await call("POST", "/pets", options), "insufficient_access");
  });
});
