// The real program with a chosen standard output and error, and assertions that hold whatever happens to these.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Call, type CallOptions, createCall } from "../clients/call.ts";
import { environmentOf, runInHost } from "../clients/commands.ts";
import { sendRaw } from "../clients/socket.ts";
import { freshEngines } from "../runner/combination.ts";
import { findFreePort } from "./ports.ts";
import { mainCommand } from "./service.ts";

const ADMIN_KEY = "an-admin-key-for-tests-only";
const START_MS = 30_000;
/** Longer than a busy machine needs; a service that hangs never answers. */
const ANSWER_MS = 15_000;
const STOP_MS = 15_000;

type Stdio = number | "pipe" | "ignore";

export interface LoggingService {
  process: ChildProcess;
  call: Call;
  /** Sends `count` requests and waits for the responses; each writes about 300 bytes to the log. */
  flood(count: number): Promise<void>;
  linesDropped(): Promise<number>;
  /** Sends the signal to the service and resolves to the exit code. */
  stop(signal: NodeJS.Signals, pid?: number): Promise<number | null>;
  /** Fails when the process does not exit in time. */
  exitCode(): Promise<number | null>;
  /** Requests that the store has counted for a key; call it after the service has stopped. */
  storedRequests(keyId: number): Promise<number>;
}

/** Runs `serve`; `wrap` can put another program before the command. */
export async function startLogging(
  t: TestContext,
  { stdout = "ignore", stderr = "pipe" }: { stdout?: Stdio; stderr?: Stdio },
  wrap: (command: string[]) => string[] = (command) => command,
): Promise<LoggingService> {
  const port = await findFreePort();
  const environment = { ...(await freshEngines(t)), PORT: String(port), ADMIN_API_KEY: ADMIN_KEY };
  const [program = "", ...args] = wrap(mainCommand(["serve"]));
  const child = spawn(program, args, {
    env: environmentOf(environment),
    stdio: ["ignore", stdout, stderr],
  });
  t.after(() => child.kill("SIGKILL"));
  const call = withDeadline(createCall(`http://127.0.0.1:${port}`, ADMIN_KEY));
  await untilAnswering(call, child);

  async function exitCode(): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null)
      await inTime(once(child, "exit"), "the end of the service", STOP_MS);
    return child.exitCode;
  }

  return {
    process: child,
    call,
    async flood(count) {
      const id = "i".repeat(128);
      const request = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n`;
      const last = `${request}Connection: close\r\n\r\n`;
      const answers = await inTime(sendRaw(port, `${request}\r\n`.repeat(count - 1) + last), "a flood");
      assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, count);
    },
    async linesDropped() {
      const { text } = await call("GET", "/metrics");
      const [, count] = /^animal_store_log_lines_dropped_total (\d+)$/m.exec(text) ?? assert.fail(text);
      return Number(count);
    },
    stop(signal, pid = child.pid as number) {
      process.kill(pid, signal);
      return exitCode();
    },
    exitCode,
    async storedRequests(keyId) {
      const shown = await runInHost(["keys", "show", String(keyId)], environment);
      const [, left, limit] = /(\d+) of (\d+)/.exec(shown.stdout) ?? assert.fail(shown.stderr);
      return Number(limit) - Number(left);
    },
  };
}

/** Requests are answered, a signal ends the process with exit code 0, and its counts are stored. */
export async function assertServesAndStops(
  service: LoggingService,
  signal: NodeJS.Signals,
  pid?: number,
): Promise<void> {
  const created = await service.call("POST", "/v1/keys", { body: { name: "test", plan: "free" } });
  assert.equal(created.status, 201);
  const { id, key } = created.json;
  for (let round = 0; round < 3; round++) {
    assert.equal((await service.call("GET", "/v1/pets", { key })).status, 200);
    // Longer than the log buffers lines, so that a failing write happens before the next request.
    await pause(150);
  }
  assert.equal(await service.stop(signal, pid), 0);
  assert.equal(await service.storedRequests(id), 3);
}

export function openForWriting(t: TestContext, path: string): number {
  const fd = openSync(path, "w");
  t.after(() => closeSync(fd));
  return fd;
}

async function untilAnswering(call: Call, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + START_MS;
  for (;;) {
    const answer = await call("GET", "/healthz").catch(() => undefined);
    if (answer?.status === 200) return;
    assert.ok(performance.now() < endMs && child.exitCode === null, "the service has not started");
    await pause(50);
  }
}

function withDeadline(call: Call): Call {
  return (method: string, path: string, options?: CallOptions): Promise<Answer> =>
    inTime(call(method, path, options), `${method} ${path}`);
}

async function inTime<T>(work: Promise<T>, what: string, ms = ANSWER_MS): Promise<T> {
  const ended = new AbortController();
  const late = pause(ms, undefined, { signal: ended.signal }).then(() =>
    assert.fail(`${what} took ${ms} ms`),
  );
  return Promise.race([work, late]).finally(() => ended.abort());
}
