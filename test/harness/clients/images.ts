// Small images for tests of photos.

import sharp from "sharp";

/** A PNG file of one colour. */
export function drawImage(colour: string, { width = 800, height = 600 } = {}): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
}
