// A real Chromium: from CHROMIUM, from the path, or from Debian's packages where they may be installed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { type Browser, chromium } from "playwright-core";

const KNOWN_PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** A browser of its own, quiet towards the network; a container's root cannot use the sandbox. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  ...["--disable-sync", "--no-first-run"],
];

export async function startChromium(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS, headless: true });
  t.after(() => browser.close());
  return browser;
}

function findChromium(): string {
  const found = [process.env.CHROMIUM ?? "", ...KNOWN_PLACES].find(existsSync);
  return found ?? installChromium();
}

function installChromium(): string {
  const [place = ""] = KNOWN_PLACES;
  try {
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    execFileSync("apt-get", ["update"], options);
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], options);
  } catch (cause) {
    throw new Error("The browser tests need Chromium: install it, or set CHROMIUM to its path.", { cause });
  }
  return place;
}
