// The bundled client in Chromium: on a failing network from another origin, and on a page of the service.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "../../client/src/client.ts";
import { ADMIN_KEY, startApp } from "../harness/app.ts";
import { connectToChromium } from "../harness/chromium.ts";
import { testFaults } from "./faults.ts";
import { bundleClient, openIn } from "./place.ts";

test("In Chromium the client", async (t) => {
  const bundle = await bundleClient();
  await testFaults(t, openIn(await connectToChromium(t), bundle));
});

test("On a page of the service, baseUrl can be a path", async (t) => {
  const [{ url }, context] = await Promise.all([startApp(t), connectToChromium(t)]);
  const page = await context.newPage();
  await page.goto(`${url}/docs`);
  const options = JSON.stringify({ baseUrl: "/v1", apiKey: ADMIN_KEY });
  const call = `AnimalStore.createClient(${options}).getUsage()`;
  assert.equal((await page.evaluate<Usage>(`${await bundleClient()}; ${call}`)).access, "admin");
});

test("The bundle is smaller than 24 KiB and uses no API of a single runtime", async () => {
  const bundle = await bundleClient();
  assert.match(bundle, /createClient/);
  assert.ok(bundle.length < 24_576, `${bundle.length} bytes`);
  assert.doesNotMatch(bundle, /\b(?:process|Buffer|require|document|window|Deno|Bun)\b/);
});
