// The photos of an animal as they are stored: as JSON in its row, and in the history.

import { type ListedPhoto, mapUrls } from "../../../domain/animals/listed-photo.ts";
import { describePhoto, type Photo } from "../../../domain/animals/photo.ts";
import { exactJson } from "../../../tools/exact-json.ts";

/** Stored before every path. Nodes of release 1.1 read it too: they replace it with the public address. */
const PATH_MARK = "\u007f";

/** Null without photos. */
export function writePhotos(photos: Photo[]): string | null {
  return photos.length === 0 ? null : exactJson(photos.map((photo) => describePhoto(photo, PATH_MARK)));
}

export function readPhotos(json: string | null): ListedPhoto[] {
  return json === null ? [] : unmarkPaths(JSON.parse(json));
}

/** SQL of the JSON that is sent; `publicUrl` is SQL, too. */
export function photosSql(publicUrl: string): string {
  return `coalesce(replace(photos, '${PATH_MARK}', ${publicUrl}), '[]')`;
}

export function markPaths(photos: ListedPhoto[]): ListedPhoto[] {
  return mapUrls(photos, (path) => `${PATH_MARK}${path}`);
}

export function unmarkPaths(photos: ListedPhoto[]): ListedPhoto[] {
  return mapUrls(photos, (url) => url.slice(PATH_MARK.length));
}
