// Starts a reverse proxy of deploy/ as a process, waits until it answers, and ends it with the test.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import https from "node:https";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ERRORS } from "../../../src/domain/basics/errors.ts";
import { type Answer, type CallOptions, call } from "../clients/call.ts";

export interface TlsProxy {
  /** The https address. */
  url: string;
  /** The address that redirects to https. */
  plainUrl: string;
  /** The certificate of the authority that the proxy's own certificate is from. */
  ca: string;
  /** An agent for a client with this address, one of 127.0.0.0/8. */
  agentOf(address?: string): https.Agent;
}

export function createTlsProxy(
  t: TestContext,
  addresses: Pick<TlsProxy, "url" | "plainUrl" | "ca">,
): TlsProxy {
  return {
    ...addresses,
    agentOf(address = "127.0.0.1") {
      const agent = new https.Agent({ ca: addresses.ca, localAddress: address, family: 4, keepAlive: true });
      t.after(() => agent.destroy());
      return agent;
    },
  };
}

export interface ProxyProcess {
  program: string;
  args: string[];
  env: Record<string, string>;
  /** Ends it at once, with its children. */
  endSignal: NodeJS.Signals;
}

/** Resolves once `check` does not throw any more. */
export async function startProxyProcess<T>(
  t: TestContext,
  { program, args, env, endSignal }: ProxyProcess,
  check: () => Promise<T> | T,
): Promise<T> {
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (log += text));
  t.after(() => end(child, endSignal));
  for (;;) {
    try {
      return await check();
    } catch {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${log}`);
      await pause(20);
    }
  }
}

/** Throws while nothing listens there. Any status is an answer. */
export function requireAnswer(url: string, options: CallOptions = {}): Promise<Answer> {
  return call("GET", `${url}/healthz`, options);
}

/** The 503 of the proxy has the same form as the one of the service. */
export function assertUnavailable({ status, headers, json }: Answer): void {
  assert.equal(status, 503);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(headers["retry-after"], "1");
  assert.deepEqual(json, { code: "unavailable", ...ERRORS.unavailable });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
