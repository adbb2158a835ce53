// The accent, and the colours derived from it: text on it and links in it have enough contrast in light and in dark.

import { COLOURS } from "./tokens.ts";

type Colour = [red: number, green: number, blue: number];

/** The product's own: a store can choose another one for its public pages and the header of its console. */
export const DEFAULT_ACCENT = "#b5470f";

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
/** WCAG 2, level AA, for text. */
const CONTRAST_MIN = 4.5;
const STEPS = 40;

export interface AccentColours {
  accent: string;
  /** Text on the accent. */
  onAccent: string;
  /** The accent as text, in light and in dark. */
  links: [light: string, dark: string];
}

/** `accent` is `#rrggbb`. */
export function deriveColours(accent: string): AccentColours {
  const colour = parse(accent);
  // Links appear on panels too, which are a little nearer to the middle than other grounds.
  const [lightPanel, darkPanel] = COLOURS.panel.map(parse) as [Colour, Colour];
  return {
    accent: format(colour),
    onAccent: format(contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK),
    links: [format(readable(colour, lightPanel, BLACK)), format(readable(colour, darkPanel, WHITE))],
  };
}

/** A style sheet that sets the accent, the text on it, and links, for both schemes. Paper is light. */
export function accentStyle(accent: string): string {
  const { accent: fill, onAccent, links } = deriveColours(accent);
  return `:root{--accent:${fill};--on-accent:${onAccent};--link:${links[0]}}@media screen and (prefers-color-scheme:dark){:root{--link:${links[1]}}}\n`;
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
