// A log that cannot be written: the service answers, counts the lines it drops, and stops as always.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import {
  assertServesAndStops,
  type LoggingService,
  openForWriting,
  startLogging,
} from "../harness/logging-service.ts";
import { openPipe } from "../harness/pipe.ts";

/** More than the service holds back for a reader that may return: 4 MiB, and what the pipe itself takes. */
const FLOOD = 18_000;

describe("a log that cannot be written", { concurrency: 3 }, () => {
  test("serves and stops after the reader of standard error has gone, as with 2>&1 | head", async (t) => {
    const pipe = openPipe(t);
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    pipe.closeWriteEnd();
    await pipe.readUntil(/listens on/);
    pipe.closeReadEnd();
    await service.flood(100);
    await untilDropped(service);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops when nobody has ever read standard output and error", async (t) => {
    const pipe = openPipe(t);
    pipe.closeReadEnd();
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    await untilDropped(service);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops after the reader of a socket has gone, and gathers no listeners", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, countingListeners);
    service.process.stderr?.destroy();
    for (let dropped = 0; dropped < 10; dropped++) await untilDropped(service, dropped);
    let printed = "";
    service.process.stdout?.setEncoding("utf8").on("data", (text) => (printed += text));
    service.process.kill("SIGUSR2");
    await assertServesAndStops(service, "SIGTERM");
    assert.match(printed, /^1 listeners$/m);
  });

  test("stops with 0 at the SIGINT that has ended its reader, as Ctrl-C with | tee", async (t) => {
    const pipe = openPipe(t);
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    pipe.closeWriteEnd();
    await service.flood(10);
    pipe.closeReadEnd();
    assert.equal(await service.stop("SIGINT"), 0);
  });

  test("serves and stops with standard output and error on a full disk", async (t) => {
    const full = openForWriting(t, "/dev/full");
    const service = await startLogging(t, { stdout: full, stderr: full });
    await service.flood(100);
    await untilDropped(service);
    await assertServesAndStops(service, "SIGINT");
  });

  test("serves and stops while nobody reads standard output and error, which are full", async (t) => {
    const pipe = openPipe(t);
    pipe.fill();
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    await service.flood(FLOOD);
    assert.ok((await service.linesDropped()) > 0);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops while nobody reads a socket that is standard error, as under systemd", async (t) => {
    const service = await startLogging(t, { stdout: "pipe", stderr: "pipe" });
    await service.flood(FLOOD);
    assert.ok((await service.linesDropped()) > 0);
    await assertServesAndStops(service, "SIGINT");
  });

  test("lines flow again when a reader returns, and one of them says how many are missing", async (t) => {
    const pipe = openPipe(t);
    pipe.fill();
    const service = await startLogging(t, { stderr: pipe.writeEnd });
    pipe.closeWriteEnd();
    const before = await service.linesDropped();
    await service.flood(FLOOD);
    const dropped = await service.linesDropped();
    const text = await pipe.readUntil(/log lines were dropped.*\n/);
    await service.call("GET", "/healthz", { headers: { "x-request-id": "after-the-gap" } });
    const lines = (text + (await pipe.readUntil(/"reqId":"after-the-gap".*\n/)))
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const records = lines.map((line) => JSON.parse(line));

    const gaps = records.filter(({ msg }) => msg.startsWith("log lines were dropped"));
    const flooded = records.filter(({ reqId }) => reqId === "i".repeat(128));
    assert.equal(before, 0);
    assert.equal(gaps.length, 1);
    assert.equal(gaps[0].level, 40);
    // The question for the number was itself answered after the gap had begun.
    assert.ok(gaps[0].lines >= dropped, `${gaps[0].lines} reported, ${dropped} counted`);
    assert.ok(flooded.length > 0 && flooded.length >= FLOOD - gaps[0].lines);
    assert.equal(await service.linesDropped(), gaps[0].lines);
    assert.equal(await service.stop("SIGTERM"), 0);
    assert.match(pipe.read(), /"msg":"stopped"/);
  });

  test("a named pipe that has lost its reader is written again to the next one", async (t) => {
    const pipe = openPipe(t);
    const service = await startLogging(t, { stderr: pipe.writeEnd });
    pipe.closeReadEnd();
    await untilDropped(service);
    pipe.reopenReadEnd();
    await service.call("GET", "/healthz", { headers: { "x-request-id": "for-the-next" } });
    const text = await pipe.readUntil(/"reqId":"for-the-next".*\n/);
    assert.match(text, /"msg":"log lines were dropped.*\n.*"reqId":"for-the-next"/s);
    assert.equal(await service.stop("SIGTERM"), 0);
  });

  test("writes readable lines to a terminal", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, onTerminal);
    let screen = "";
    service.process.stdout?.setEncoding("utf8").on("data", (text) => (screen += text));
    await service.flood(10);
    await assertServesAndStops(service, "SIGINT", pidBehind(service));
    assert.match(screen, /INFO.*: answered/);
    assert.match(screen, /INFO.*: stopped/);
  });

  test("serves and stops at a terminal that shows nothing more, as after Ctrl-S", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, onTerminal);
    await service.flood(2 * FLOOD);
    assert.ok((await service.linesDropped()) > 0);
    const pid = pidBehind(service);
    assert.equal((await service.call("GET", "/v1/pets")).status, 200);
    process.kill(pid, "SIGTERM");
    await untilEnded(pid);
    // `script` itself ends when somebody has read what it shows.
    service.process.stdout?.resume();
    assert.equal(await service.exitCode(), 0);
  });
});

/** With a signal that makes it print how many listen for errors of standard error. */
function countingListeners([program = "", ...args]: string[]): string[] {
  const print = 'console.log(process.stderr.listenerCount("error") + " listeners")';
  return [program, "--import", `data:text/javascript,process.on("SIGUSR2",()=>${print})`, ...args];
}

/** Under `script`, which gives a program a terminal and shows on its own output what the program writes. */
function onTerminal(command: string[]): string[] {
  return ["script", "--quiet", "--flush", "--return", "--command", `exec ${command.join(" ")}`, "/dev/null"];
}

/** Of the program that `script` runs. */
function pidBehind({ process: { pid } }: LoggingService): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

/** Gone, or a zombie that its parent has not asked about. */
async function untilEnded(pid: number): Promise<void> {
  const endMs = performance.now() + 15_000;
  const stateOf = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  while (existsSync(`/proc/${pid}`) && stateOf() !== "Z") {
    assert.ok(performance.now() < endMs, "the service has not ended");
    await pause(50);
  }
}

/** Each question for the number is a line of the log itself. */
async function untilDropped(service: LoggingService, before = 0): Promise<void> {
  while ((await service.linesDropped()) <= before) await pause(20);
}
