// One Chromium for all test files, started for the first file that asks. Each file has its own browser context.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  BrowserServer,
  BrowserType,
} from "playwright-core";
import { findProgram } from "../runner/packages.ts";
import { STEP_MS } from "../runner/patience.ts";

/** No requests to other hosts. A container's root cannot use the sandbox. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // Pages of a context share one process. A process for each page takes 0.15 s more CPU time than the page itself.
  "--renderer-process-limit=1",
];

/** Without transitions, pages are painted less often. */
const CONTEXT: BrowserContextOptions = { reducedMotion: "reduce" };

/**
 * Called once, in the process that runs the test files. They read the address of this server from TEST_CHROMIUM_URL,
 * and it responds with the address of the browser. Resolves to the function that stops both.
 */
export async function offerChromium(): Promise<() => Promise<void>> {
  let launched: Promise<BrowserServer> | undefined;
  const server = createServer(async (_request, response) => {
    try {
      launched ??= launchChromium();
      response.end((await launched).wsEndpoint());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Must not keep the process alive when another part of the global setup fails.
  server.unref();
  process.env.TEST_CHROMIUM_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return async () => {
    server.close();
    await (await launched)?.close();
  };
}

/** The test runner handles the signals: it runs the global teardown, which stops the browser. */
async function launchChromium(): Promise<BrowserServer> {
  const chromium = await loadDriver();
  return chromium.launchServer({
    executablePath: findProgram("chromium"),
    args: FLAGS,
    headless: true,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/**
 * A context in the shared browser for one test file. A page in an existing context costs half the CPU time of a page in a
 * new one, because pages of the same context share processes and a window.
 */
export async function connectToChromium(t: TestContext): Promise<BrowserContext> {
  const address = process.env.TEST_CHROMIUM_URL;
  if (address === undefined) throw new Error("Run the tests by npm: it offers the browser that they need.");
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(`Chromium did not start: ${text}`);
  const browser = await (await loadDriver()).connect(text);
  // Closes the contexts that were opened through this connection, and no others.
  t.after(() => browser.close());
  const context = await newContext(browser);
  // Stays open: the window and its processes end with the last page.
  await context.newPage();
  return context;
}

/** Beside `context`, for tests that change more than their page. Closed by the caller. */
export async function openContext(
  context: BrowserContext,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const browser = context.browser();
  if (browser === null) throw new Error("This context does not belong to a browser.");
  return newContext(browser, options);
}

async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ ...CONTEXT, ...options });
  context.setDefaultTimeout(STEP_MS);
  return context;
}

/** Loaded on demand: it takes half a second, and every run of the tests imports this file. */
async function loadDriver(): Promise<BrowserType> {
  return (await import("playwright-core")).chromium;
}
