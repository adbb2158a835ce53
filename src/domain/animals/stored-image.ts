// The form in which the image of a photo is stored: its widths and files, and the interface of the processor that makes them.

/** Widths in which an image is stored. */
export const IMAGE_WIDTHS = [2048, 1280, 640, 320] as const;

interface ImageVariant {
  width: number;
  /** A WebP file without metadata. */
  bytes: Buffer;
}

export interface ProcessedImage {
  /** SHA-256 of the largest variant, in hexadecimal digits. The same file gives the same hash. */
  hash: string;
  /** The size of the uploaded image, upright. */
  width: number;
  height: number;
  /**
   * Largest first. One for each of `IMAGE_WIDTHS` that is not larger than the image. If the image is narrower than all of
   * them, one with its own width.
   */
  variants: ImageVariant[];
}

export interface ImageProcessor {
  /**
   * Fails with `invalid_image` if the bytes are not a JPEG, PNG or WebP image or are over a limit, with `body_too_large`, and
   * with `unavailable` if too many images of the owner wait, the work takes too long, or the image library is missing.
   * `owner`: the id of a key. One image of each owner is processed at a time, and owners take turns.
   */
  processImage(bytes: Buffer, owner: bigint): Promise<ProcessedImage>;
  /** Ends running work; it fails with `unavailable`. */
  close(): void;
}
