// The programs for Python of the guides, as /docs.md has them: they wait when refused, follow events, and verify webhooks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { signMessage } from "../../../src/webhooks/signature.ts";
import { createCall } from "../../harness/clients/call.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { RECEIVER_SETTINGS, type Received, startReceiver } from "../../harness/servers/receiver.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import { run } from "../../unit/client/packed.ts";

const PET = { name: "Rex", categoryId: 3 };

/** The programs for Python in the section of a guide. */
async function readPrograms(url: string, title: string): Promise<string[]> {
  const { text } = await createCall(url)("GET", "/docs.md");
  const section = text.split(`\n### ${title}\n`)[1]?.split("\n### ")[0] ?? "";
  return [...section.matchAll(/```python\n([\s\S]*?)\n```/g)].map(([, code = ""]) =>
    code.replaceAll("ask_live_YOUR_KEY", ADMIN_KEY),
  );
}

test("the program sends a refused request again after Retry-After", async (t) => {
  const { url } = await startApp(t);
  const [program = ""] = await readPrograms(url, "Python");
  const refusal = { code: "rate_limit_exceeded", message: "Wait.", status: 429 };
  const server = await startScripted(
    t,
    { status: 429, headers: { "retry-after": "7" }, body: refusal },
    { status: 201, body: { id: 1, ...PET } },
    { body: [{ id: 1, ...PET }] },
  );
  const noting = 'import time\ntime.sleep = lambda seconds: print("Waits", seconds)\n';
  const { stdout } = await run(findProgram("python"), ["-c", noting + program.replaceAll(url, server.url)]);
  assert.equal(stdout, "Waits 7\nAdded 1\n1 Rex\n");
  const [first, second] = server.requests;
  assert.deepEqual([second?.method, second?.body], [first?.method, first?.body]);
});

test("the program with the lines about events prints every change as it happens", async (t) => {
  const { url, call } = await startApp(t);
  const [program, events] = await readPrograms(url, "Python");
  const child = spawn(findProgram("python"), ["-c", `${program}\n${events}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  assert.match(await read(), /^Added 1$/);
  assert.match(await read(), /^1 Rex$/);
  assert.match(await read(), /^1 pet\.created \{.*'Rex'/);
  assert.equal((await call("PATCH", "/pets/1", { body: { name: "Bello" } })).status, 200);
  assert.match(await read(), /^2 pet\.updated \{.*'Bello'/);
  child.kill("SIGKILL");
  await once(child, "close");
});

test("the function for webhooks accepts deliveries of the service, and nothing else", async (t) => {
  const { url, call } = await startApp(t, { environment: RECEIVER_SETTINGS, startMs: Date.now() });
  const [program = ""] = await readPrograms(url, "Receive and verify webhooks");
  const receiver = await startReceiver(t);
  const { secret } = (await call("POST", "/webhooks", { body: { url: receiver.url } })).json;
  const rotated = (await call("POST", "/webhooks/1/rotate")).json.secret;
  await call("POST", "/pets", { body: { ...PET, name: "Żółw" } });
  await receiver.until(1);
  const { headers, body } = receiver.received[0] as Received;
  assert.equal(headers["webhook-signature"]?.split(" ").length, 2);

  const signedAt = (timestampSeconds: number) => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signMessage([secret], { id: "evt_1", timestampSeconds, body }),
  });
  const nowSeconds = Math.floor(Date.now() / 1000);
  const { "webhook-signature": signatures, ...unsigned } = headers;
  const cases: Array<[what: string, isGenuine: boolean, headers: object, body?: string, secret?: string]> = [
    ["a delivery", true, headers],
    ["a delivery, with the new secret", true, headers, body, rotated],
    [
      "a delivery with a further signature of another version",
      true,
      {
        ...headers,
        "webhook-signature": `v2,é ${signatures}`,
      },
    ],
    ["another secret", false, headers, body, `whsec_${Buffer.alloc(32).toString("base64")}`],
    ["a changed body", false, headers, body.replace("available", "sold")],
    ["another id", false, { ...headers, "webhook-id": "evt_2" }],
    ["no signature", false, unsigned],
    ["no headers", false, {}],
    ["a timestamp that is no number", false, { ...headers, "webhook-timestamp": "now" }],
    ["a message of now", true, signedAt(nowSeconds)],
    ["an old message", false, signedAt(nowSeconds - 600)],
    ["a message from the future", false, signedAt(nowSeconds + 600)],
  ];
  const folder = makeFolder(t);
  const given = cases.map(([, , each, text = body, key = secret]) => [key, each, text]);
  writeFileSync(join(folder, "cases.json"), JSON.stringify(given));
  writeFileSync(
    join(folder, "run.py"),
    `${program}


import json
with open("cases.json", encoding="utf-8") as file:
    cases = json.load(file)
print(json.dumps([is_genuine(secret, headers, body.encode()) for secret, headers, body in cases]))
`,
  );
  const { stdout } = await run(findProgram("python"), ["run.py"], { cwd: folder });
  assert.deepEqual(
    JSON.parse(stdout).map((isGenuine: boolean, index: number) => [cases[index]?.[0], isGenuine]),
    cases.map(([what, isGenuine]) => [what, isGenuine]),
  );
});
