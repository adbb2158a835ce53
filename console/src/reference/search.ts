// The search over operations, guides, shapes and error codes, from the text of the page itself.

import { findEntries, type SearchEntry } from "./search-entries.ts";

const field = document.getElementById("search") as HTMLInputElement;
const list = document.getElementById("results") as HTMLUListElement;
const status = document.getElementById("found") as HTMLElement;
let entries: SearchEntry[] | undefined;
let chosen = -1;

export function startSearch(): void {
  field.addEventListener("input", showResults);
  field.addEventListener("focus", showResults);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", handleKey);
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  // Before the blur of the field, which would close the list.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = target instanceof Element ? target.closest("li") : null;
    if (option) open(option);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.select();
    field.focus();
  });
}

function showResults(): void {
  entries ??= readEntries();
  const query = field.value.trim();
  const found = findEntries(entries, query);
  list.replaceChildren(...found.map(createOption));
  chosen = found.length > 0 ? 0 : -1;
  list.hidden = found.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  status.textContent = query === "" ? "" : found.length === 0 ? "Nothing found" : `${found.length} found`;
  field.form?.classList.toggle("nothing", query !== "" && found.length === 0);
  markChosen();
}

function createOption({ id, kind, title, detail }: SearchEntry, index: number): HTMLLIElement {
  const option = document.createElement("li");
  option.id = `result-${index}`;
  option.role = "option";
  option.dataset.target = id;
  for (const [name, text] of Object.entries({ title, kind, detail })) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    option.append(part, " ");
  }
  return option;
}

function handleKey(event: KeyboardEvent): void {
  const options = [...list.children];
  if (event.key === "Escape") {
    field.value = "";
    showResults();
    if (options.length === 0) field.blur();
  } else if (event.key === "Enter") {
    const option = list.children[chosen];
    if (option instanceof HTMLElement && !list.hidden) open(option);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (options.length === 0) return;
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length;
    markChosen();
  } else return;
  event.preventDefault();
}

function markChosen(): void {
  for (const [index, option] of [...list.children].entries()) {
    option.setAttribute("aria-selected", String(index === chosen));
    if (index === chosen) option.scrollIntoView({ block: "nearest" });
  }
  if (chosen < 0) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", `result-${chosen}`);
}

function close(): void {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
  field.form?.classList.remove("nothing");
}

/** Moves there, and the focus with it, so that Tab continues from the section. */
function open(option: HTMLElement): void {
  const { target = "" } = option.dataset;
  field.value = "";
  close();
  location.hash = target;
  const section = document.getElementById(target);
  const focusable = section?.querySelector<HTMLElement>(".anchor") ?? section;
  if (focusable === section) focusable?.setAttribute("tabindex", "-1");
  focusable?.focus({ preventScroll: true });
}

function readEntries(): SearchEntry[] {
  const sections = [...document.querySelectorAll<HTMLElement>("section[data-kind]")].map((section) => ({
    id: section.id,
    kind: section.dataset.kind ?? "",
    title: textOf(section, "h3"),
    detail: textOf(section, ".address"),
    // Without the code, which contains every word many times.
    text: [...section.querySelectorAll("p, td, .address")].map((part) => part.textContent).join(" "),
  }));
  const errors = [...document.querySelectorAll<HTMLElement>("tr[id]")].map((row) => ({
    id: row.id,
    kind: "Error",
    title: textOf(row, "td"),
    detail: textOf(row, "td:last-child"),
    text: row.textContent,
  }));
  return [...sections, ...errors];
}

function textOf(parent: Element, selector: string): string {
  return parent.querySelector(selector)?.textContent ?? "";
}
