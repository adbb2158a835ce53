// The console in a browser, watched: what it complains about, and whom it asks.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { startChromium } from "./chromium.ts";
import { type Service, startService } from "./service.ts";

const PATIENCE_MS = 20_000;
const ASK_EVERY_MS = 20;
const OUTPUT = join(import.meta.dirname, "../../test-output");

export interface OpenOptions extends BrowserContextOptions {
  url: string;
  /** Signed in with this key; without it the way in is shown. */
  key?: string | undefined;
  /** Statuses that the test provokes: the browser itself writes a line about each. */
  expected?: number[];
}

/** At the end of the test it must have been quiet, and must have asked nobody but the service. */
export async function openConsole(t: TestContext, browser: Browser, options: OpenOptions): Promise<Page> {
  const { url, key, expected = [], ...more } = options;
  const context = await browser.newContext(more);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  const statuses: number[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("response", (response) => statuses.push(response.status()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const status = Number(/status of (\d+)/.exec(message.text())?.[1]);
    if (message.type() === "error" && !expected.includes(status)) complaints.push(message.text());
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
    assert.deepEqual(
      asked.filter((each) => !each.startsWith(`${url}/`) && !each.startsWith("data:")),
      [],
    );
    assert.ok(
      asked.every((each) => !each.includes("ask_live_")),
      "no key is in an address",
    );
    assert.ok(!statuses.includes(403), "what the key may not do is not tried");
  });
  await page.goto(`${url}/`);
  if (key !== undefined) await signIn(page, key);
  return page;
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** One service and one browser for all parts of a test file. */
export function testConsole(
  name: string,
  parts: (t: TestContext, scene: { service: Service; browser: Browser }) => Promise<void>,
): void {
  test(name, { timeout: 280_000 }, async (t) => {
    const [service, browser] = await Promise.all([startService(t), startChromium(t)]);
    await parts(t, { service, browser });
  });
}

/** Turns a question down: not before it is there, and until it is gone. `answer` is the button that would say yes. */
export async function turnDown(page: Page, answer: string): Promise<void> {
  const button = page.getByRole("button", { name: answer });
  await button.waitFor();
  await page.keyboard.press("Escape");
  await button.waitFor({ state: "detached" });
}

/** A page follows its data in its own time: asks again until it shows `wanted`, and fails with what it showed last. */
export async function untilShown<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  let found = await read();
  while (!isDeepStrictEqual(found, wanted) && performance.now() < endMs) {
    await pause(ASK_EVERY_MS);
    found = await read();
  }
  assert.deepEqual(found, wanted);
}

/** Kept as test output, to be looked at. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`) });
}
