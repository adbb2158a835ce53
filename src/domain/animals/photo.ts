// Photos of animals: the names of image files, how a photo is sent, and their store.

import { PHOTOS_PER_PET_MAX } from "../basics/count-limits.ts";
import { ServiceError } from "../basics/errors.ts";
import type { ChangeOrigin } from "./history.ts";
import { IMAGE_WIDTHS, type ProcessedImage } from "./stored-image.ts";

/** An image that is narrower has one file, in its own width, which is sent as this one. */
const SMALLEST_WIDTH = Math.min(...IMAGE_WIDTHS);

/** Linear: fixed lengths. */
const FILE_NAME = /^([0-9a-f]{64})-(\d{1,4})\.webp$/;

/** One file of an image. */
export interface ImageFile {
  /** SHA-256 of the image in hexadecimal digits. */
  hash: string;
  width: number;
}

export interface Photo {
  id: bigint;
  hash: string;
  /** Size of the image in pixels. */
  width: number;
  height: number;
  alt: string;
  /** Widths of its files, in ascending order. */
  widths: number[];
}

interface NewPhoto {
  hash: string;
  alt: string;
}

export interface PhotoStore {
  /** Throws `pet_not_found`, `other_shelter`. */
  requirePet(petId: bigint, origin: ChangeOrigin): Promise<void>;
  /**
   * Stores the files of an image for a photo that `add` will create; without one they are deleted later. An image that is
   * stored already stays as it is. Throws `pet_not_found`, `too_many_photos`.
   */
  storeImage(petId: bigint, image: ProcessedImage, atMs: number): Promise<void>;
  /**
   * Adds a photo of a stored image after the others. The animal may have the image already: then its photo stays as it is.
   * Throws `pet_not_found`, `other_shelter`, `too_many_photos`.
   */
  add(petId: bigint, photo: NewPhoto, origin: ChangeOrigin): Promise<Photo>;
  /** Resolves to all photos in the new order. Throws `pet_not_found`, `other_shelter`, and `invalid_body` unless `ids` are exactly its photos. */
  order(petId: bigint, ids: bigint[], origin: ChangeOrigin): Promise<Photo[]>;
  /** Resolves to the photo with this text. Throws `pet_not_found`, `other_shelter`, `photo_not_found`. */
  setAlt(petId: bigint, photoId: bigint, alt: string, origin: ChangeOrigin): Promise<Photo>;
  /** Throws `pet_not_found`, `other_shelter`, `photo_not_found`. */
  delete(petId: bigint, photoId: bigint, origin: ChangeOrigin): Promise<void>;
  findFile(file: ImageFile): Promise<Buffer | undefined>;
  /** Deletes images without photos, a limited number per call. Resolves to more than 0 while there may be others. */
  forget(nowMs: number): Promise<number>;
}

/** The photo as it is sent. */
export function describePhoto({ id, hash, width, height, alt, widths }: Photo, publicUrl: string) {
  const urls: Record<number, string> = {};
  for (const each of widths)
    urls[Math.max(each, SMALLEST_WIDTH)] = `${publicUrl}/photos/${nameImageFile({ hash, width: each })}`;
  return { id, width, height, alt, urls };
}

function nameImageFile({ hash, width }: ImageFile): string {
  return `${hash}-${width}.webp`;
}

/** Undefined for a name that no file has. */
export function parseImageFileName(name: string): ImageFile | undefined {
  const [, hash = "", width = ""] = FILE_NAME.exec(name) ?? [];
  return hash === "" ? undefined : { hash, width: Number(width) };
}

/** Throws `photo_not_found`. */
export function requirePhoto(photos: Photo[], id: bigint): Photo {
  const photo = photos.find((each) => each.id === id);
  if (photo === undefined) throw new ServiceError("photo_not_found");
  return photo;
}

/** The images that no photo shows yet, each once. Throws `too_many_photos` if they are too many. */
export function findNewImages(photos: Photo[], hashes: string[]): string[] {
  const shown = new Set(photos.map(({ hash }) => hash));
  const wanted = [...new Set(hashes)].filter((hash) => !shown.has(hash));
  if (wanted.length > 0 && photos.length + wanted.length > PHOTOS_PER_PET_MAX)
    throw new ServiceError("too_many_photos");
  return wanted;
}

/** The photos in the order of `ids`. Throws `invalid_body` unless these are all of them, each once. */
export function reorderPhotos(photos: Photo[], ids: bigint[]): Photo[] {
  const byId = new Map(photos.map((photo) => [photo.id, photo]));
  const ordered = [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  if (ordered.length === photos.length && ids.length === photos.length) return ordered;
  const all = photos.map(({ id }) => id).join(", ");
  throw new ServiceError("invalid_body", {
    message: `order must contain every photo of the animal once: ${all === "" ? "it has none" : all}`,
  });
}
