// The last lines of the log reach the reader of standard error, however the service ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { NO_ENV_FILE } from "../../harness/clients/commands.ts";
import { openPipe } from "../../harness/clients/pipe.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { openForWriting, startLogging } from "../../harness/servers/logging-service.ts";
import { mainCommand } from "../../harness/servers/service.ts";
import { onSignal } from "./flood.ts";

/** A start with an invalid PORT fails immediately. */
async function failToStart(stderr: number): Promise<number | null> {
  const [program = "", ...args] = mainCommand(["serve"]);
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...NO_ENV_FILE, PORT: "none" },
    stdio: ["ignore", stderr, stderr],
  });
  await once(child, "exit");
  return child.exitCode;
}

describe("the last lines of the log", { concurrency: 3 }, () => {
  test("a start that fails writes the reason to a pipe", async (t) => {
    const pipe = openPipe(t);
    assert.equal(await failToStart(pipe.writeEnd), 1);
    assert.match(pipe.read(), /animal-store: .*PORT/s);
  });

  test("a start that fails exits with 1 even if the reason cannot be written", async (t) => {
    const unread = openPipe(t);
    unread.fill();
    assert.equal(await failToStart(unread.writeEnd), 1);
    const closed = openPipe(t);
    closed.closeReadEnd();
    assert.equal(await failToStart(closed.writeEnd), 1);
    assert.equal(await failToStart(openForWriting(t, "/dev/full")), 1);
  });

  test("a file gets every line of the log and of the welcome message, in order", async (t) => {
    const path = join(makeFolder(t), "log");
    const file = openForWriting(t, path);
    const service = await startLogging(t, { stdout: file, stderr: file });
    await service.flood(50);
    assert.equal(await service.stop("SIGTERM"), 0);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    assert.equal(lines.filter((line) => line.includes('"reqId":"iii')).length, 50);
    assert.ok(lines.some((line) => /^Animal Store \S+ listens on/.test(line)));
    assert.match(lines.at(-1) ?? "", /"msg":"stopped"/);
  });

  test("an uncaught exception is logged with its stack and ends the service with 1", async (t) => {
    const { pipe, service } = await startOnPipe(t, "throw new Error('a bug of ours')");
    assert.equal(await service.stop("SIGUSR2"), 1);
    const last = JSON.parse(pipe.read().trimEnd().split("\n").at(-1) ?? "");
    assert.equal(last.level, 60);
    assert.match(last.err.stack, /a bug of ours\n +at /);
  });

  test("an uncaught exception ends the service with 1 after the reader of a pipe has closed", async (t) => {
    const { pipe, service } = await startOnPipe(t, "throw new Error('a bug of ours')");
    pipe.closeReadEnd();
    assert.equal(await service.stop("SIGUSR2"), 1);
  });

  test("a warning of Node is logged", async (t) => {
    const { pipe, service } = await startOnPipe(t, "process.emitWarning('something is odd')");
    process.kill(service.process.pid as number, "SIGUSR2");
    const text = await pipe.readUntil(/something is odd.*\n/);
    const line = text.split("\n").find((each) => each.includes("something is odd"));
    assert.equal(JSON.parse(line ?? "").level, 40);
  });
});

/** Runs `code` in the service at SIGUSR2. */
async function startOnPipe(t: TestContext, code: string) {
  const pipe = openPipe(t);
  const service = await startLogging(t, { stderr: pipe.writeEnd }, onSignal(code));
  return { pipe, service };
}
