// Counts of responses in memory: one row per minute, key and status, and per day, key, operation and status, within bounds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_KEYS, NO_KEY, OTHER_KEYS, type UsagePart } from "../../../src/domain/usage/usage-store.ts";
import { createUnsentCounts } from "../../../src/http/observe/unsent-counts.ts";

const MINUTE = 1_440 * 20_000;
const listPets = { minute: MINUTE, keyId: 1n, operation: "listPets", status: 200 };

function sumOf(rows: UsagePart["minutes"] | UsagePart["days"], keyId: bigint): number {
  return rows
    .filter((row) => row.keyId === keyId)
    .reduce((sum: number, { responses }: { responses: number }) => sum + responses, 0);
}

/** The rows of a part as text, in order. */
function describe({ minutes, days }: UsagePart) {
  return {
    minutes: minutes.map(({ minute, keyId, status, responses }) =>
      [minute - MINUTE, keyId, status, responses].join(" "),
    ),
    days: days.map(({ day, keyId, operation, status, responses }) =>
      [day, keyId, operation, status, responses].join(" "),
    ),
  };
}

test("sums operations within a minute, and minutes within a day", () => {
  const counts = createUnsentCounts();
  for (let i = 0; i < 3; i++) counts.count(listPets);
  counts.count({ ...listPets, operation: "getPet" });
  counts.count({ ...listPets, keyId: NO_KEY, status: 401 });
  counts.count({ ...listPets, minute: MINUTE + 1 });
  counts.count({ ...listPets, minute: MINUTE + 1_440 });
  const { minutes, days } = describe(counts.read());
  assert.deepEqual(minutes.sort(), [
    "0 -1 200 4",
    "0 -1 401 1",
    "0 -2 401 1",
    "0 1 200 4",
    "1 -1 200 1",
    "1 1 200 1",
    "1440 -1 200 1",
    "1440 1 200 1",
  ]);
  assert.deepEqual(days.sort(), [
    "20000 -1  200 5",
    "20000 -1  401 1",
    "20000 -2 listPets 401 1",
    "20000 1 getPet 200 1",
    "20000 1 listPets 200 4",
    "20001 -1  200 1",
    "20001 1 listPets 200 1",
  ]);
});

test("hands out every row once, in limited portions", () => {
  const counts = createUnsentCounts();
  for (let keyId = 1n; keyId <= 5n; keyId++) counts.count({ ...listPets, keyId });
  const parts: UsagePart[] = [];
  for (let part = counts.take(5); part !== undefined; part = counts.take(5)) parts.push(part);
  const rows = parts.map(({ minutes, days }) => minutes.length + days.length);
  assert.deepEqual(rows, [5, 5, 2]);
  assert.equal(new Set(parts.flatMap((part) => Object.values(describe(part)).flat())).size, 12);
});

test("adds combinations beyond the bound of a minute to others, and loses none", () => {
  const counts = createUnsentCounts({ combinationsMax: 3, rowsMax: 1_000 });
  for (let keyId = 1n; keyId <= 10n; keyId++)
    for (let i = 0; i < 2; i++) counts.count({ ...listPets, keyId });
  const { minutes, days } = counts.read();
  for (const rows of [minutes, days]) {
    assert.equal(sumOf(rows, ALL_KEYS), 20);
    assert.equal(sumOf(rows, 3n), 2);
    assert.equal(sumOf(rows, 4n), 0);
    assert.equal(sumOf(rows, OTHER_KEYS), 14);
  }
  assert.equal(days.find(({ keyId }) => keyId === OTHER_KEYS)?.operation, "other");
  assert.deepEqual([counts.takeOverflow(), counts.takeOverflow()], [14, 0]);
  counts.count({ ...listPets, minute: MINUTE + 1, keyId: 4n });
  assert.equal(sumOf(counts.read().minutes, 4n), 1, "the next minute has room again");
});

test("adds rows beyond the bound of an outage to others, and drops minutes that are too old", () => {
  const counts = createUnsentCounts({ combinationsMax: 1_000, rowsMax: 20 });
  for (let minute = 0; minute < 100; minute++) counts.count({ ...listPets, minute: MINUTE + minute });
  const { minutes, days } = counts.read();
  assert.equal(sumOf(minutes, ALL_KEYS), 100);
  assert.equal(sumOf(days, 1n), 100, "the day had a row before");
  const others = sumOf(minutes, OTHER_KEYS);
  assert.ok(others > 80 && sumOf(minutes, 1n) + others === 100);
  assert.equal(counts.takeOverflow(), others);
  counts.forgetMinutesBefore(MINUTE + 90);
  assert.equal(sumOf(counts.read().minutes, ALL_KEYS), 10);
});
