// Photos of a listing.

/** A photo of a listing. Its addresses are paths: the public address of the service may change. */
export interface ListedPhoto {
  id: number;
  width: number;
  height: number;
  alt: string;
  urls: Record<number, string>;
}

/** The photos with changed addresses. */
export function mapUrls(photos: ListedPhoto[], change: (url: string) => string): ListedPhoto[] {
  return photos.map((photo) => ({
    ...photo,
    urls: Object.fromEntries(Object.entries(photo.urls).map(([width, url]) => [width, change(url)])),
  }));
}

/** The address of the largest file of each photo. */
export function largestUrls(photos: ListedPhoto[], publicUrl: string): string[] {
  // Members whose names are integers are in ascending order.
  return photos.map(({ urls }) => `${publicUrl}${Object.values(urls).at(-1)}`);
}
