// The console in a browser: opens it, and checks which errors it logs and which addresses it requests.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { BrowserContext, BrowserContextOptions, Locator, Page, Route } from "playwright-core";
import { SCENE_MS, STEP_MS } from "../runner/patience.ts";
import { type AppHarness, startApp } from "../servers/app.ts";
import { sparingProcessor } from "../servers/images.ts";
import { hammerUntilBanned } from "./ban.ts";
import { connectToChromium, openContext } from "./chromium.ts";

const POLL_MS = 20;
/** Refusals within a second of the first one do not count towards a ban. */
const BAN_GRACE_MS = 1_000;
const OUTPUT = join(import.meta.dirname, "../../../test-output");

/**
 * Notices go after 6 or 8 seconds, which a slow machine takes between two steps of a test. Here they stay until they
 * are dismissed; tests of their time move `page.clock`.
 */
const KEEP_NOTICES = `{
  const later = window.setTimeout;
  window.setTimeout = (run, ms, ...values) => later(run, ms === 6000 || ms === 8000 ? 2 ** 31 - 1 : ms, ...values);
}`;

export interface ConsoleApp extends AppHarness {
  /** A stored key with access "admin", as the first start of the service creates it. */
  adminKey: string;
}

export interface ConsoleScene {
  app: ConsoleApp;
  context: BrowserContext;
  /** `openConsole` with the key of `app`, unless `options` say otherwise. */
  visit(t: TestContext, options?: Partial<OpenOptions>): Promise<Page>;
}

type Subtests = (t: TestContext, scene: ConsoleScene) => Promise<void>;

/** One service in this process and one browser context for all subtests of a file, perhaps with own settings. */
export function testConsole(name: string, ...rest: [Subtests] | [Record<string, string>, Subtests]): void {
  const [environment, subtests] = rest.length === 1 ? [{}, rest[0]] : rest;
  test(name, { timeout: SCENE_MS }, async (t) => {
    const [app, context] = await Promise.all([
      startApp(t, { startMs: Date.now(), environment, images: sparingProcessor() }),
      connectToChromium(t),
    ]);
    const { key: adminKey } = await app.createKey({ name: "First key", plan: "enterprise", access: "admin" });
    const visit: ConsoleScene["visit"] = (t, options) =>
      openConsole(t, context, { url: app.url, key: adminKey, ...options });
    await subtests(t, { app: { ...app, adminKey }, context, visit });
  });
}

export interface OpenOptions {
  url: string;
  /** The console is signed in with this key; without it the sign-in form is shown. */
  key?: string | undefined;
  /** The place in the fragment, such as `orders`; the list of animals if absent, and empty for the first page. */
  at?: string;
  /** Error statuses that the test provokes: the browser logs an error for each. */
  expected?: number[];
  /** The test also provokes requests without a response. */
  isCut?: boolean;
  /** Opens a context for this page alone. Needed by `page.clock`, which changes every page of a context. */
  ownContext?: BrowserContextOptions;
}

/**
 * Opens the console in a new tab. When the test ends, the page must have logged no error, requested nothing
 * from another host, put no key into an address, and received no 403.
 */
