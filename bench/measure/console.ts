// Measures the console in Chromium: the time to the first paint and to the first rows, and what moves while a view loads.

import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildConsole } from "../../console/build.ts";
import { openBrowser } from "../../test/harness/chromium.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine, runCommand } from "../data/stores.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import { showProgress } from "../progress.ts";
import type { ConsoleLoad, ConsoleRun } from "../results.ts";
import type { Bench } from "./bench.ts";

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const VIEWS = [
  "animals",
  "animals/1",
  "orders",
  "categories",
  "webhooks",
  "keys",
  "keys/1",
  "audit",
  "usage",
];
/** Layout shifts are added up for this long. The open event stream keeps the network from becoming idle. */
const SETTLE_MS = 1_500;
const KEY_FLAGS = ["--name", "console", "--plan", "enterprise", "--access", "admin", "--json"];

/** Runs before the scripts of the page. Rows count from the frame that shows them. */
const OBSERVE = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  window.rowsMs = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (document.querySelector("tbody tr") === null) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now()));
    }).observe(document, { childList: true, subtree: true });
  });
`;

export async function measureConsole(bench: Bench, engine: Engine): Promise<ConsoleRun> {
  const animals = bench.sizes.console;
  const title = `${ENGINES[engine]}, console`;
  showProgress(`${title}: creating ${animals} animals`);
  const store = await bench.stores.getListings(engine, animals);
  const { key } = JSON.parse(await runCommand(["keys", "create", ...KEY_FLAGS], store.environment));
  await buildConsole();
  const { server } = await startService(bench, store);
  const browser = await openBrowser();
  bench.scope.after(() => browser.close());
  const visitor = { browser, url: server.url, key };
  const loads: ConsoleLoad[] = [];
  // Round 0 warms up the service; its result is not stored.
  for (let round = 0; round <= bench.rounds; round++) {
    showProgress(`${title}, round ${round}`);
    const load = await measureLoads(visitor);
    if (round > 0) loads.push(load);
  }
  const shifts = await measureShifts(visitor);
  await browser.close();
  await server.stop();
  return { engine, animals, loads, shifts };
}

interface Visitor {
  browser: Browser;
  url: string;
  key: string;
}

/** A new context has an empty cache; its second page finds the files of the first. */
async function measureLoads(visitor: Visitor): Promise<ConsoleLoad> {
  const foreignShare = watchForeignLoad();
  const context = await openContext(visitor, WIDE);
  const times = async () => {
    const page = await openView(context, visitor.url, "animals");
    const firstRowsMs = Number(await page.evaluate("window.rowsMs"));
    const firstPaintMs = Number(
      await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
    );
    await page.close();
    return { firstPaintMs, firstRowsMs };
  };
  const load = { cold: await times(), warm: await times() };
  await context.close();
  return { ...load, foreignShare: foreignShare() };
}

/** The larger shift of a desktop and a phone. */
async function measureShifts(visitor: Visitor): Promise<ConsoleRun["shifts"]> {
  const shifts = new Map<string, number>();
  for (const viewport of [WIDE, PHONE]) {
    const context = await openContext(visitor, viewport);
    for (const view of VIEWS) {
      const page = await openView(context, visitor.url, view);
      await pause(SETTLE_MS);
      const shift = Number(await page.evaluate("window.shift"));
      shifts.set(view, Math.max(shift, shifts.get(view) ?? 0));
      await page.close();
    }
    await context.close();
  }
  return Object.fromEntries(shifts);
}

async function openContext({ browser, key }: Visitor, viewport: typeof WIDE): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(`sessionStorage.setItem("animal-store-key:/", ${JSON.stringify(key)});`);
  await context.addInitScript(OBSERVE);
  return context;
}

async function openView(context: BrowserContext, url: string, view: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/#${view}`);
  await page.locator("main h1").first().waitFor();
  return page;
}
