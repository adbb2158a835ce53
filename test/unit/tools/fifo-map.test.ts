// The map that knows its oldest entry, and the bounded map on it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createBoundedMap } from "../../../src/tools/bounded-map.ts";
import { createFifoMap } from "../../../src/tools/fifo-map.ts";

test("the oldest entry is the one that was added first, whatever was deleted and added again", () => {
  const step = fc.record({
    do: fc.constantFrom("set", "delete", "find", "drop"),
    key: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = createFifoMap<number, string>();
      const plain = new Map<number, string>();
      for (const { do: action, key } of steps) {
        const [oldest] = plain.keys();
        if (action === "set") for (const each of [map, plain]) each.set(key, `value ${key}`);
        if (action === "delete") for (const each of [map, plain]) each.delete(key);
        if (action === "find" || action === "drop") assert.equal(map.findOldest(), oldest);
        if (action === "drop" && oldest !== undefined) for (const each of [map, plain]) each.delete(oldest);
        assert.deepEqual([...map.entries()], [...plain]);
        assert.equal(map.size, plain.size);
      }
    }),
  );
});

test("a full map takes a new entry as fast with 50,000 entries as with 50", () => {
  const measure = (max: number) => {
    const map = createBoundedMap<number, number>(max);
    for (let key = 0; key < max; key++) map.set(key, key);
    const start = process.cpuUsage();
    for (let key = max; key < max + 50_000; key++) map.set(key, key);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const least = (max: number) => Math.min(...[1, 2, 3].map(() => measure(max)));
  const [small, large] = [least(50), least(50_000)];
  assert.ok(large < small * 15, `${large} µs instead of ${small} µs for 50,000 entries`);
});
