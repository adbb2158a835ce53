// The tokens of the look, shared by console, reference, public pages and widget: colours except the accent, type, spaces and corners.

type Pair = readonly [light: string, dark: string];

/** A name that ends in `-text` is the text on the colour before it. */
export const COLOURS = {
  text: ["#2b2622", "#efe9e1"],
  quiet: ["#645b52", "#b9afa4"],
  ground: ["#fffdf9", "#1d1a17"],
  /** The darkest ground of links in light, and the lightest one in dark. */
  panel: ["#f2ede4", "#2e2a26"],
  line: ["#ddd5c8", "#463f39"],
  edge: ["#8d8377", "#887d72"],
  chosen: ["#fbe7d9", "#4a2a18"],
  "chosen-text": ["#85330a", "#ffc6a3"],
  good: ["#dff1e0", "#1b3a22"],
  "good-text": ["#1d5a2b", "#9adfa8"],
  held: ["#fdeec9", "#463511"],
  "held-text": ["#6d4600", "#f7d084"],
  agreed: ["#dcebf7", "#18344a"],
  "agreed-text": ["#174f78", "#a4d3f5"],
  calm: ["#ece7de", "#37322d"],
  "calm-text": ["#564e46", "#cdc4b9"],
  bad: ["#fbe0e4", "#4b1a24"],
  "bad-text": ["#931530", "#ffb0bd"],
  danger: ["#b3123a", "#ff93a6"],
} as const satisfies Record<string, Pair>;

const OTHERS = {
  font: "system-ui,sans-serif",
  /** Rounded letters where the system has them. */
  "font-title": "ui-rounded,system-ui,sans-serif",
  small: "0.875rem",
  large: "1.25rem",
  title: "1.625rem",
  display: "clamp(1.75rem,1.4rem + 2vw,2.6rem)",
  "corner-small": "0.375rem",
  corner: "0.625rem",
  "corner-large": "0.875rem",
  round: "99px",
  shadow: "0 1px 2px rgb(50 30 10/10%),0 6px 24px rgb(50 30 10/16%)",
} as const;

/** A style sheet that sets them as custom properties. Paper is white. */
export function tokenStyle(): string {
  const others = Object.entries(OTHERS).map(declare).join(";");
  return `:root{${coloursOf(0)};${others}}@media screen and (prefers-color-scheme:dark){:root{${coloursOf(1)}}}@media print{:root{--ground:#fff;--panel:#fff}}\n`;
}

/** For a style that cannot use custom properties of the page. */
export function token(name: keyof typeof OTHERS): string {
  return OTHERS[name];
}

function coloursOf(scheme: 0 | 1): string {
  return Object.entries(COLOURS)
    .map(([name, pair]) => declare([name, pair[scheme]]))
    .join(";");
}

function declare([name, value]: [string, string]): string {
  return `--${name}:${value}`;
}
