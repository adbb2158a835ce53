// Texts of views that are loaded on demand, in the language of the console.

import { language } from "./language.ts";
import { LAZY_DE } from "./lazy-de.ts";
import { LAZY_EN, type LazyTexts } from "./lazy-en.ts";

/** As `t`, but only for views that are loaded on demand: elsewhere it would make the first view larger. */
export function later(): LazyTexts {
  return language.value === "de" ? LAZY_DE : LAZY_EN;
}
