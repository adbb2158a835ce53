// Scripts and styles in a browser: a second visit transfers nothing twice, and an update of the service is survived.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openContext } from "../../harness/clients/chromium.ts";
import { testConsole, untilShown } from "../../harness/clients/console.ts";

interface Transfer {
  url: string;
  /** 200 for a response from the cache. */
  status: number;
  isCached: boolean;
  bytes: number;
}

testConsole("Files of console and reference in a browser", async (t, { app, context, visit }) => {
  const { url, call } = app;
  await call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });

  await t.test("a second visit gets every file from the cache, and every page as 304", async (t) => {
    // Its own context has an empty cache.
    const own = await openContext(context, { locale: "de-DE" });
    t.after(() => own.close());
    const load = async (path: string) => {
      const page = await own.newPage();
      const list = await recordTransfers(page);
      await page.goto(url + path);
      const title = path === "/nothing" ? "Seite nicht gefunden" : /./;
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page.close();
      return list();
    };
    for (const path of ["/", "/docs", "/nothing"]) {
      const first = await load(path);
      const second = await load(path);
      const names = (transfers: Transfer[]) => transfers.map(({ url }) => url).sort();
      assert.deepEqual(names(second), names(first));
      assert.ok(first.length >= 2, names(first).join(" "));
      // Errors are not kept.
      for (const { url: address, status, isCached, bytes } of second.filter((each) => each.status !== 404)) {
        if (address === url + path) assert.equal(status, 304, address);
        else assert.deepEqual([isCached, bytes], [true, 0], address);
      }
    }
    const german = (await load("/")).filter(({ url }) =>
      /\/console\/first-view-de-[A-Z0-9]{8}\.js$/.test(url),
    );
    assert.equal(german.length, 1);
  });

  await t.test("a page of the previous build loads itself again, once, for a missing part", async (t) => {
    const page = await visit(t, { expected: [404] });
    let loads = 0;
    page.on("load", () => {
      loads += 1;
    });
    const part = /\/console\/lazy-views-[A-Z0-9]{8}\.js$/;
    await page.route(part, (route) => route.fulfill({ status: 404, json: { code: "route_not_found" } }));
    const link = page.getByRole("link", { name: "Webhooks" });
    const failure = page.getByRole("alert").filter({ hasText: "does not answer" });

    // The service still has the page of the same build: loading it again would not help.
    await link.click();
    await failure.waitFor();
    assert.equal(loads, 0);

    // An update: the page names other files.
    const isPage = (address: URL) => address.pathname === "/";
    const body = (await (await fetch(`${url}/`)).text()).replaceAll(/-[A-Z0-9]{8}\./g, "-ZZZZZZZZ.");
    let checks = 0;
    await page.route(isPage, (route) => {
      if (route.request().isNavigationRequest()) return route.continue();
      checks += 1;
      return route.fulfill({ body });
    });
    // The view also tries again by itself, perhaps before the click.
    const loaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Try again" }).click();
    await loaded;
    // The page that arrived is still the old one, as during an update of several nodes.
    await untilShown(async () => checks >= 2, true);
    await failure.waitFor();
    assert.equal(loads, 1);

    await page.unroute(part);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Webhooks" }).waitFor();
    assert.equal(loads, 1);
  });
});

/** Starts to record what a page requests. The result lists what has arrived. */
async function recordTransfers(page: Page): Promise<() => Transfer[]> {
  const session = await page.context().newCDPSession(page);
  const transfers = new Map<string, Transfer>();
  await session.send("Network.enable");
  session.on("Network.responseReceived", ({ requestId, response }) => {
    const { url, status, fromDiskCache = false } = response;
    if (url.startsWith("data:")) return;
    transfers.set(requestId, { bytes: 0, isCached: fromDiskCache, status, ...transfers.get(requestId), url });
  });
  session.on("Network.requestServedFromCache", ({ requestId }) => change(requestId, { isCached: true }));
  // The status on the wire: to the page, a 304 looks like a 200.
  session.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode }) =>
    change(requestId, { status: statusCode }),
  );
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
    change(requestId, { bytes: encodedDataLength }),
  );
  const change = (requestId: string, known: Partial<Transfer>) => {
    const { url = "", status = 200, isCached = false, bytes = 0 } = transfers.get(requestId) ?? {};
    transfers.set(requestId, { url, status, isCached, bytes, ...known });
  };
  return () => [...transfers.values()].filter(({ url }) => url !== "");
}
