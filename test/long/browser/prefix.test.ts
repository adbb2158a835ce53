// The console of the real program below a path, behind a proxy that strips the path.

import assert from "node:assert/strict";
import http from "node:http";
import { type TestContext, test } from "node:test";
import { connectToChromium } from "../../harness/clients/chromium.ts";
import { listen } from "../../harness/servers/listen.ts";
import { startService } from "../../harness/servers/service.ts";

test("the console below a path works with and without a trailing slash", async (t) => {
  const proxy = await startStrippingProxy(t, "/shelter");
  const { port, adminKey = "" } = await startService(t, { PUBLIC_URL: proxy.url });
  proxy.target(port);
  const context = await connectToChromium(t);
  for (const address of [proxy.url, `${proxy.url}/`]) {
    const page = await context.newPage();
    await page.goto(address);
    await page.getByLabel("API key").fill(adminKey);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("row").filter({ hasText: "First key" }).waitFor();
    // Its code is loaded on demand.
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForURL(`${proxy.url}/docs`);
    const sample = page.locator("#createPet-sh").filter({ hasText: `${proxy.url}/v1/pets` });
    await sample.filter({ hasText: adminKey }).waitFor();
    await page.getByRole("link", { name: "Console" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.waitForURL(`${proxy.url}/`);
    await page.goto(`${proxy.url}/deep/nothing`);
    await page.getByRole("link", { name: "Open the console" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();
    await page.waitForURL(`${proxy.url}/`);
    await page.close();
  }
  assert.deepEqual(proxy.strays, []);
});

async function startStrippingProxy(t: TestContext, path: string) {
  const strays: string[] = [];
  let targetPort = 0;
  const server = http.createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (url !== path && !url.startsWith(`${path}/`)) {
      // Requested by the browser, not by the page.
      if (url !== "/favicon.ico") strays.push(url);
      response.writeHead(404).end();
      return;
    }
    const rest = url.slice(path.length) || "/";
    const onwards = http.request(
      { port: targetPort, host: "127.0.0.1", path: rest, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    // The service ends before the page closes its stream of events.
    onwards.on("error", () => response.destroy());
    request.pipe(onwards);
  });
  const address = await listen(t, server);
  return {
    url: `${address}${path}`,
    strays,
    target: (port: number) => {
      targetPort = port;
    },
  };
}
