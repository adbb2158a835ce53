// Converts many images for a command: two at a time, as many as are processed, so that memory stays small.

import type { ImageProcessor } from "../domain/image.ts";
import { createImageProcessor } from "../images/processor.ts";

/** For one image. Long, because only the operator waits for it. */
const PATIENCE_MS = 60_000;

type ProcessImage = ImageProcessor["processImage"];

/** Begins the items in their order. The first error of `work` ends everything. */
export async function convertEach<T>(
  items: IterableIterator<T> | AsyncGenerator<T>,
  work: (item: T, processImage: ProcessImage) => Promise<void>,
): Promise<void> {
  const processor = createImageProcessor({ limitMs: PATIENCE_MS });
  async function workOff(): Promise<void> {
    for await (const item of items) await work(item, processor.processImage);
  }
  try {
    await Promise.all([workOff(), workOff()]);
  } finally {
    processor.close();
  }
}
