// The stop as `serve` controls it: signals and time limits, with timers that the test moves.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { stopInTime, untilSignal } from "../../src/cli/signals.ts";

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

test("a stop that ends early leaves no timer behind", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isCut = false;
  const server = { closeAllConnections: () => (isCut = true) };
  await stopInTime({ app: { server }, stop: async () => {} } as never, 0);
  t.mock.timers.tick(60_000);
  assert.equal(isCut, false);
});
