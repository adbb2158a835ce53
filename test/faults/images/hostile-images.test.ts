// A table of honest and hostile image files, each with its outcome.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { IMAGE_BYTES_MAX } from "../../../src/domain/animals/photo-limits.ts";
import type { ProcessedImage } from "../../../src/domain/animals/stored-image.ts";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { checkBytes } from "../../../src/images/check-bytes.ts";
import { convertImage, InvalidImageError, loadSharp } from "../../../src/images/convert.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import {
  addJpegSegment,
  BLUE,
  detailed,
  edit,
  findJpegMarker,
  listWebpChunks,
  makePng,
  makeWebp,
  plain,
  RED,
} from "./files.ts";

const SOF = 0xc0;
const SOS = 0xda;
const COMMENT = 0xfe;
/** Position of the size of an animated WebP, 3 bytes for each side. */
const CANVAS_AT = 24;
const SECRET = "52.5200 N, 13.4050 E";

// In this process, the same calls that the service makes in a process per image.
before(loadSharp);

async function process(bytes: Buffer): Promise<ProcessedImage> {
  checkBytes(bytes);
  return convertImage(sharp, bytes);
}

/** "800×600 as 640, 320", or the error. */
async function outcomeOf(bytes: Buffer): Promise<string> {
  try {
    const { width, height, variants } = await process(bytes);
    return `${width}×${height} as ${variants.map((each) => each.width).join(", ")}`;
  } catch (error) {
    if (error instanceof InvalidImageError) return error.message;
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const NO_IMAGE = "invalid_image";
const DAMAGED = "The image is damaged.";
const TOO_LARGE = "The image has more than 50 megapixels.";
const TOO_MUCH_MEMORY =
  "The image needs more than 320 MB of memory. Save it without interlacing (PNG) or progressive encoding (JPEG), or make it smaller.";

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
const text = (content: string) => Buffer.from(content, "latin1");
const box = (brand: string) => text(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}`);
/** Red, then blue. */
async function animate(width: number, height: number): Promise<Buffer> {
  const frames = [RED, BLUE].map((colour) => plain(width, height, colour).png().toBuffer());
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .webp()
    .toBuffer();
}

const jpeg = () => detailed(400, 300).jpeg().toBuffer();

const CASES: Record<string, [file: () => Buffer | Promise<Buffer>, outcome: string]> = {
  "a JPEG": [() => plain(800, 600).jpeg().toBuffer(), "800×600 as 640, 320"],
  "a PNG": [() => plain(800, 600).png().toBuffer(), "800×600 as 640, 320"],
  "a WebP": [() => plain(800, 600).webp().toBuffer(), "800×600 as 640, 320"],
  "an image of the largest width": [
    () => plain(2048, 16).png().toBuffer(),
    "2048×16 as 2048, 1280, 640, 320",
  ],
  "an image one pixel narrower": [() => plain(2047, 16).png().toBuffer(), "2047×16 as 1280, 640, 320"],
  "an image narrower than every width": [() => plain(100, 80).png().toBuffer(), "100×80 as 100"],
  "a single pixel": [() => plain(1, 1).png().toBuffer(), "1×1 as 1"],
  "a PNG with 16 bits per channel": [
    () => plain(400, 300).toColourspace("rgb16").png().toBuffer(),
    "400×300 as 320",
  ],
  "a PNG in grey": [() => plain(400, 300).greyscale().png().toBuffer(), "400×300 as 320"],
  "a PNG with a palette": [() => plain(400, 300).png({ palette: true }).toBuffer(), "400×300 as 320"],
  "a JPEG in CMYK": [() => plain(400, 300).toColourspace("cmyk").jpeg().toBuffer(), "400×300 as 320"],
  "a progressive JPEG": [() => detailed(400, 300).jpeg({ progressive: true }).toBuffer(), "400×300 as 320"],
  "a JPEG with a harmless fault, as some phones write": [
    async () => edit(await jpeg(), (copy) => copy.writeUInt8(0, findJpegMarker(copy, SOS) + 12)),
    "400×300 as 320",
  ],
  "a JPEG and ZIP file in one": [
    async () => Buffer.concat([await jpeg(), text("PK\x03\x04evil.zip")]),
    "400×300 as 320",
  ],
  "a JPEG with a script in a comment": [
    async () => addJpegSegment(await jpeg(), COMMENT, text("<script>alert(1)</script>")),
    "400×300 as 320",
  ],
  "a tall image": [() => plain(400, 18_000).png().toBuffer(), "400×18000 as 320"],
  "an image too tall for WebP": [
    () => plain(10, 20_000).png().toBuffer(),
    "The image is too narrow for its height.",
  ],

  "no bytes": [() => Buffer.alloc(0), NO_IMAGE],
  text: [() => text("Hello"), NO_IMAGE],
  "an SVG": [
    () => text('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    NO_IMAGE,
  ],
  "a GIF": [() => plain(8, 8).gif().toBuffer(), NO_IMAGE],
  "a TIFF": [() => plain(8, 8).tiff().toBuffer(), NO_IMAGE],
  "an AVIF": [() => plain(8, 8).avif().toBuffer(), NO_IMAGE],
  "a HEIC": [() => box("heic"), NO_IMAGE],
  "a PDF": [() => text("%PDF-1.7\n1 0 obj"), NO_IMAGE],
  "HTML that starts as a GIF": [() => text("GIF89a=1;<script>alert(1)</script>"), NO_IMAGE],
  "a PNG after one space": [
    async () => Buffer.concat([text(" "), await plain(8, 8).png().toBuffer()]),
    NO_IMAGE,
  ],
  "a TIFF that starts as a JPEG": [
    async () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), await plain(8, 8).tiff().toBuffer()]),
    DAMAGED,
  ],
  "an SVG that starts as a PNG": [() => text("\x89PNG\r\n\x1a\n<svg/>"), DAMAGED],
  "a JPEG inside a WebP": [async () => makeWebp(["VP8 ", await jpeg()]), DAMAGED],
  "the first bytes of a JPEG alone": [() => Buffer.from([0xff, 0xd8, 0xff]), DAMAGED],
  "the first bytes of a PNG alone": [() => text("\x89PNG\r\n\x1a\n"), DAMAGED],
  "the first bytes of a WebP alone": [() => text("RIFF\x04\0\0\0WEBP"), DAMAGED],

  "a JPEG with 1,000 scans": [
    async () => {
      const file = await detailed(400, 300).jpeg({ progressive: true, quality: 5 }).toBuffer();
      const [last, end] = [file.lastIndexOf(Buffer.from([0xff, SOS])), file.length - 2];
      const scans = Array.from({ length: 1_000 }, () => file.subarray(last, end));
      return Buffer.concat([file.subarray(0, end), ...scans, file.subarray(end)]);
    },
    DAMAGED,
  ],
  "half a JPEG": [async () => half(await jpeg()), DAMAGED],
  "half a progressive JPEG": [
    async () => half(await detailed(400, 300).jpeg({ progressive: true }).toBuffer()),
    DAMAGED,
  ],
  "half a PNG": [async () => half(await detailed(400, 300).png().toBuffer()), DAMAGED],
  "half a WebP": [async () => half(await detailed(400, 300).webp().toBuffer()), DAMAGED],
  "a PNG with a changed byte": [
    async () =>
      edit(await detailed(400, 300).png().toBuffer(), (copy) => {
        const at = copy.length >> 1;
        copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
      }),
    DAMAGED,
  ],
  "a PNG with fewer rows than its header says": [
    () => makePng({ width: 6_000, height: 6_000, pixels: Buffer.alloc(10_000) }),
    DAMAGED,
  ],

  "a small file with 49 megapixels": [
    () => makePng({ width: 7_000, height: 7_000 }),
    "7000×7000 as 2048, 1280, 640, 320",
  ],
  "a small file with one row too many": [() => makePng({ width: 10_000, height: 5_001 }), TOO_LARGE],
  "a PNG that claims 4,000 megapixels": [
    () => makePng({ width: 2_000_000, height: 2_000, pixels: Buffer.alloc(1_000) }),
    TOO_LARGE,
  ],
  "a JPEG that claims 4,290 megapixels": [
    async () =>
      edit(await jpeg(), (copy) => {
        const at = findJpegMarker(copy, SOF) + 5;
        copy.writeUInt16BE(65_500, at);
        copy.writeUInt16BE(65_500, at + 2);
      }),
    TOO_LARGE,
  ],
  "a WebP that claims 268 megapixels": [
    async () => edit(await animate(8, 8), (copy) => Buffer.from("fe3f00fe3f00", "hex").copy(copy, CANVAS_AT)),
    TOO_LARGE,
  ],
  "an interlaced PNG that needs 320 MB and a little": [
    () => makePng({ width: 5_000, height: 8_001, pixels: Buffer.alloc(9), isDeep: true, isInterlaced: true }),
    TOO_MUCH_MEMORY,
  ],
  // Damaged: its memory is allowed, but its rows are missing.
  "an interlaced PNG that needs 320 MB": [
    () => makePng({ width: 5_000, height: 8_000, pixels: Buffer.alloc(9), isDeep: true, isInterlaced: true }),
    DAMAGED,
  ],
  "a PNG of 49 megapixels with 16 bits, which is read row by row": [
    () => makePng({ width: 7_000, height: 7_000, pixels: Buffer.alloc(9), isDeep: true }),
    DAMAGED,
  ],
  "a PNG whose picture goes on for 20 MB": [
    () => makePng({ width: 400, height: 300, pixels: Buffer.alloc(20_000_000) }),
    "400×300 as 320",
  ],
  "a PNG with 20 MB of text": [
    () =>
      makePng({
        width: 400,
        height: 300,
        chunks: [["zTXt", Buffer.concat([text("Comment\0\0"), deflateSync(Buffer.alloc(20_000_000))])]],
      }),
    "400×300 as 320",
  ],
  "a PNG with a colour profile of 20 MB": [
    () =>
      makePng({
        width: 400,
        height: 300,
        chunks: [["iCCP", Buffer.concat([text("icc\0\0"), deflateSync(Buffer.alloc(20_000_000))])]],
      }),
    "400×300 as 320",
  ],
  "a file of 12 MiB and one byte": [
    async () => Buffer.concat([await jpeg(), Buffer.alloc(IMAGE_BYTES_MAX)]).subarray(0, IMAGE_BYTES_MAX + 1),
    "body_too_large",
  ],
  "a file of 12 MiB": [
    async () => Buffer.concat([await jpeg(), Buffer.alloc(IMAGE_BYTES_MAX)]).subarray(0, IMAGE_BYTES_MAX),
    "400×300 as 320",
  ],
};

for (const [what, [file, outcome]] of Object.entries(CASES)) {
  test(`${what}: ${outcome}`, async () => {
    assert.equal(await outcomeOf(await file()), outcome);
  });
}

test("libvips itself loads only JPEG, PNG and WebP, and only from memory", async (t) => {
  const file = join(makeFolder(t), "red.jpg");
  writeFileSync(file, await plain(8, 8).jpeg().toBuffer());
  const refused: Record<string, string | Buffer> = {
    GIF: await plain(8, 8).gif().toBuffer(),
    TIFF: await plain(8, 8).tiff().toBuffer(),
    AVIF: await plain(8, 8).avif().toBuffer(),
    SVG: text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "a file": file,
  };
  for (const [what, input] of Object.entries(refused))
    await assert.rejects(sharp(input).metadata(), /unsupported image format/, what);
});

/** Colour of the first pixel, rounded so that losses of the compression do not count. */
async function cornerOf({ variants }: ProcessedImage): Promise<number[]> {
  const pixels = await sharp(variants[0]?.bytes).raw().toBuffer();
  return [...pixels.subarray(0, 3)].map((value) => Math.round(value / 32) * 32);
}

test("stored images have no metadata, whatever the upload has", async () => {
  const exif = { IFD0: { Copyright: SECRET }, IFD3: { GPSLatitude: "52/1 31/1 12/1", GPSLatitudeRef: "N" } };
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`;
  const marked = plain(700, 20).withExif(exif).withXmp(xmp).withIccProfile("p3");
  const uploads = [
    addJpegSegment(await marked.clone().jpeg().toBuffer(), COMMENT, text(SECRET)),
    await marked.clone().png().toBuffer(),
    await marked.clone().webp().toBuffer(),
  ];
  for (const bytes of uploads) {
    assert.ok(bytes.includes(SECRET), "the upload has metadata");
    const { variants } = await process(bytes);
    assert.equal(variants.length, 2);
    for (const variant of variants) {
      assert.deepEqual(listWebpChunks(variant.bytes), ["VP8 "]);
      assert.ok(!variant.bytes.includes(SECRET));
    }
  }
});

