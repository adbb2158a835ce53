// The output with an outlet that accepts as many bytes as the test allows.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Outlet } from "../../../src/log/outlet.ts";
import { createOutput } from "../../../src/log/output.ts";

const MIB = 2 ** 20;

interface ManualOutlet extends Outlet {
  received: string;
  /** Accepts at most this many bytes of the pending write, if there is one. */
  take(bytes: number): void;
  fail(): void;
}

function createOutlet(): ManualOutlet {
  let waiting: Parameters<Outlet["write"]> | undefined;
  function settle(error: Error | null, bytes: number): void {
    const [text, done] = waiting ?? [];
    waiting = undefined;
    outlet.received += text?.subarray(0, bytes).toString() ?? "";
    done?.(error, Math.min(bytes, text?.length ?? 0));
  }
  const outlet: ManualOutlet = {
    received: "",
    write: (...given) => {
      waiting = given;
    },
    writeNow: () => {},
    take: (bytes) => settle(null, bytes),
    fail: () => settle(new Error("no space"), 0),
  };
  return outlet;
}

function start(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const outlet = createOutlet();
  const output = createOutput(outlet, (lines) => `gap ${lines}\n`);
  return { outlet, output, tick: () => t.mock.timers.tick(100) };
}

test("writes lines together after 0.1 s, or earlier when there are many", (t) => {
  const { outlet, output, tick } = start(t);
  output.write("one\n");
  output.write("two\nthree\n");
  outlet.take(MIB);
  assert.equal(outlet.received.length, 0);
  tick();
  outlet.take(MIB);
  assert.equal(outlet.received, "one\ntwo\nthree\n");
  output.write(`${"x".repeat(66_000)}\n`);
  outlet.take(MIB);
  assert.equal(outlet.received.length, 14 + 66_001);
});

test("buffers at most 4 MiB for an outlet that accepts nothing, and reports the gap once, in its place", (t) => {
  const { outlet, output, tick } = start(t);
  const line = `${"x".repeat(65_535)}\n`;
  for (let count = 0; count < 100; count++) output.write(line);
  const dropped = output.linesDropped();
  assert.ok(dropped >= 100 - 65 && dropped < 100, `${dropped} dropped`);
  while (!outlet.received.includes("gap")) outlet.take(100_000);
  output.write("after\n");
  tick();
  outlet.take(MIB);
  assert.equal(outlet.received, `${line.repeat(100 - dropped)}gap ${dropped}\nafter\n`);
});

test("drops the lines of a failed write, and reports their number with the next write that succeeds", (t) => {
  const { outlet, output, tick } = start(t);
  output.write("one\ntwo\n");
  tick();
  outlet.fail();
  assert.equal(output.linesDropped(), 2);
  output.write("three\n");
  tick();
  outlet.fail();
  output.write("four\n");
  tick();
  outlet.take(MIB);
  outlet.take(MIB);
  assert.equal(outlet.received, "gap 3\n");
  tick();
  outlet.take(MIB);
  assert.equal(outlet.received, "gap 3\nfour\n");
});

test("starts a new line after a line that was cut off", (t) => {
  const { outlet, output, tick } = start(t);
  output.write("one\ntwo\n");
  tick();
  outlet.take(5);
  outlet.fail();
  output.write("three\n");
  tick();
  outlet.take(MIB);
  tick();
  outlet.take(MIB);
  assert.equal(outlet.received, "one\nt\ngap 1\nthree\n");
});

test("close() waits for the last write, but at most a second", async (t) => {
  const { outlet, output } = start(t);
  output.write("one\n");
  const closed = output.close();
  outlet.take(MIB);
  await closed;
  assert.equal(outlet.received, "one\n");

  const stuck = createOutput(createOutlet(), () => "");
  stuck.write("two\n");
  const given = stuck.close();
  t.mock.timers.tick(1_000);
  await given;
});

test("writes every line once and in order, or counts it as dropped", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const step = fc.oneof(
    fc.record({ write: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 600_000 }) }),
    fc.constant("fail" as const),
    fc.constant("tick" as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const outlet = createOutlet();
      const output = createOutput(outlet, (lines) => `gap ${lines}\n`);
      let written = 0;
      for (const each of steps) {
        if (each === "fail") outlet.fail();
        else if (each === "tick") t.mock.timers.tick(100);
        else if ("take" in each) outlet.take(each.take);
        else {
          const numbers = Array.from({ length: each.write }, () => written++);
          output.write(numbers.map((number) => `${number} ${"x".repeat(60_000)}.\n`).join(""));
        }
      }
      void output.close();
      for (let round = 0; round < 10; round++) outlet.take(10 * MIB);

      const numbers = [...outlet.received.matchAll(/^(\d+) x+\.$/gm)].map(([, number]) => Number(number));
      const gaps = [...outlet.received.matchAll(/^gap (\d+)$/gm)].map(([, lines]) => Number(lines));
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
