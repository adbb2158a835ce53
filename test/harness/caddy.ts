// Caddy with the Caddyfile of deploy/, on a free port, stopped with the test.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ERRORS } from "../../src/domain/errors.ts";
import { type Answer, call } from "./call.ts";
import { makeFolder } from "./folder.ts";
import { findProgram } from "./packages.ts";
import { findFreePort } from "./ports.ts";

const CADDYFILE = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));

/** Resolves to the address of the proxy once it answers. `trusted`: addresses whose X-Forwarded-For it keeps. */
export async function startCaddy(
  t: TestContext,
  nodePorts: number[],
  { trusted }: { trusted?: string } = {},
): Promise<string> {
  const port = await findFreePort();
  const folder = makeFolder(t);
  const child = spawn(findProgram("caddy"), ["run", "--config", CADDYFILE, "--adapter", "caddyfile"], {
    env: {
      HOME: folder,
      PROXY_LISTEN: `127.0.0.1:${port}`,
      PROXY_NODES: nodePorts.map((nodePort) => `127.0.0.1:${nodePort}`).join(" "),
      ...(trusted !== undefined && { PROXY_TRUSTED: trusted }),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (log += text));
  t.after(() => end(child));
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`Caddy ended with ${child.exitCode}: ${log}`);
    await pause(20);
  }
  return url;
}

/** The 503 of the proxy has the same form as the one of the service. */
export function assertUnavailable({ status, headers, json }: Answer): void {
  assert.equal(status, 503);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(headers["retry-after"], "1");
  assert.deepEqual(json, { code: "unavailable", ...ERRORS.unavailable });
}

function answers(url: string): Promise<boolean> {
  return call("GET", `${url}/healthz`).then(
    () => true,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
