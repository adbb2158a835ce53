// Converts many images for a command: two at a time, as many as are processed, so that memory stays small.

import type { ImageProcessor } from "../../domain/animals/stored-image.ts";
import { createImageProcessor } from "../../images/processor.ts";

/** The limit for one image. Long, because only the operator waits for it. */
const PATIENCE_MS = 60_000;

export type ConvertImage = (bytes: Buffer) => ReturnType<ImageProcessor["processImage"]>;

/** Begins the items in their order. The first error of `work` ends everything. */
export async function convertEach<T>(
  items: IterableIterator<T> | AsyncGenerator<T>,
  work: (item: T, convertImage: ConvertImage) => Promise<void>,
): Promise<void> {
  const processor = createImageProcessor({ limitMs: PATIENCE_MS });
  /** Each has an owner of its own: of one owner, one image is processed at a time. */
  async function workOff(owner: bigint): Promise<void> {
    for await (const item of items) await work(item, (bytes) => processor.processImage(bytes, owner));
  }
  try {
    await Promise.all([workOff(1n), workOff(2n)]);
  } finally {
    processor.close();
  }
}
