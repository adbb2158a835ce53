// The preview of the widget in its guide: the real element, with the publishable key of the reader.

import { addressOf } from "../shared/state/addresses.ts";

export function startWidgetPreview(): void {
  const form = document.querySelector<HTMLFormElement>("form.preview");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    void import(addressOf("widget.js"));
    const list = document.createElement("animal-store-list");
    list.setAttribute("src", addressOf(""));
    list.setAttribute("key", form.querySelector("input")?.value.trim() ?? "");
    list.setAttribute("limit", "4");
    list.setAttribute("filters", "");
    form.nextElementSibling?.replaceChildren(list);
  });
}
