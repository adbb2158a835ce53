// The languages of the samples: a choice holds for all operations, and for later visits.

import { writeStored } from "../shared/state/storage.ts";

const LANGUAGES = ["sh", "js", "python"];
/** Also in early.ts, which must not import anything. */
const NAME = "animal-store-samples";

export function startTabs(): void {
  showLanguage(document.documentElement.dataset.language ?? "");
  document.addEventListener("click", ({ target }) => {
    const tab = findTab(target);
    if (tab !== null) chooseLanguage(tab);
  });
  document.addEventListener("keydown", (event) => {
    const tab = findTab(event.target);
    const next = tab && neighbourOf(tab, event.key);
    if (!next) return;
    event.preventDefault();
    chooseLanguage(next);
    next.focus();
  });
}

function findTab(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[role=tab]") : null;
}

/** As the tabs pattern of ARIA says: arrows move around the end, Home and End to the ends. */
function neighbourOf(tab: HTMLElement, key: string): HTMLElement | undefined {
  const tabs = [...(tab.parentElement?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
  const place = tabs.indexOf(tab);
  if (key === "ArrowRight") return tabs[(place + 1) % tabs.length];
  if (key === "ArrowLeft") return tabs.at(place - 1);
  if (key === "Home") return tabs[0];
  return key === "End" ? tabs.at(-1) : undefined;
}

/** The tab stays where it is, although the samples above it change their height. Safari does not do this by itself. */
function chooseLanguage(tab: HTMLElement): void {
  const { language = "" } = tab.dataset;
  const before = tab.getBoundingClientRect().top;
  showLanguage(language);
  window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  writeStored("localStorage", NAME, language);
}

function showLanguage(wanted: string): void {
  const language = LANGUAGES.includes(wanted) ? wanted : LANGUAGES[0];
  document.documentElement.dataset.language = language;
  for (const tab of document.querySelectorAll<HTMLElement>("[role=tab]")) {
    const isChosen = tab.dataset.language === language;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
}
