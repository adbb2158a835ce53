// The language of the console: the user's choice on this device, otherwise the first known one of the browser.

import { signal } from "@preact/signals";
import { addressOf } from "../state/addresses.ts";
import { loadPart } from "../state/load-part.ts";
import { readStored, writeStored } from "../state/storage.ts";
import { EN, type Texts } from "./first-view-en.ts";

/** Each in its own words. English is part of the page; another language is loaded when it is chosen. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const NAME = `animal-store-language:${new URL(addressOf("")).pathname}`;

export const language = signal<Language>("en");
const texts = signal<Texts>(EN);
let started: Promise<void> | undefined;

export function t(): Texts {
  return texts.value;
}

/** Resolves when the page can be shown. If the texts cannot be loaded, it is shown in English. */
export function startLanguage(): Promise<void> {
  started ??= show(known(readStored("localStorage", NAME)) ?? findPreferred()).catch(() => show("en"));
  return started;
}

/** Rejects when the texts cannot be loaded; the language stays as it is. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  await show(chosen);
  writeStored("localStorage", NAME, chosen);
}

async function show(chosen: Language): Promise<void> {
  texts.value = chosen === "de" ? (await loadPart(() => import("./first-view-de.ts"))).DE : EN;
  language.value = chosen;
  document.documentElement.lang = chosen;
}

function findPreferred(): Language {
  for (const tag of navigator.languages) {
    const found = known(tag.toLowerCase().split("-")[0]);
    if (found !== undefined) return found;
  }
  return "en";
}

function known(name: string | undefined): Language | undefined {
  return (Object.keys(LANGUAGES) as Language[]).find((each) => each === name);
}
