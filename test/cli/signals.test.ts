// Signals to the program, directly and through the launcher of the package.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { endOnSignal, listenForSignals } from "../../src/cli/signals.ts";

const cases: Record<string, { events: Array<[string, string?]>; counted: string[] }> = {
  "a signal to this process counts": { events: [["SIGTERM"]], counted: ["SIGTERM"] },
  "a signal to the launcher counts": { events: [["message", "SIGTERM"]], counted: ["SIGTERM"] },
  "a signal to both counts once": { events: [["SIGINT"], ["message", "SIGINT"]], counted: ["SIGINT"] },
  "a signal to both counts once in the other order": {
    events: [["message", "SIGINT"], ["SIGINT"]],
    counted: ["SIGINT"],
  },
  "two signals to both count twice": {
    events: [["SIGINT"], ["SIGINT"], ["message", "SIGINT"], ["message", "SIGINT"]],
    counted: ["SIGINT", "SIGINT"],
  },
  "two signals to the launcher count twice": {
    events: [
      ["message", "SIGTERM"],
      ["message", "SIGTERM"],
    ],
    counted: ["SIGTERM", "SIGTERM"],
  },
  "a signal to both and one to the launcher count twice": {
    events: [["SIGINT"], ["message", "SIGINT"], ["message", "SIGTERM"]],
    counted: ["SIGINT", "SIGTERM"],
  },
  "other messages do not count": { events: [["message", "SIGHUP"], ["message"]], counted: [] },
};
for (const [title, { events, counted }] of Object.entries(cases)) {
  test(title, () => {
    const source = new EventEmitter();
    const seen: string[] = [];
    listenForSignals(["SIGINT", "SIGTERM"], (signal) => seen.push(signal), source);
    for (const [event, message] of events) source.emit(event, message);
    assert.deepEqual(seen, counted);
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