test("a trailing archive is not stored", async () => {
  const { variants } = await process(Buffer.concat([await jpeg(), text("PK\x03\x04evil.zip")]));
  for (const { bytes } of variants) {
    assert.ok(!bytes.includes("evil.zip"));
    assert.equal(bytes.readUInt32LE(4) + 8, bytes.length, "nothing follows the RIFF chunk");
  }
});

test("an image is turned upright", async () => {
  const bottom = await plain(30, 20, BLUE).png().toBuffer();
  const picture = plain(30, 40).composite([{ input: bottom, left: 0, top: 20 }]);
  // Orientation 6: to be turned by 90° clockwise, which moves the bottom (blue) to the left.
  const image = await process(await picture.withMetadata({ orientation: 6 }).jpeg().toBuffer());
  assert.deepEqual([image.width, image.height], [40, 30]);
  assert.deepEqual(await cornerOf(image), [0, 0, 256]);
});

test("colours become sRGB: wide gamut, CMYK and 16 bits", async () => {
  const background = { r: 255, g: 128, b: 0 };
  const uploads = {
    "wide gamut": await plain(40, 40, background).withIccProfile("p3").png().toBuffer(),
    CMYK: await plain(40, 40, background).withIccProfile("cmyk").jpeg({ quality: 100 }).toBuffer(),
    "16 bits": await plain(40, 40, background).toColourspace("rgb16").png().toBuffer(),
  };
  for (const [what, bytes] of Object.entries(uploads))
    assert.deepEqual(await cornerOf(await process(bytes)), [256, 128, 0], what);
});

test("transparent parts become white", async () => {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const bytes = await sharp({ create: { width: 40, height: 40, channels: 4, background } })
    .png()
    .toBuffer();
  const image = await process(bytes);
  assert.deepEqual(await cornerOf(image), [256, 256, 256]);
  assert.deepEqual(listWebpChunks((image.variants[0] as { bytes: Buffer }).bytes), ["VP8 "]);
});

test("of an animation, the first frame is stored", async () => {
  const animation = await animate(40, 40);
  assert.ok(listWebpChunks(animation).includes("ANMF"));
  const image = await process(animation);
  assert.deepEqual([image.width, image.height], [40, 40]);
  assert.deepEqual(await cornerOf(image), [256, 0, 0]);
});

test("the same picture has the same hash, also with other metadata; another picture has another", async () => {
  const [bytes, other] = [await jpeg(), await plain(400, 300).jpeg().toBuffer()];
  const { hash } = await process(bytes);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal((await process(bytes)).hash, hash);
  assert.equal((await process(addJpegSegment(bytes, COMMENT, text(SECRET)))).hash, hash);
  assert.notEqual((await process(other)).hash, hash);
});
