// Photos as a listing stores and sends them.

/**
 * Stands for the public address of the service in stored JSON. No text of a client contains it, because all refuse control
 * characters, and JSON allows it unescaped.
 */
export const PUBLIC_URL = "\u007f";

/** A photo as a listing shows it, with a placeholder for the public address. */
export interface ListedPhoto {
  id: number;
  width: number;
  height: number;
  alt: string;
  urls: Record<number, string>;
}

/** Reads the text of `photosJson`; null if the animal has no photos. */
export function parsePhotos(json: string | null): ListedPhoto[] {
  return json === null ? [] : JSON.parse(json);
}

/** Replaces the placeholder of the public address in JSON with photos. */
export function completePhotoUrls(json: string, publicUrl: string): string {
  return json.replaceAll(PUBLIC_URL, () => publicUrl);
}

/** The address of the largest file of each photo. */
export function largestUrls(photos: ListedPhoto[], publicUrl: string): string[] {
  // Members whose names are integers are in ascending order.
  return photos.map(({ urls }) => completePhotoUrls(Object.values(urls).at(-1) ?? "", publicUrl));
}
