// The drawings of the sample animals: every animal has one, and each is rendered from its current source.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import sharp from "sharp";
import { makeSample } from "../../../src/cli/sample-pets.ts";
import { IMAGE_WIDTHS } from "../../../src/domain/animals/stored-image.ts";
import { column } from "../../harness/clients/pages.ts";

const SAMPLE = join(import.meta.dirname, "../../../sample");
const DRAWINGS = join(SAMPLE, "drawings");
const BYTES_MAX = 20_000;
/** Out of 255. Compression or another renderer change values by less; a moved eye changes many by more. */
const DIFFERENCE_MAX = 64;

// Another test file of this process may have run an export, which lets sharp read photos only.
sharp.unblock({ operation: ["VipsForeignLoad"] });

const sources = readdirSync(DRAWINGS).filter((file) => file.endsWith(".svg"));
const animals: Array<{ name: string; drawing: string; alt: string }> = JSON.parse(
  readFileSync(join(SAMPLE, "animals.json"), "utf8"),
);

/** Smaller than the image, because compression changes single pixels much. */
function readPixels(image: Buffer, ofWidth: number): Promise<Buffer> {
  return sharp(image)
    .resize({ width: ofWidth / 6.4 })
    .removeAlpha()
    .raw()
    .toBuffer();
}

test("every sample animal has a drawing with its description, and every drawing has an animal", () => {
  assert.deepEqual(animals.map(({ drawing }) => `${drawing}.svg`).sort(), sources.sort());
  for (const { drawing, alt } of animals)
    assert.ok(readFileSync(join(DRAWINGS, `${drawing}.svg`), "utf8").includes(`<title>${alt}</title>`), alt);
});

for (const source of sources) {
  test(`${source} is rendered as it is now, in ${BYTES_MAX / 1000} kB at most, in the widths of photos`, async () => {
    const name = basename(source, ".svg");
    const { variants, ...size } = makeSample(0).readDrawing(name);
    const svg = readFileSync(join(DRAWINGS, source));
    const largest = readFileSync(join(DRAWINGS, `${name}.webp`));
    assert.deepEqual(size, { hash: hash("sha256", largest), width: 1280, height: 960 });
    assert.deepEqual(
      column(variants, "width"),
      IMAGE_WIDTHS.filter((width) => width <= 1280),
    );
    for (const { width, bytes } of variants) {
      const found = await sharp(bytes).metadata();
      assert.deepEqual([found.width, found.height, found.format], [width, (width / 4) * 3, "webp"]);
      assert.ok(bytes.length <= BYTES_MAX);
      const [wanted, pixels] = await Promise.all([readPixels(svg, width), readPixels(bytes, width)]);
      assert.equal(pixels.length, wanted.length);
      const changed = wanted.filter((value, at) => Math.abs(value - (pixels[at] as number)) > DIFFERENCE_MAX);
      assert.equal(changed.length, 0, `${width} pixels wide: run node sample/render.ts`);
    }
  });
}
