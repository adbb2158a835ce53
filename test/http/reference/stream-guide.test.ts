// The programs of the guide to streams, as /docs.md has them: the typed client, and a relay with its page in Chromium.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createCall } from "../../harness/clients/call.ts";
import { connectToChromium } from "../../harness/clients/chromium.ts";
import { openEventStream } from "../../harness/clients/event-stream.ts";
import { ADMIN_KEY, type AppHarness, startApp } from "../../harness/servers/app.ts";
import { findFreePort } from "../../harness/servers/ports.ts";
import { collect, untilPrinted } from "../../harness/servers/service.ts";
import { unpackClient } from "../../unit/client/packed.ts";

/** A line that does not come would otherwise hold up the file. */
const TESTS_END = { timeout: 60_000 };
const REX = { name: "Rex", categoryId: 9007199254740993n };

async function readPrograms(url: string): Promise<string[]> {
  const { text } = await createCall(url)("GET", "/docs.md");
  const section = text.split("\n### Follow changes\n")[1]?.split("\n### ")[0] ?? "";
  return [...section.matchAll(/```js\n([\s\S]*?)\n```/g)].map(([, code = ""]) =>
    code.replaceAll("ask_live_YOUR_KEY", ADMIN_KEY),
  );
}

async function start(t: TestContext, { url }: AppHarness, program: string) {
  const { folder } = await unpackClient(t);
  const file = join(folder, "program.mjs");
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file]);
  t.after(() => child.kill("SIGKILL"));
  const output = collect(child);
  while (!/^animal_store_event_streams 1$/m.test((await createCall(url, ADMIN_KEY)("GET", "/metrics")).text));
  return { child, output };
}

const addRex = ({ call }: AppHarness) =>
  call("POST", "/pets", { body: `{"name":"${REX.name}","categoryId":${REX.categoryId}}` });

test("the program with the typed client prints changes as they happen", TESTS_END, async (t) => {
  const app = await startApp(t);
  const { child, output } = await start(t, app, (await readPrograms(app.url))[1] ?? "");
  await addRex(app);
  await untilPrinted(child, output, /^pet\.created \{.*name: 'Rex'/ms);
});

test("the relay sends changes to an EventSource without a key, to each page once", TESTS_END, async (t) => {
  const app = await startApp(t);
  const [, , relay = "", inPage = ""] = await readPrograms(app.url);
  const port = await findFreePort();
  const site = `http://127.0.0.1:${port}`;
  const listening = relay.replace("listen(3001)", `listen(${port}, () => console.log("ready"))`);
  const { child, output } = await start(t, app, listening);
  await untilPrinted(child, output, /ready/);
  const context = await connectToChromium(t);
  const page = await context.newPage();
  await page.route(`${site}/`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
  );
  await page.goto(`${site}/`);
  const opened = page.waitForEvent("console", (message) => message.text() === "Read the lists again");
  const shown = page.waitForEvent("console", (message) => message.text().startsWith("pet.created"));
  await page.evaluate(inPage);
  await opened;
  const other = await openEventStream(`${site}/changes`, { key: "none" });
  t.after(other.close);
  await addRex(app);
  const [, data] = (await shown).args();
  const pet = { id: 1, name: REX.name, categoryId: String(REX.categoryId), status: "available" };
  assert.deepEqual(await data?.jsonValue(), { pet });
  assert.deepEqual(JSON.parse((await other.next(true)).data ?? ""), { pet });
  other.close();
  await page.close();
  child.kill();
  await once(child, "exit");
});
