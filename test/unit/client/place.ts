// The runtimes in which the client is tested: this process, and a page in Chromium with the bundle of a web site.

import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { build } from "esbuild";
import type { BrowserContext } from "playwright-core";
import { createClient } from "../../../client/src/client.ts";
import { listen } from "../../harness/servers/listen.ts";

export interface Tools {
  createClient: typeof createClient;
  /** Replaces the waits of the client. */
  sleep(ms: number): Promise<void>;
}

export interface Place {
  /** `task` runs in the runtime: it can use its arguments only, and `argument` must be JSON. */
  run<A, R>(task: (tools: Tools, argument: A) => Promise<R>, argument: A): Promise<R>;
}

export type OpenPlace = (t: TestContext, sleep: Tools["sleep"]) => Promise<Place>;

export const openHere: OpenPlace = async (_t, sleep) => ({
  run: (task, argument) => task({ createClient, sleep }, argument),
});

/** A page of another origin than the service. */
export function openIn(context: BrowserContext, bundle: string): OpenPlace {
  return async (t, sleep) => {
    const page = await context.newPage();
    t.after(() => page.close());
    await page.exposeFunction("sleepInTest", sleep);
    await page.goto(await servePage(t, bundle));
    return {
      run: (task, argument) => {
        const tools = "{ createClient: AnimalStore.createClient, sleep: (ms) => sleepInTest(ms) }";
        return page.evaluate(`(${task})(${tools}, ${JSON.stringify(argument)})`);
      },
    };
  };
}

export async function bundleClient(): Promise<string> {
  const entry = join(import.meta.dirname, "../../../client/src/client.ts");
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "iife",
    globalName: "AnimalStore",
  });
  return outputFiles[0]?.text ?? "";
}

async function servePage(t: TestContext, bundle: string): Promise<string> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? bundle : '<!doctype html><title>Test</title><script src="/client.js"></script>');
  });
  const address = await listen(t, server);
  return `${address}/`;
}
