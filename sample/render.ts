// Renders the drawings of the sample animals: drawings/NAME.svg → drawings/NAME.webp. Run it after a change of a drawing.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";

const FOLDER = join(import.meta.dirname, "drawings");
/** The drawings are 800 units wide. */
const DENSITY = (72 * 1280) / 800;
/** Flat colours need no more. */
const WEBP = { quality: 50, effort: 6 };

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".svg"))) {
  const image = await sharp(join(FOLDER, file), { density: DENSITY }).webp(WEBP).toBuffer();
  const target = file.replace(/\.svg$/, ".webp");
  writeFileSync(join(FOLDER, target), image);
  process.stdout.write(`${target}  ${(image.length / 1000).toFixed(1)} kB\n`);
}
