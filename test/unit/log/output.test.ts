// The buffered output, with a sink that accepts as many bytes as the test allows.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import fc from "fast-check";
import { createOutput, type Sink } from "../../../src/log/output.ts";

const MIB = 2 ** 20;

interface ManualSink extends Sink {
  received: string;
  /** Accepts at most this many bytes of the pending write, if there is one. */
  take(bytes: number): Promise<void>;
  fail(): Promise<void>;
}

function createSink(): ManualSink {
  let pending: { bytes: Buffer; result: PromiseWithResolvers<number> } | undefined;
  function endWrite(apply: (write: NonNullable<typeof pending>) => void): Promise<void> {
    const write = pending;
    pending = undefined;
    if (write !== undefined) apply(write);
    return yieldToEventLoop();
  }
  const sink: ManualSink = {
    received: "",
    write(bytes) {
      pending = { bytes, result: Promise.withResolvers() };
      return pending.result.promise;
    },
    writeNow: () => {},
    take: (count) =>
      endWrite(({ bytes, result }) => {
        sink.received += bytes.subarray(0, count).toString();
        result.resolve(Math.min(count, bytes.length));
      }),
    fail: () => endWrite(({ result }) => result.reject(new Error("no space"))),
  };
  return sink;
}

function start(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sink = createSink();
  const output = createOutput(sink, (lines) => `gap ${lines}\n`);
  return { sink, output, tick: () => t.mock.timers.tick(100) };
}

test("writes lines together after 0.1 s, or earlier when there are many", async (t) => {
  const { sink, output, tick } = start(t);
  output.write("one\n");
  output.write("two\nthree\n");
  await sink.take(MIB);
  assert.equal(sink.received.length, 0);
  tick();
  await sink.take(MIB);
  assert.equal(sink.received, "one\ntwo\nthree\n");
  output.write(`${"x".repeat(66_000)}\n`);
  await sink.take(MIB);
  assert.equal(sink.received.length, 14 + 66_001);
});

test("buffers at most 4 MiB for a sink that accepts nothing, and reports the gap once, in its place", async (t) => {
  const { sink, output, tick } = start(t);
  const line = `${"x".repeat(65_535)}\n`;
  for (let count = 0; count < 100; count++) output.write(line);
  const dropped = output.linesDropped();
  assert.ok(dropped >= 100 - 65 && dropped < 100, `${dropped} dropped`);
  while (!sink.received.includes("gap")) await sink.take(100_000);
  output.write("after\n");
  tick();
  await sink.take(MIB);
  assert.equal(sink.received, `${line.repeat(100 - dropped)}gap ${dropped}\nafter\n`);
});

test("drops the lines of a failed write, and reports their number with the next write that succeeds", async (t) => {
  const { sink, output, tick } = start(t);
  output.write("one\ntwo\n");
  tick();
  await sink.fail();
  assert.equal(output.linesDropped(), 2);
  output.write("three\n");
  tick();
  await sink.fail();
  output.write("four\n");
  tick();
  await sink.take(MIB);
  await sink.take(MIB);
  assert.equal(sink.received, "gap 3\n");
  tick();
  await sink.take(MIB);
  assert.equal(sink.received, "gap 3\nfour\n");
});

test("starts a new line after a line that was cut off", async (t) => {
  const { sink, output, tick } = start(t);
  output.write("one\ntwo\n");
  tick();
  await sink.take(5);
  await sink.fail();
  output.write("three\n");
  tick();
  await sink.take(MIB);
  tick();
  await sink.take(MIB);
  assert.equal(sink.received, "one\nt\ngap 1\nthree\n");
});

test("close() waits for the last write, but at most a second", async (t) => {
  const { sink, output } = start(t);
  output.write("one\n");
  const closed = output.close();
  await sink.take(MIB);
  await closed;
  assert.equal(sink.received, "one\n");

  const stuck = createOutput(createSink(), () => "");
  stuck.write("two\n");
  const given = stuck.close();
  t.mock.timers.tick(1_000);
  await given;
});

test("writes every line once and in order, or counts it as dropped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const step = fc.oneof(
    fc.record({ write: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 600_000 }) }),
    fc.constant("fail" as const),
    fc.constant("tick" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const sink = createSink();
      const output = createOutput(sink, (lines) => `gap ${lines}\n`);
      let written = 0;
      for (const each of steps) {
        if (each === "fail") await sink.fail();
        else if (each === "tick") t.mock.timers.tick(100);
        else if ("take" in each) await sink.take(each.take);
        else {
          const numbers = Array.from({ length: each.write }, () => written++);
          output.write(numbers.map((number) => `${number} ${"x".repeat(60_000)}.\n`).join(""));
        }
      }
      void output.close();
      for (let round = 0; round < 10; round++) await sink.take(10 * MIB);

      const numbers = [...sink.received.matchAll(/^(\d+) x+\.$/gm)].map(([, number]) => Number(number));
      const gaps = [...sink.received.matchAll(/^gap (\d+)$/gm)].map(([, lines]) => Number(lines));
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
      );
      assert.equal(new Set(numbers).size, numbers.length);
      assert.equal(numbers.length + output.linesDropped(), written);
      assert.equal(
        gaps.reduce((sum, lines) => sum + lines, 0),
        output.linesDropped(),
      );
    }),
    { numRuns: 200 },
  );
});
