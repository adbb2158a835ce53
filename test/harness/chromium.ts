// A real Chromium, driven by the tests.

import type { TestContext } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { findProgram } from "./packages.ts";

/** A browser of its own, quiet towards the network; a container's root cannot use the sandbox. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  ...["--disable-sync", "--no-first-run"],
];

export async function startChromium(t: TestContext): Promise<Browser> {
  const executablePath = findProgram("chromium");
  const browser = await chromium.launch({ executablePath, args: FLAGS, headless: true });
  t.after(() => browser.close());
  return browser;
}
