// The style sheets of the pages: one for all, and one for an accent, each under an address that changes with its content. And the mark.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ACCENT_PATTERN } from "../domain/site/site.ts";
import { accentStyle, DEFAULT_ACCENT, deriveColours } from "../look/accent.ts";
import { markAddress, markStyle } from "../look/mark.ts";
import { tokenStyle } from "../look/tokens.ts";
import { silhouetteAddress } from "./silhouettes.ts";

const ACCENT = new RegExp(ACCENT_PATTERN);
const HASH_LENGTH = 12;
/** Linear: fixed lengths. */
const NAME = /^(style|[0-9a-f]{6})-([0-9a-f]{12})\.css$/;

const STYLE = [
  tokenStyle(),
  accentStyle(DEFAULT_ACCENT),
  markStyle(),
  `:root{--silhouette:url("${silhouetteAddress()}")}`,
  readFileSync(new URL("style.css", import.meta.url), "utf8"),
].join("");

interface StyleSheet {
  text: string;
  /** False for the address of another release: a page in a cache may still name it. */
  isCurrent: boolean;
}

/** The paths of the style sheets of a site, in their order. */
export function stylePaths(chosen: string | undefined): string[] {
  const accent = known(chosen);
  const paths = [`/site/${nameOf("style", STYLE)}`];
  if (accent !== undefined) paths.push(`/site/${nameOf(accent.slice(1), accentStyle(accent))}`);
  return paths;
}

/** The mark as the icon of the pages. */
export function iconAddress(chosen: string | undefined): string {
  return markAddress(deriveColours(known(chosen) ?? DEFAULT_ACCENT));
}

function known(accent: string | undefined): string | undefined {
  return accent !== undefined && ACCENT.test(accent) ? accent : undefined;
}

/** Undefined for a name that no style sheet has. */
export function findStyle(name: string): StyleSheet | undefined {
  const [, kind] = NAME.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const text = kind === "style" ? STYLE : accentStyle(`#${kind}`);
  return { text, isCurrent: name === nameOf(kind, text) };
}

function nameOf(kind: string, text: string): string {
  return `${kind}-${hash("sha256", text, "hex").slice(0, HASH_LENGTH)}.css`;
}
