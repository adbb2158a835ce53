// Signals to the program, directly and through the launcher of the package, and the time limit of a stop.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { endOnSignal, listenForSignals, stopInTime, untilSignal } from "../../src/cli/signals.ts";

/** A relayed signal comes as a message of the launcher. */
const CASES: Record<string, { events: string; counted: string }> = {
  "a signal to this process counts": { events: "SIGTERM", counted: "SIGTERM" },
  "a signal to the launcher counts": { events: "message:SIGTERM", counted: "SIGTERM" },
  "a signal to both counts once": { events: "SIGINT message:SIGINT", counted: "SIGINT" },
  "a signal to both counts once in the other order": { events: "message:SIGINT SIGINT", counted: "SIGINT" },
  "two signals to both count twice": {
    events: "SIGINT SIGINT message:SIGINT message:SIGINT",
    counted: "SIGINT SIGINT",
  },
  "two signals to the launcher count twice": {
    events: "message:SIGTERM message:SIGTERM",
    counted: "SIGTERM SIGTERM",
  },
  "a signal to both and one to the launcher count twice": {
    events: "SIGINT message:SIGINT message:SIGTERM",
    counted: "SIGINT SIGTERM",
  },
  "other messages do not count": { events: "message:SIGHUP message", counted: "" },
};
for (const [title, { events, counted }] of Object.entries(CASES)) {
  test(title, () => {
    const source = new EventEmitter();
    const seen: string[] = [];
    listenForSignals(["SIGINT", "SIGTERM"], (signal) => seen.push(signal), source);
    for (const event of events.split(" ")) {
      const [name = "", message] = event.split(":");
      source.emit(name, message);
    }
    assert.equal(seen.join(" "), counted);
  });
}

test("a signal ends a command after its clean-up, with 128 plus the number of the signal", async () => {
  const source = new EventEmitter();
  const codes: number[] = [];
  const { promise: cleaned, resolve: clean } = Promise.withResolvers<void>();
  endOnSignal(
    () => cleaned,
    source,
    (code) => codes.push(code),
  );
  source.emit("SIGHUP");
  await nextTick();
  assert.deepEqual(codes, []);
  clean();
  await nextTick();
  assert.deepEqual(codes, [129]);
});

test("a second signal ends a command whose clean-up takes too long", () => {
  const source = new EventEmitter();
  const codes: number[] = [];
  endOnSignal(
    () => new Promise<void>(() => {}),
    source,
    (code) => codes.push(code),
  );
  source.emit("SIGTERM");
  assert.deepEqual(codes, []);
  source.emit("SIGINT");
  assert.deepEqual(codes, [130]);
});

test("the first signal stops the service, the second ends the process with 1", async () => {
  for (const [first, second] of [
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
    ["SIGINT", "SIGTERM"],
  ] as const) {
    const source = new EventEmitter();
    const exits: number[] = [];
    const stopped = untilSignal(source, (code) => exits.push(code));
    source.emit(first, first);
    assert.equal(await stopped, first);
    assert.deepEqual(exits, []);
    source.emit(second, second);
    assert.deepEqual(exits, [1]);
  }
});

test("a listener is present at every moment, so that no signal kills the process", () => {
  const source = new EventEmitter();
  let listenersMin = Number.POSITIVE_INFINITY;
  source.on("removeListener", (signal: string) => {
    listenersMin = Math.min(listenersMin, source.listenerCount(signal));
  });
  void untilSignal(source, () => {});
  for (const signal of ["SIGTERM", "SIGINT", "SIGTERM"]) {
    source.emit(signal, signal);
    for (const each of ["SIGTERM", "SIGINT"])
      listenersMin = Math.min(listenersMin, source.listenerCount(each));
  }
  assert.ok(listenersMin >= 1, `${listenersMin} listeners`);
});

test("requests get 5 s after the drain, and connections are cut in time for an exit within 10 s", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const drainMs = 3_000;
  let isCut = false;
  const stopped = Promise.withResolvers<void>();
  const server = {
    closeAllConnections() {
      isCut = true;
      stopped.resolve();
    },
  };
  const service = { app: { server }, stop: () => stopped.promise } as never;
  const ended = stopInTime(service, drainMs);
  t.mock.timers.tick(drainMs + 5_000);
  assert.equal(isCut, false, "a request may still run");
  t.mock.timers.tick(4_000);
  assert.equal(isCut, true, "1 s is left for the rest of the stop");
  await ended;
});

test("a stop that ends early leaves no timer", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isCut = false;
  const server = { closeAllConnections: () => (isCut = true) };
  await stopInTime({ app: { server }, stop: async () => {} } as never, 0);
  t.mock.timers.tick(60_000);
  assert.equal(isCut, false);
});
