// Any character of Unicode as a unit of generated strings.

import fc from "fast-check";

const SURROGATES = { first: 0xd800, last: 0xdfff };

/** As "binary" of fast-check, which builds a table of a million entries in each process first: 0.5 s. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - (SURROGATES.last - SURROGATES.first + 1) })
  .map(characterOf, numberOf);

function characterOf(number: number): string {
  const skipped = number < SURROGATES.first ? 0 : SURROGATES.last - SURROGATES.first + 1;
  return String.fromCodePoint(number + skipped);
}

/** Throws for any other value, so that fast-check does not shrink it as one of ours. */
function numberOf(character: unknown): number {
  const point = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (point === undefined || character !== String.fromCodePoint(point)) throw new Error("not one character");
  return point < SURROGATES.first ? point : point - (SURROGATES.last - SURROGATES.first + 1);
}
