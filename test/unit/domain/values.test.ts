// Small values of the domain: cursors, 64-bit integers, names, times, access levels.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../../src/domain/basics/cursor.ts";
import { INT64_MAX, INT64_MIN, parseInt64 } from "../../../src/domain/basics/int64.ts";
import { namePattern } from "../../../src/domain/basics/text.ts";
import { formatDuration, isDay, monthsBefore, parseTime } from "../../../src/domain/basics/time.ts";
import { ACCESS_LEVELS, includesAccess } from "../../../src/domain/keys/plan.ts";
import { codePoint } from "../../harness/clients/code-points.ts";

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

test("a cursor is valid only for the list that it was made for", () => {
  fc.assert(
    fc.property(int64, (id) => {
      const cursor = encodeCursor("pets sold", id);
      assert.match(cursor, /^[\w-]{16}$/);
      assert.equal(decodeCursor("pets sold", cursor), id);
      assert.throws(() => decodeCursor("pets any", cursor), { code: "invalid_cursor" });
    }),
  );
});

test("a cursor keeps a position of two numbers, and is not valid in a list of identifiers", () => {
  fc.assert(
    fc.property(int64, int64, (time, id) => {
      const position = (time << 64n) | BigInt.asUintN(64, id);
      const cursor = encodeCursor("orders ending", position, 128);
      assert.equal(decodeCursor("orders ending", cursor, 128), position);
      assert.throws(() => decodeCursor("orders ending", cursor), { code: "invalid_cursor" });
      const single = encodeCursor("orders ending", id);
      assert.throws(() => decodeCursor("orders ending", single, 128), { code: "invalid_cursor" });
    }),
  );
});

test("rejects any other text as a cursor", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[\w-]{16}$/)), (text) => {
      assert.throws(() => decodeCursor("pets any", text), { code: "invalid_cursor" });
    }),
  );
});

test("parses a plain integer exactly and rejects everything else", () => {
  fc.assert(fc.property(int64, (value) => assert.equal(parseInt64(String(value)), value)));
  for (const text of ["", " 1", "1 ", "+1", "01", "-01", "1.0", "1e1", "0x1", "1n", "٣", "--1", "-"]) {
    assert.equal(parseInt64(text), undefined, text);
  }
  assert.equal(parseInt64(String(INT64_MAX + 1n)), undefined);
  assert.equal(parseInt64(String(INT64_MIN - 1n)), undefined);
});

test("the published pattern accepts the same names as the rule: trimmed, by code points, no controls, no lone surrogates", () => {
  const pattern = new RegExp(namePattern(5), "u");
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        " ",
        "\t",
        "\n",
        "\u00a0",
        "\u0085",
        "\0",
        "x",
        "é",
        "🐕",
        "\ud83d",
        "\udc15",
        "\ufeff",
      ),
      fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }),
    ),
    maxLength: 9,
  });
  fc.assert(
    fc.property(text, (name) => {
      const trimmed = name.trim();
      const count = [...trimmed].length;
      const isClean = trimmed.isWellFormed() && !/\p{Cc}/u.test(trimmed);
      assert.equal(name.isWellFormed() && pattern.test(name), count >= 1 && count <= 5 && isClean);
    }),
    { numRuns: 2_000 },
  );
});

test("parses times in RFC 3339 and rejects everything else", () => {
  assert.equal(parseTime("2030-01-31T12:00:00Z"), Date.UTC(2030, 0, 31, 12));
  assert.equal(parseTime("2030-01-31T12:00:00.250+02:00"), Date.UTC(2030, 0, 31, 10, 0, 0, 250));
  assert.equal(parseTime("2028-02-29T00:00:00Z"), Date.UTC(2028, 1, 29));
  const none = [
    "",
    "2030-01-31",
    "2030-02-30T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-01-31T25:00:00Z",
    "soon",
    "0",
  ];
  for (const text of [...none, "2030-01-31T12:00:00", "2030-01-31 12:00:00Z"])
    assert.equal(parseTime(text), undefined, text);
});

test("recognises every day of the calendar, and no other text", () => {
  const isInCalendar = (text: string) => {
    const ms = Date.parse(`${text}T00:00:00Z`);
    return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
  };
  const twoDigits = (most: number) =>
    fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, "0"));
  const year = fc.constantFrom("0000", "0004", "1900", "2000", "2023", "2024", "2100", "9999");
  fc.assert(
    fc.property(year, twoDigits(14), twoDigits(33), (...parts) => {
      const text = parts.join("-");
      assert.equal(isDay(text), isInCalendar(text), text);
    }),
    {
      numRuns: 2_000,
      examples: [
        ["1900", "02", "29"],
        ["2000", "02", "29"],
        ["2100", "02", "29"],
      ],
    },
  );
  for (const text of ["", "2030-1-31", "30-01-31", "2030-01-31 ", "2030-01-31T12:00:00Z", "+2030-01-31"])
    assert.equal(isDay(text), false, text);
});

test("the same day some months earlier is the last of a month that is too short for it", () => {
  const days = {
    "2027-01-15": ["2026-07-15", "2025-01-15", "2018-01-15"],
    "2026-08-31": ["2026-02-28", "2024-08-31", "2017-08-31"],
    "2028-08-30": ["2028-02-29", "2026-08-30", "2019-08-30"],
    "2028-02-29": ["2027-08-29", "2026-02-28", "2019-02-28"],
    "2027-12-31": ["2027-06-30", "2025-12-31", "2018-12-31"],
  };
  for (const [day, expected] of Object.entries(days))
    assert.deepEqual(
      [6, 24, 108].map((months) => monthsBefore(day, months)),
      expected,
      day,
    );
});

test("each access level includes the levels before it", () => {
  for (const [held, level] of ACCESS_LEVELS.entries()) {
    for (const [needed, other] of ACCESS_LEVELS.entries())
      assert.equal(includesAccess(level, other), held >= needed);
  }
});

test("a duration is a whole number of the largest unit that divides it", () => {
  const texts: Array<[ms: number, text: string]> = [
    [86_400_000, "24 hours"],
    [3_600_000, "1 hour"],
    [5_400_000, "90 minutes"],
    [60_000, "1 minute"],
    [90_000, "90 seconds"],
    [1_000, "1 second"],
  ];
  for (const [ms, text] of texts) assert.equal(formatDuration(ms), text);
});
