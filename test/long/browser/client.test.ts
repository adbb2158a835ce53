// The bundled client in Chromium: on a failing network from another origin, and on a page of the service.

import assert from "node:assert/strict";
import { createServer, get } from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { Usage } from "../../../client/src/client.ts";
import { connectToChromium } from "../../harness/clients/chromium.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { listen } from "../../harness/servers/listen.ts";
import { testFaults } from "../../unit/client/faults.ts";
import {
  cursor,
  eventOf,
  finish,
  message,
  page as poll,
  startFeed,
  stay,
} from "../../unit/client/feed-server.ts";
import { bundleClient, openIn } from "../../unit/client/place.ts";

test("In Chromium the client", async (t) => {
  const bundle = await bundleClient();
  await testFaults(t, openIn(await connectToChromium(t), bundle));
});

test("In Chromium the client follows a feed of another origin, and polls where the stream is held back", {
  timeout: 60_000,
}, async (t) => {
  const [bundle, context, { url, requests }] = await Promise.all([
    bundleClient(),
    connectToChromium(t),
    startFeed(
      t,
      finish(message(1), message(2)),
      stay(message(2), message(3)),
      stay(),
      poll([4], cursor(4)),
      stay(),
    ),
  ]);
  const place = await openIn(context, bundle)(t, async () => {});
  const seen = await place.run(async ({ createClient, sleep }, baseUrl) => {
    const client = createClient({ baseUrl, apiKey: "ask_live_test", timeoutMs: 1_000, runtime: { sleep } });
    const feed = client.events({ after: "now" });
    const numbers: number[] = [];
    for await (const { number } of feed) {
      numbers.push(Number(number));
      if (numbers.length === 3) break;
    }
    for await (const { number } of feed) {
      numbers.push(Number(number));
      break;
    }
    return numbers;
  }, url);
  assert.deepEqual(seen, [1, 2, 3, 4]);
  await requests[1]?.closed;
  assert.deepEqual(
    requests.slice(0, 4).map(({ path, query }) => `${path} ${query.after}`),
    [
      "/v1/events/stream now",
      `/v1/events/stream ${cursor(2)}`,
      `/v1/events/stream ${cursor(3)}`,
      `/v1/events ${cursor(3)}`,
    ],
  );
});

test("In Chromium an EventSource dispatches no message for the start of a stream, and resumes at its position", {
  timeout: 60_000,
}, async (t) => {
  const [{ url, call }, context] = await Promise.all([startApp(t), connectToChromium(t)]);
  const positions: Array<string | undefined> = [];
  let cut = () => {};
  // Adds the key, which EventSource cannot send, and lets it connect again at once.
  const relay = createServer((request, response) => {
    if (request.url === "/") return void response.setHeader("content-type", "text/html").end();
    const { "last-event-id": position } = request.headers;
    positions.push(position as string | undefined);
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, ...(position && { "last-event-id": position }) };
    const upstream = get(`${url}/v1/events/stream?after=now`, { headers, agent: false }, (stream) => {
      response.writeHead(stream.statusCode ?? 0, { "content-type": stream.headers["content-type"] });
      stream.on("data", (chunk) => response.write(String(chunk).replace("retry: 3000", "retry: 1")));
      cut = () => response.end();
    });
    upstream.on("error", () => {});
    response.on("close", () => upstream.destroy());
  });
  const site = await listen(t, relay);
  const page = await context.newPage();
  await page.goto(site);
  await page.evaluate(`
    seen = [];
    source = new EventSource("/stream");
    source.onmessage = ({ data }) => seen.push(["message", data]);
    source.addEventListener("pet.created", ({ data, lastEventId }) => seen.push([lastEventId, JSON.parse(data).number]));
    source.onopen = () => { opened = (globalThis.opened ?? 0) + 1; };
  `);
  const untilTrue = (expression: string) => page.waitForFunction(expression);
  await untilTrue("globalThis.opened === 1");
  // The start has arrived: the position is sent with the next connection, without an event before.
  cut();
  await untilTrue("globalThis.opened === 2");
  assert.match(positions[1] ?? "", /^[0-9a-f]{16}-0$/);
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  await untilTrue("seen.length > 0");
  assert.deepEqual(await page.evaluate("seen"), [[positions[1]?.replace(/0$/, "1"), 1]]);
  await page.close();
});

test("In Chromium verifyWebhook accepts a delivery, and refuses a changed one", async (t) => {
  const [bundle, context] = await Promise.all([bundleClient(), connectToChromium(t)]);
  const page = await context.newPage();
  // WebCrypto is there only on pages from a secure or local origin.
  const { url } = await startApp(t);
  await page.goto(`${url}/docs`);
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = JSON.stringify(eventOf(1));
  const at = new Date();
  const headers = {
    "webhook-id": eventOf(1).id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(eventOf(1).id, at, body),
  };
  const verify = (text: string) =>
    `AnimalStore.verifyWebhook(...${JSON.stringify([secret, headers, text])}).then(({ id }) => id, ({ reason }) => reason)`;
  assert.equal(await page.evaluate(`${bundle}; ${verify(body)}`), eventOf(1).id);
  assert.equal(await page.evaluate(`${bundle}; ${verify(`${body} `)}`), "invalid_signature");
});

test("On a page of the service, baseUrl can be a path", async (t) => {
  const [{ url }, context] = await Promise.all([startApp(t), connectToChromium(t)]);
  const page = await context.newPage();
  await page.goto(`${url}/docs`);
  const options = JSON.stringify({ baseUrl: "/v1", apiKey: ADMIN_KEY });
  const call = `AnimalStore.createClient(${options}).getUsage()`;
  assert.equal((await page.evaluate<Usage>(`${await bundleClient()}; ${call}`)).access, "admin");
});

test("The bundle is smaller than 32 KiB and uses no API of a single runtime", async () => {
  const bundle = await bundleClient();
  assert.match(bundle, /createClient/);
  assert.ok(bundle.length < 32_768, `${bundle.length} bytes`);
  assert.doesNotMatch(bundle, /\b(?:process|Buffer|require|document|window|Deno|Bun)\b/);
});
