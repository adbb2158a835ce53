// The client on a network that fails, bundled, on a page of another origin in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "../../client/src/client.ts";
import { startChromium } from "../harness/chromium.ts";
import { startService } from "../harness/service.ts";
import { testFaults } from "./faults.ts";
import { bundleClient, openIn } from "./place.ts";

test("In Chromium the client", async (t) => {
  const bundle = await bundleClient();
  await testFaults(t, openIn(await startChromium(t), bundle));
});

test("On a page of the service itself its path is address enough", async (t) => {
  const service = await startService(t);
  const page = await (await startChromium(t)).newPage();
  await page.goto(`${service.url}/docs`);
  const options = JSON.stringify({ baseUrl: "/v1", apiKey: service.adminKey });
  const call = `AnimalStore.createClient(${options}).getUsage()`;
  assert.equal((await page.evaluate<Usage>(`${await bundleClient()}; ${call}`)).access, "admin");
});

test("The bundle is small and asks for nothing that only one runtime has", async () => {
  const bundle = await bundleClient();
  assert.ok(bundle.length < 16_384, `${bundle.length} bytes`);
  assert.doesNotMatch(bundle, /\b(?:process|Buffer|require|document|window|Deno|Bun)\b/);
});
