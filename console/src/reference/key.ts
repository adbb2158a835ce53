// The key and the address of the reader: shared with the console, and filled into the code of the page.

import { addressOf } from "../shared/state/addresses.ts";
import { findStoredKey, forgetKey, storeKey } from "../shared/state/stored-key.ts";

/** Anything else would need quotes in some of the samples. */
const PLAIN = /^[\w.~+/:=%[\]-]+$/;

const field = document.getElementById("key") as HTMLInputElement;

export function currentKey(): string {
  return field.value.trim();
}

export function startKey(): void {
  field.value = findStoredKey() ?? "";
  fillAll(".root", addressOf("").replace(/\/$/, ""));
  showKey();
  field.addEventListener("input", () => {
    storeKey(currentKey() || undefined);
    showKey();
  });
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("forget")?.addEventListener("click", () => {
    field.value = "";
    // Also the key that the console remembers on this device, which a reload would bring back.
    forgetKey();
    showKey();
    field.focus();
  });
  // A printed key could be seen by others.
  addEventListener("beforeprint", () => fillAll(".key", ""));
  addEventListener("afterprint", showKey);
}

function showKey(): void {
  fillAll(".key", currentKey());
  for (const hint of document.querySelectorAll<HTMLElement>(".no-key")) hint.hidden = currentKey() !== "";
}

/** Restores the original text where `text` is empty or not plain. */
function fillAll(selector: string, text: string): void {
  for (const place of document.querySelectorAll<HTMLElement>(`pre ${selector}`)) {
    place.dataset.given ??= place.textContent;
    place.textContent = PLAIN.test(text) ? text : place.dataset.given;
  }
}
