// Renders the drawings of the sample animals in their widths: drawings/NAME.svg → drawings/NAME.webp, drawings/NAME-640.webp, …
// Run it after a change of a drawing.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";

const FOLDER = join(import.meta.dirname, "drawings");
/** Those in which the service stores an image of the largest one. */
const WIDTHS = { "": 1280, "-640": 640, "-320": 320 };
/** The drawings are 800 units wide. */
const DENSITY = 72 / 800;
/** Flat colours need no more. */
const WEBP = { quality: 50, effort: 6 };

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".svg"))) {
  for (const [suffix, width] of Object.entries(WIDTHS)) {
    const image = await sharp(join(FOLDER, file), { density: DENSITY * width })
      .webp(WEBP)
      .toBuffer();
    const target = file.replace(/\.svg$/, `${suffix}.webp`);
    writeFileSync(join(FOLDER, target), image);
    process.stdout.write(`${target}  ${(image.length / 1000).toFixed(1)} kB\n`);
  }
}
