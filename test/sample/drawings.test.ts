// The drawings of the sample animals: every animal has one, and each is rendered from its current source.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";

const SAMPLE = join(import.meta.dirname, "../../sample");
const DRAWINGS = join(SAMPLE, "drawings");
const BYTES_MAX = 20_000;
/** Of 255. Compression and another version of the renderer change no value by so much, a moved eye changes many. */
const DIFFERENCE_MAX = 64;

const sources = readdirSync(DRAWINGS).filter((file) => file.endsWith(".svg"));
const animals: Array<{ name: string; drawing: string; alt: string }> = JSON.parse(
  readFileSync(join(SAMPLE, "animals.json"), "utf8"),
);

function readPixels(file: string): Promise<Buffer> {
  return sharp(join(DRAWINGS, file)).resize(200, 150).removeAlpha().raw().toBuffer();
}

test("every sample animal has a drawing with its description, and every drawing has an animal", () => {
  assert.deepEqual(animals.map(({ drawing }) => `${drawing}.svg`).sort(), sources.sort());
  for (const { drawing, alt } of animals)
    assert.ok(readFileSync(join(DRAWINGS, `${drawing}.svg`), "utf8").includes(`<title>${alt}</title>`), alt);
});

for (const source of sources) {
  test(`${source} is rendered as it is now, in ${BYTES_MAX / 1000} kB at most`, async () => {
    const rendered = `${basename(source, ".svg")}.webp`;
    const { width, height, format } = await sharp(join(DRAWINGS, rendered)).metadata();
    assert.deepEqual([width, height, format], [1280, 960, "webp"]);
    assert.ok(statSync(join(DRAWINGS, rendered)).size <= BYTES_MAX);
    const [wanted, found] = await Promise.all([readPixels(source), readPixels(rendered)]);
    assert.equal(wanted.length, found.length);
    const changed = wanted.filter((value, at) => Math.abs(value - (found[at] as number)) > DIFFERENCE_MAX);
    assert.equal(changed.length, 0, "run: node sample/render.ts");
  });
}
