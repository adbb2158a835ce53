// Image processors of services in a test process: they wait longer, or convert the same file once.

import { hash } from "node:crypto";
import type { ImageProcessor, ProcessedImage } from "../../../src/domain/animals/stored-image.ts";
import { createImageProcessor } from "../../../src/images/processor.ts";
import { PATIENT_IMAGE_MS } from "../runner/patience.ts";

export function patientProcessor(): ImageProcessor {
  return createImageProcessor({ limitMs: PATIENT_IMAGE_MS });
}

/** Of all services of this process. */
const converted = new Map<string, ProcessedImage>();

/**
 * For tests that only need photos: each conversion is a process that takes 0.16 s of CPU time. Not for tests of waits and
 * of memory.
 */
export function sparingProcessor(): ImageProcessor {
  const processor = patientProcessor();
  return {
    async processImage(bytes, owner) {
      const digest = hash("sha256", bytes);
      const image = converted.get(digest) ?? (await processor.processImage(bytes, owner));
      converted.set(digest, image);
      return image;
    },
    close: processor.close,
  };
}
