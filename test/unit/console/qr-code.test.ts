// The QR code of a kennel card, read back as a phone does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawQrCode, type QrCode } from "../../../console/src/shared/parts/draw-qr-code.ts";

const QUIET = 4;
/** Version 2: 25 modules, one alignment pattern, one block of data. */
const SIZE = 25;
const ALIGNMENT = 18;
const FORMAT_MASK = 0b101010000010010;
const MASKS: Array<(x: number, y: number) => boolean> = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

test("a QR code contains the address of the page", () => {
  const address = "https://a.eu/animals/7";
  const code = drawQrCode(address);
  assert.equal(code.size, SIZE + 2 * QUIET);
  assert.deepEqual(readCode(code), { level: "M", text: address });
});

/** Without correction of errors: a drawn code has none. */
function readCode({ path }: QrCode): { level: string | undefined; text: string } {
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
  assert.equal(
    path.length,
    [...dark].reduce((sum, place) => sum + place.length + "Mh1v1h-1z".length, 0),
  );
  const isDark = (x: number, y: number) => dark.has(`${x + QUIET} ${y + QUIET}`);
  // The first five bits of the format, to the left of the upper finder pattern's lower edge.
  const format =
    [0, 1, 2, 3, 4].reduce((bits, x) => bits * 2 + Number(isDark(x, 8)), 0) ^ (FORMAT_MASK >> 10);
  const isMasked = MASKS[format & 7] ?? assert.fail();
  const bits = placesOfData().map(([x, y]) => Number(isDark(x, y) !== isMasked(x, y)));
  const take = (count: number) => bits.splice(0, count).reduce((number, bit) => number * 2 + bit, 0);
  assert.equal(take(4), 4, "bytes");
  const bytes = Array.from({ length: take(8) }, () => take(8));
  return { level: ["M", "L", "H", "Q"][format >> 3], text: Buffer.from(bytes).toString() };
}

/** Pairs of columns from the right, upwards and downwards in turn. */
function placesOfData(): Array<[x: number, y: number]> {
  const places: Array<[number, number]> = [];
  let isUpward = true;
  for (let right = SIZE - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < SIZE; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUpward ? SIZE - 1 - step : step;
        if (!isFixed(x, y)) places.push([x, y]);
      }
    isUpward = !isUpward;
  }
  return places;
}

function isFixed(x: number, y: number): boolean {
  const isFinder = (x < 9 && (y < 9 || y >= SIZE - 8)) || (x >= SIZE - 8 && y < 9);
  const isAlignment = Math.abs(x - ALIGNMENT) <= 2 && Math.abs(y - ALIGNMENT) <= 2;
  return isFinder || isAlignment || x === 6 || y === 6;
}
