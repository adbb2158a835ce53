// Image files for tests: honest ones made by sharp, and hostile ones made by hand.

import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

const SOF_PROGRESSIVE = 0xc2;

export const RED = { r: 255, g: 0, b: 0 };
export const BLUE = { r: 0, g: 0, b: 255 };

export function plain(width: number, height: number, background: object = RED): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Has enough detail that half of the file is half of the picture. */
export function detailed(width: number, height: number): Sharp {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  return sharp({ create: { width, height, channels: 3, background: "#fff", noise } });
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

interface PngOptions {
  width: number;
  height: number;
  /** Uncompressed bytes of the picture. Default: as many as the header promises, all black. */
  pixels?: Buffer;
  /** Chunks between header and picture. */
  chunks?: Array<[type: string, data: Buffer]>;
  /** 16 bits for each of red, green, blue and alpha. Default: one bit per pixel, so that a large picture is a small file. */
  isDeep?: boolean;
  isInterlaced?: boolean;
}

export function makePng(options: PngOptions): Buffer {
  const { width, height, pixels, chunks = [], isDeep = false, isInterlaced = false } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(isDeep ? 16 : 1, 8);
  header.writeUInt8(isDeep ? 6 : 0, 9);
  header.writeUInt8(isInterlaced ? 1 : 0, 12);
  const bytes = pixels ?? Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    ...chunks.map(([type, data]) => pngChunk(type, data)),
    pngChunk("IDAT", deflateSync(bytes)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 0, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function makeWebp(...chunks: Array<[type: string, data: Buffer]>): Buffer {
  const body = Buffer.concat([
    Buffer.from("WEBP", "latin1"),
    ...chunks.map(([type, data]) => riffChunk(type, data)),
  ]);
  return riffChunk("RIFF", body);
}

/** Names of the chunks of a WebP file. */
export function listWebpChunks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 12; at < bytes.length; ) {
    names.push(bytes.toString("latin1", at, at + 4));
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return names;
}

/** Inserts a segment, such as a comment, at the start of a JPEG file. */
export function addJpegSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** Position of a marker of a JPEG file without thumbnails. */
export function findJpegMarker(jpeg: Buffer, marker: number): number {
  return jpeg.indexOf(Buffer.from([0xff, marker]));
}

/** Changes a copy of the bytes. */
export function edit(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

interface ClaimedColours {
  /** Four channels instead of three. */
  isCmyk?: boolean;
  /** Replaces the sampling factors of every channel. */
  sampling?: number;
}

/** A small progressive file that claims to be larger. `sampling`: of every channel, if it is not the file's own. */
export async function claimJpeg(
  side: number,
  { isCmyk = false, sampling }: ClaimedColours = {},
): Promise<Buffer> {
  const file = await detailed(64, 64)
    .toColourspace(isCmyk ? "cmyk" : "srgb")
    .jpeg({ progressive: true, chromaSubsampling: "4:4:4" })
    .toBuffer();
  return edit(file, (copy) => {
    const at = findJpegMarker(copy, SOF_PROGRESSIVE) + 5;
    copy.writeUInt16BE(side, at);
    copy.writeUInt16BE(side, at + 2);
    if (sampling !== undefined)
      for (const channel of isCmyk ? [0, 1, 2, 3] : [0, 1, 2])
        copy.writeUInt8(sampling, at + 6 + 3 * channel);
  });
}
