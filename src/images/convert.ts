// Converts one uploaded image with sharp (libvips). The process of worker.ts and commands call it, never the service itself.

import { hash } from "node:crypto";
import { IMAGE_MEMORY_MAX, IMAGE_PIXELS_MAX } from "../domain/animals/photo-limits.ts";
import { IMAGE_WIDTHS, type ProcessedImage } from "../domain/animals/stored-image.ts";

const LOADERS = ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"];
/** The format WebP allows no more. */
const HEIGHT_MAX = 16_383;
/** Effort 4, the default, takes three times as long for files of the same size. */
const WEBP = { quality: 80, effort: 2 };

const DAMAGED = "The image is damaged.";
const TOO_MUCH_MEMORY = `The image needs more than ${IMAGE_MEMORY_MAX / 1e6} MB of memory. Save it without interlacing (PNG) or progressive encoding (JPEG), or make it smaller.`;
/** The error of libjpeg for a file that needs more than JPEGMEM, which processor.ts sets. */
const JPEG_TOO_LARGE = "Memory limit exceeded";

export class InvalidImageError extends Error {}

/** Fails with the reason if sharp is not installed, or has no binary for this machine. */
export async function loadSharp() {
  const { default: sharp } = await import("sharp");
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: LOADERS });
  // One image per process: nothing to keep, and the other cores belong to the service.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

type SharpModule = Awaited<ReturnType<typeof loadSharp>>;

export async function convertImage(sharp: SharpModule, bytes: Buffer): Promise<ProcessedImage> {
  const { width, height } = await readSize(sharp, bytes);
  const widths = chooseWidths(width, height);
  const pixels = await decode(sharp, bytes, Math.min(width, IMAGE_WIDTHS[0]));
  const variants: ProcessedImage["variants"] = [];
  for (const each of widths) variants.push({ width: each, bytes: await encode(sharp, pixels, each) });
  const [largest] = variants as [ProcessedImage["variants"][number]];
  return { hash: hash("sha256", largest.bytes), width, height, variants };
}

/** Reads the header only. */
async function readSize(sharp: SharpModule, bytes: Buffer): Promise<{ width: number; height: number }> {
  // The limit is checked below, with a message of its own.
  const { autoOrient, format, isProgressive, channels, depth } = await sharp(bytes, {
    limitInputPixels: false,
  })
    .metadata()
    .catch((cause) => {
      throw new InvalidImageError(DAMAGED, { cause });
    });
  const pixels = autoOrient.width * autoOrient.height;
  if (pixels > IMAGE_PIXELS_MAX)
    throw new InvalidImageError(`The image has more than ${IMAGE_PIXELS_MAX / 1e6} megapixels.`);
  // Its rows are complete only when the whole file is decoded; other PNG files are read row by row.
  const isWhole = format === "png" && isProgressive;
  if (isWhole && pixels * channels * (depth === "uchar" ? 1 : 2) > IMAGE_MEMORY_MAX)
    throw new InvalidImageError(TOO_MUCH_MEMORY);
  return autoOrient;
}

/** At least one. Without widths for which an extremely tall image would be taller than the format allows. */
function chooseWidths(width: number, height: number): number[] {
  const narrower = IMAGE_WIDTHS.filter((each) => each <= width);
  const widths: number[] = narrower.length > 0 ? narrower : [width];
  const fitting = widths.filter((each) => (height / width) * each <= HEIGHT_MAX);
  if (fitting.length === 0) throw new InvalidImageError("The image is too narrow for its height.");
  return fitting;
}

interface Pixels {
  data: Buffer;
  raw: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

/** Upright, sRGB, 8 bits, transparent parts white. Of an animation, the first frame. */
async function decode(sharp: SharpModule, bytes: Buffer, width: number): Promise<Pixels> {
  // Not "warning": photos of common phones have harmless faults that libjpeg warns about.
  const { data, info } = await sharp(bytes, { failOn: "error", limitInputPixels: IMAGE_PIXELS_MAX })
    .autoOrient()
    .flatten({ background: "#ffffff" })
    .resize({ width })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch((cause: Error) => {
      throw new InvalidImageError(cause.message.includes(JPEG_TOO_LARGE) ? TOO_MUCH_MEMORY : DAMAGED, {
        cause,
      });
    });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}

/** From the decoded pixels: they have no metadata, and a large file is decoded only once. */
function encode(sharp: SharpModule, { data, raw }: Pixels, width: number): Promise<Buffer> {
  return sharp(data, { raw }).resize({ width }).webp(WEBP).toBuffer();
}
