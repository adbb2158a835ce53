// The output of an image worker: one line of JSON, then the bytes of the variants one after another.

import type { ProcessedImage } from "../domain/animals/stored-image.ts";

export type WorkerResult =
  | { image: ProcessedImage }
  /** The image was refused, with the reason for the client. */
  | { invalid: string }
  /** The image library cannot be loaded, with the reason for the operator. */
  | { unavailable: string };

export function writeResult(result: WorkerResult): Buffer {
  if (!("image" in result)) return Buffer.from(`${JSON.stringify(result)}\n`);
  const { variants, ...image } = result.image;
  const sizes = variants.map(({ width, bytes }) => ({ width, size: bytes.length }));
  const head = `${JSON.stringify({ image: { ...image, variants: sizes } })}\n`;
  return Buffer.concat([Buffer.from(head), ...variants.map(({ bytes }) => bytes)]);
}

/** Undefined if the worker ended before it had written everything. */
export function readResult(output: Buffer): WorkerResult | undefined {
  const end = output.indexOf("\n");
  if (end === -1) return undefined;
  const head = JSON.parse(output.toString("utf8", 0, end));
  if (head.image === undefined) return head;
  let at = end + 1;
  const variants = head.image.variants.map(({ width, size }: { width: number; size: number }) => {
    const bytes = output.subarray(at, at + size);
    at += size;
    return { width, bytes };
  });
  return at === output.length ? { image: { ...head.image, variants } } : undefined;
}
