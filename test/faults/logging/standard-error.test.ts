// A log that cannot be written: the service still answers, counts the dropped lines, and stops normally.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openPipe } from "../../harness/clients/pipe.ts";
import {
  assertServesAndStops,
  type LoggingService,
  openForWriting,
  startLogging,
} from "../../harness/servers/logging-service.ts";
import { FLOOD_LINES, floodingAtSignal, floodUntilDropped, untilDropped } from "./flood.ts";

const ESCAPE = "\u001b";

describe("a log that cannot be written", { concurrency: 3 }, () => {
  test("serves and stops after the reader of standard error has closed, as with 2>&1 | head", async (t) => {
    const pipe = openPipe(t);
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    pipe.closeWriteEnd();
    await pipe.readUntil(/listens on/);
    pipe.closeReadEnd();
    await service.flood(100);
    await untilDropped(service);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops if the reader of standard output and error was closed before the start", async (t) => {
    const pipe = openPipe(t);
    pipe.closeReadEnd();
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd });
    await untilDropped(service);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops after the reader of a socket has closed", async (t) => {
    const service = await startLogging(t, {});
    service.process.stderr?.destroy();
    for (let dropped = 0; dropped < 10; dropped++) await untilDropped(service, dropped);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("stops with 0 on a SIGINT that also ends its reader, as Ctrl-C with | tee", async (t) => {
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

  test("serves and stops while standard output and error are a full pipe", async (t) => {
    const pipe = openPipe(t);
    pipe.fill();
    const service = await startLogging(t, { stdout: pipe.writeEnd, stderr: pipe.writeEnd }, floodingAtSignal);
    await floodUntilDropped(service);
    await assertServesAndStops(service, "SIGTERM");
  });

  test("serves and stops while standard error is a socket that is not read, as under systemd", async (t) => {
    const service = await startLogging(t, { stdout: "pipe", stderr: "pipe" }, floodingAtSignal);
    await floodUntilDropped(service);
    await assertServesAndStops(service, "SIGINT");
  });

  test("writes lines again when the reader returns, and one line says how many were dropped", async (t) => {
    const pipe = openPipe(t);
    pipe.fill();
    const service = await startLogging(t, { stderr: pipe.writeEnd }, floodingAtSignal);
    pipe.closeWriteEnd();
    const before = await service.linesDropped();
    const dropped = await floodUntilDropped(service);
    const text = await pipe.readUntil(/log lines were dropped.*\n/);
    await service.call("GET", "/healthz", { headers: { "x-request-id": "after-the-gap" } });
    const lines = (text + (await pipe.readUntil(/"reqId":"after-the-gap".*\n/)))
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const records = lines.map((line) => JSON.parse(line));

    const gaps = records.filter(({ msg }) => msg.startsWith("log lines were dropped"));
    const flooded = records.filter(({ err }) => err?.message.startsWith("flood"));
    assert.equal(before, 0);
    assert.equal(gaps.length, 1);
    assert.equal(gaps[0].level, 40);
    // The request for the number is logged too, after the gap has begun.
    assert.ok(gaps[0].lines >= dropped, `${gaps[0].lines} reported, ${dropped} counted`);
    assert.ok(flooded.length > 0 && flooded.length >= FLOOD_LINES - gaps[0].lines);
    assert.equal(await service.linesDropped(), gaps[0].lines);
    assert.equal(await service.stop("SIGTERM"), 0);
    assert.match(pipe.read(), /"msg":"stopped"/);
  });

  test("writes to the next reader of a named pipe after the first has closed", async (t) => {
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
});

describe("a log on a terminal", { concurrency: 3 }, () => {
  test("writes one line per request to a terminal, without secrets", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, (command) =>
      onTerminal(["env", "TERM=xterm", "NO_COLOR=1", ...command]),
    );
    const screen = readScreen(service);
    const key = (await service.call("POST", "/v1/keys", { body: { name: "Web\u202esite", plan: "free" } }))
      .json.key;
    // The first request of a key goes through the framework, the second through the fast path.
    for (const path of [
      "/v1/pets?status=sold&token=secret",
      "/v1/pets?limit=5&token=secret",
      `/v1/${key}?token=secret`,
    ])
      await service.call("GET", path, { key });
    await assertServesAndStops(service, "SIGINT", pidUnderScript(service));
    const lines = screen.text().split("\r\n");
    const shown = lines.filter((line) => line.includes("key 1"));
    assert.equal(shown.length, 3, screen.text());
    assert.match(
      shown[0] ?? "",
      /^[\d:]{8} {2}GET {6}\/v1\/pets\?status=sold +200 +[\d.]+ ms {2}key 1 "Web\\u202esite"$/,
    );
    assert.match(shown[1] ?? "", /GET {6}\/v1\/pets\?limit=5 +200/);
    assert.match(shown[2] ?? "", /GET {6}\/v1\/ask_… +404/);
    assert.ok(
      lines.some((line) => /^[\d:]{8} {2}INFO {3}stopped$/.test(line)),
      screen.text(),
    );
    assert.equal(screen.text().includes("secret"), false);
    assert.equal(screen.text().includes(ESCAPE), false);
  });

  test("colours the status on a terminal that has colours", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, (command) =>
      onTerminal(["env", "TERM=xterm", ...command]),
    );
    const screen = readScreen(service);
    await service.call("GET", "/nowhere");
    assert.equal(await service.stop("SIGTERM", pidUnderScript(service)), 0);
    assert.match(screen.text().replaceAll(ESCAPE, "ESC"), /\/nowhere +ESC\[33m404ESC\[39m/);
  });

  test("serves and stops on a terminal that is paused, as after Ctrl-S", async (t) => {
    const service = await startLogging(t, { stdout: "pipe" }, (command) =>
      onTerminal(floodingAtSignal(command)),
    );
    const pid = pidUnderScript(service);
    await floodUntilDropped(service, pid);
    assert.equal((await service.call("GET", "/v1/pets")).status, 200);
    process.kill(pid, "SIGTERM");
    await untilEnded(pid);
    // `script` ends only after its output was read.
    service.process.stdout?.resume();
    assert.equal(await service.exitCode(), 0);
  });
});

/** Runs a command under `script`, which gives it a terminal and copies its output. */
function onTerminal(command: string[]): string[] {
  const quoted = command.map((word) => `'${word}'`);
  return ["script", "--quiet", "--flush", "--return", "--command", `exec ${quoted.join(" ")}`, "/dev/null"];
}

function readScreen(service: LoggingService): { text(): string } {
  let screen = "";
  service.process.stdout?.setEncoding("utf8").on("data", (text) => (screen += text));
  return { text: () => screen };
}

/** The process that `script` has started. */
function pidUnderScript({ process: { pid } }: LoggingService): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

/** Resolves when the process has ended; a zombie counts as ended. */
async function untilEnded(pid: number): Promise<void> {
  const endMs = performance.now() + 15_000;
  const stateOf = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  while (existsSync(`/proc/${pid}`) && stateOf() !== "Z") {
    assert.ok(performance.now() < endMs, "the service has not ended");
    await pause(50);
  }
}
