// Colours of the pages, derived from one accent: text on it and links in it have enough contrast in light and in dark.

type Colour = [red: number, green: number, blue: number];

/** The product's own. */
export const DEFAULT_ACCENT = "#0b6b50";
/** Backgrounds of the pages; links appear on panels too, which are a little nearer to the middle. */
const LIGHT_PANEL: Colour = [242, 237, 228];
const DARK_PANEL: Colour = [46, 42, 38];
const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
/** WCAG 2, level AA, for text. */
const CONTRAST_MIN = 4.5;
const STEPS = 40;

/** A style sheet that sets the accent, the text on it, and links, for both schemes. `accent` is `#rrggbb`. */
export function accentStyle(accent: string): string {
  const colour = parse(accent);
  const onAccent = format(contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK);
  const fill = `--accent:${format(colour)};--on-accent:${onAccent}`;
  const light = format(readable(colour, LIGHT_PANEL, BLACK));
  const dark = format(readable(colour, DARK_PANEL, WHITE));
  return `:root{${fill};--link:${light}}@media (prefers-color-scheme:dark){:root{--link:${dark}}}@media print{:root{--link:${light}}}\n`;
}

/** The accent, mixed with as much of `towards` as the contrast needs. */
function readable(accent: Colour, ground: Colour, towards: Colour): Colour {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = accent.map((value, index) =>
      Math.round(value + (((towards[index] as number) - value) * step) / STEPS),
    ) as Colour;
    if (contrast(mixed, ground) >= CONTRAST_MIN) return mixed;
  }
  return towards;
}

export function contrast(one: Colour, other: Colour): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The relative luminance of WCAG 2. */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function parse(text: string): Colour {
  return [1, 3, 5].map((start) => Number.parseInt(text.slice(start, start + 2), 16)) as Colour;
}

function format(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
