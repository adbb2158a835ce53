// The mark: a paw whose pad is a house, on a tile in the accent.

/** In a square of 32. */
export const MARK = {
  corner: 8,
  paw: "M16.8 13.2l7.3 6a1.3 1.3 0 0 1 .5 1V26a1.3 1.3 0 0 1-1.3 1.3H8.7A1.3 1.3 0 0 1 7.4 26v-5.8a1.3 1.3 0 0 1 .5-1l7.3-6a1.3 1.3 0 0 1 1.6 0zM4 13.4a2.7 2.7 0 1 1 5.4 0 2.7 2.7 0 0 1-5.4 0zM9.7 7.8a2.7 2.7 0 1 1 5.4 0 2.7 2.7 0 0 1-5.4 0zM16.9 7.8a2.7 2.7 0 1 1 5.4 0 2.7 2.7 0 0 1-5.4 0zM22.6 13.4a2.7 2.7 0 1 1 5.4 0 2.7 2.7 0 0 1-5.4 0z",
} as const;

interface MarkColours {
  accent: string;
  onAccent: string;
}

/** An address for `<link rel="icon">`, without characters that HTML escapes. Colours are `#rrggbb`. */
export function markAddress({ accent, onAccent }: MarkColours): string {
  const { corner, paw } = MARK;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="${corner}" fill="${accent}"/><path fill="${onAccent}" d="${paw}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** For a page that is written as text. `markStyle` colours it. */
export function drawMark(): string {
  const { corner, paw } = MARK;
  return `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="${corner}"/><path d="${paw}"/></svg>`;
}

/** Its colours and usual size, for every page that has a style sheet. */
export function markStyle(): string {
  return ".mark{flex:none;width:2rem;height:2rem;fill:var(--accent)}.mark path{fill:var(--on-accent)}\n";
}