export async function openConsole(
  t: TestContext,
  context: BrowserContext,
  options: OpenOptions,
): Promise<Page> {
  const { url, key, at = "animals", expected = [], isCut = false, ownContext } = options;
  const { page, close } = await openPage(context, ownContext);
  const errors: string[] = [];
  const requested: string[] = [];
  const statuses: number[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("response", (response) => statuses.push(response.status()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    const status = Number(/status of (\d+)/.exec(message.text())?.[1]);
    if (isCut && message.text().includes("net::ERR_")) return;
    if (message.type() === "error" && !expected.includes(status)) errors.push(message.text());
  });
  t.after(async () => {
    await close();
    assert.deepEqual(errors, []);
    const isForeign = (address: string) => !address.startsWith(`${url}/`) && !address.startsWith("data:");
    assert.ok(requested.includes(`${url}/`));
    assert.deepEqual(requested.filter(isForeign), []);
    assert.deepEqual(
      requested.filter((address) => address.includes("ask_live_")),
      [],
    );
    assert.ok(!statuses.includes(403), "the console tries nothing that the key may not do");
  });
  if (key !== undefined) await page.addInitScript(storeKeyScript(url, key));
  await page.goto(`${url}/#${at}`);
  if (key !== undefined) await page.locator("nav.places").waitFor();
  return page;
}

async function openPage(
  context: BrowserContext,
  ownContext: OpenOptions["ownContext"],
): Promise<{ page: Page; close(): Promise<void> }> {
  if (ownContext !== undefined) {
    const own = await openContext(context, ownContext);
    return { page: await own.newPage(), close: () => own.close() };
  }
  const page = await context.newPage();
  await page.addInitScript(KEEP_NOTICES);
  Object.defineProperty(page, "clock", {
    get: () => assert.fail("page.clock needs a page that was opened with ownContext"),
  });
  return { page, close: () => page.close() };
}

/** Faster than the sign-in form. Runs at every load of the page, but stores the key at the first one only. */
function storeKeyScript(url: string, key: string): string {
  const item = `animal-store-key:${new URL(`${url}/`).pathname}`;
  return `if (window.name === "") {
    window.name = "opened by a test";
    sessionStorage.setItem(${JSON.stringify(item)}, ${JSON.stringify(key)});
  }`;
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("nav.places").waitFor();
}

/** Without a window, `document.visibilityState` cannot be changed from outside. */
export async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  const value = isVisible ? "visible" : "hidden";
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${value}" });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

/** All requests to this address but the first `passing` ones wait until the returned function is called. */
export async function hold(page: Page, address: string, passing = 0): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  let seen = 0;
  await page.route(address, async (route) => {
    seen += 1;
    if (seen > passing) await held.promise;
    // The page may have aborted the request before.
    await route.continue().catch(() => {});
  });
  return held.resolve;
}

/** As `hold`, but the service responds first: `read` resolves when it has. */
export async function holdResponse(page: Page, address: string, options: { times?: number } = {}) {
  const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answerLate = async (route: Route) => {
    const response = await route.fetch();
    read.resolve();
    await held.promise;
    // The page may have aborted the request before.
    await route.fulfill({ response }).catch(() => {});
  };
  await page.route(address, answerLate, options);
  return { read: read.promise, release: held.resolve };
}

/** A response for `route.fulfill`. */
export function refusal(status: number, code: string, message: string) {
  return { status, json: { code, message, status } };
}

export function rowOf(page: Page, text: string): Locator {
  return page.getByRole("row").filter({ hasText: text });
}

export function notice(page: Page, text: string | RegExp): Locator {
  return page.getByRole("status").filter({ hasText: text });
}

export function button(page: Page, name: string | RegExp): Locator {
  return page.getByRole("button", { name, exact: true });
}

/** Chooses an action of an animal in its row. */
export async function act(page: Page, name: string, action: string, label = "Actions for"): Promise<void> {
  await page.getByRole("button", { name: `${label} ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Moves the clock of the service, so that the refusals after the first one count. */
export async function banKey({ call, clock }: AppHarness, key: string): Promise<void> {
  let status: number;
  do ({ status } = await call("GET", "/pets", { key }));
  while (status !== 429);
  clock.advance(BAN_GRACE_MS);
  await hammerUntilBanned(call, key);
}

/** Waits for a confirmation and cancels it with Escape. `action` is the label of its confirming button. */
export async function cancelConfirmation(page: Page, action: string): Promise<void> {
  const button = page.getByRole("button", { name: action });
  await button.waitFor();
  await page.keyboard.press("Escape");
  await button.waitFor({ state: "detached" });
}

/**
 * As on a busy machine: no timer and no animation frame runs by itself, so nothing that the page does after its next
 * paint. The page needs its own context.
 */
export async function stopTimers(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Waits until the dialog is open: before that, it ignores keys. */
export async function readSecret(page: Page): Promise<string> {
  const secret = page.locator(".secret");
  await secret.waitFor();
  return (await secret.textContent()) ?? "";
}

/** Polls until the page shows `wanted`; otherwise fails with the value that it showed last. */
export async function untilShown<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  const endMs = performance.now() + STEP_MS;
  let found = await read();
  while (!isDeepStrictEqual(found, wanted) && performance.now() < endMs) {
    await pause(POLL_MS);
    found = await read();
  }
  assert.deepEqual(found, wanted);
}

/** Saved to test-output for people to look at, when TEST_SCREENSHOTS is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.TEST_SCREENSHOTS === undefined) return;
  mkdirSync(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`) });
}
