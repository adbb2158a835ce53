// Texts of views that are loaded on demand, in the language of the console.

import { language } from "./language.ts";
import { PAGES_DE } from "./pages-de.ts";
import { PAGES_EN, type PageTexts } from "./pages-en.ts";

/** As `t`, but only for views that are loaded on demand: elsewhere it would make the first view larger. */
export function later(): PageTexts {
  return language.value === "de" ? PAGES_DE : PAGES_EN;
}
