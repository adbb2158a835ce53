// Drawings for animals without a photo, by species.

import type { Species } from "../domain/animals/profile.ts";
import { html, type Markup } from "./html.ts";

/** Paths in a square of 64. */
const PATHS: Record<Species, string> = {
  dog: "M20 14c-7-2-13 3-13 12 0 7 3 12 7 13v3c0 8 8 13 18 13s18-5 18-13v-3c4-1 7-6 7-13 0-9-6-14-13-12-3-2-7-3-12-3s-9 1-12 3z",
  cat: "M12 9c-1 0-2 1-2 2v24c0 12 9 20 22 20s22-8 22-20V11c0-1-1-2-2-2l-11 9a30 30 0 0 0-18 0z",
  rabbit:
    "M24 4c-5 0-7 7-6 15 1 5 2 8 4 11-5 3-8 8-8 14 0 9 8 15 18 15s18-6 18-15c0-6-3-11-8-14 2-3 3-6 4-11 1-8-1-15-6-15-4 0-7 8-7 20a16 16 0 0 0-2 0C31 12 28 4 24 4z",
  bird: "M41 8a12 12 0 0 0-12 12v3C25 33 16 40 4 42c6 8 15 12 25 12 15 0 25-10 25-24V19l7-3-8-2a12 12 0 0 0-12-6z",
  horse:
    "M24 4c1 4 1 6 0 9L12 33c-3 5-2 9 2 11 3 2 7 1 9-2l3-4c3 2 6 2 9 1-1 7-5 12-9 21h28c2-13 2-27-4-37C44 13 36 7 24 4z",
  reptile:
    "M14 26c0-12 10-18 20-18 13 0 22 8 24 18h3c2 0 3 2 2 4-2 4-6 6-10 6l-2 8c-1 4-7 4-8 0l-1-6H28l-2 7c-1 4-7 4-8 0l-2-9c-6 1-13-2-14-7-1-3 4-5 8-4z",
  small_animal:
    "M18 12a9 9 0 0 0-7 15C7 31 5 36 5 41c0 10 11 15 27 15s27-5 27-15c0-5-2-10-6-14a9 9 0 0 0-13-12c-5-1-11-1-16 0a9 9 0 0 0-6-3z",
  farm_animal:
    "M23 8a9 9 0 0 0-9 6c-5 0-9 4-8 9-4 4-3 10 1 13-1 5 3 9 8 9v9c0 3 6 3 6 0v-7h18v7c0 3 6 3 6 0V44c4-2 6-6 5-10h5c5 0 7-5 5-9l-5-7c-2-3-6-4-9-2-3-3-7-4-10-2-3-5-9-7-13-6z",
  other:
    "M32 30c-8 0-18 10-18 18 0 6 5 8 9 7 3-1 6-2 9-2s6 1 9 2c4 1 9-1 9-7 0-8-10-18-18-18zM12 22c-5 1-7 6-5 11s7 7 10 5 4-7 3-10-4-7-8-6zM52 22c-4-1-7 3-8 6s0 8 3 10 8 0 10-5 0-10-5-11zM24 8c-4 1-6 6-5 11s5 8 8 7 5-6 4-11-4-8-7-7zM40 8c-3-1-6 2-7 7s1 10 4 11 7-2 8-7-1-10-5-11z",
};

/** For a style sheet, in place of a photo that does not load. Without quotes. */
export function silhouetteAddress(): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path d="${PATHS.other}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function silhouette(species: Species = "other"): Markup {
  return html`<svg class="silhouette" viewBox="0 0 64 64" aria-hidden="true" focusable="false"><path d="${PATHS[species]}"/></svg>`;
}
