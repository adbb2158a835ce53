// The current place of the console, from the fragment of the address: `#animals?status=pending`, `#animals/12`.

import { computed, signal } from "@preact/signals";
import { mayLeave } from "./leaving.ts";
import { isAllowed } from "./permissions.ts";
import { noteStep } from "./scroll-memory.ts";
import { session } from "./session.ts";

const PLACES = [
  { name: "today", isOffered: () => isAllowed("listListings") },
  { name: "animals", isOffered: () => isAllowed("listPets") },
  { name: "orders", isOffered: () => isAllowed("listOrders") },
  { name: "categories", isOffered: () => isAllowed("listCategories") },
  { name: "shelters", isOffered: () => isAllowed("listShelters") },
  { name: "site", isOffered: () => isAllowed("updateSite") },
  { name: "webhooks", isOffered: () => isAllowed("listWebhooks") },
  { name: "people", isOffered: () => isAllowed("listPeople") },
  { name: "keys", isOffered: () => isAllowed("listKeys") },
  { name: "audit", isOffered: () => isAllowed("listAudit") },
  { name: "usage", isOffered: () => isAllowed("getUsage") },
  { name: "account", isOffered: () => session.value?.person !== undefined },
] as const;

/** Instead of an animal's id: the page that imports animals. */
export const IMPORT_ID = "import";

export type PlaceName = (typeof PLACES)[number]["name"];
export type Query = Record<string, string | undefined>;

/** The fragment, and what the history keeps for it: the cursors of the pages before this one. */
const address = signal(readAddress());
const parts = computed(() => splitFragment(address.value.fragment));

for (const type of ["hashchange", "popstate"]) addEventListener(type, follow);

export function offeredPlaces() {
  return PLACES.filter(({ isOffered }) => session.value !== undefined && isOffered());
}

/** Today, where the address names no place; animals, where the key cannot open it. */
export function currentPlace(): PlaceName {
  const { name: wanted } = parts.value;
  return offeredPlaces().find(({ name }) => name === (wanted || "today"))?.name ?? "animals";
}

/** The part after the slash, such as the id of an animal; undefined for a list, and for a place that is not shown. */
export function currentId(): string | undefined {
  return parts.value.name === currentPlace() ? parts.value.id : undefined;
}

export function queryValue(name: string): string | undefined {
  return parts.value.query.get(name) ?? undefined;
}

/** Undefined if the address has a value that does not exist. */
export function queryChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === parts.value.query.get(name));
}

/** The cursors of the pages up to this one; undefined for a page that was opened by its address. */
export function pageCursors(): string[] | undefined {
  return address.value.cursors;
}

export function hrefOf(place: PlaceName, id?: string, query: Query = {}): string {
  const given = Object.entries(query).filter((each): each is [string, string] => (each[1] ?? "") !== "");
  const path = id === undefined ? place : `${place}/${encodeURIComponent(id)}`;
  return given.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(given)}`;
}

interface StepOptions {
  /** Replaces the current entry of the history: for a search while it is typed. */
  isReplacing?: boolean;
  cursors?: string[];
}

/** Changes the named values of the current list and keeps the others. Undefined removes one. */
export function setQuery(changes: Query, { isReplacing = false, cursors }: StepOptions = {}): void {
  const { id, query } = parts.value;
  const href = hrefOf(currentPlace(), id, { ...Object.fromEntries(query), ...changes });
  if (isReplacing) history.replaceState({ ...history.state, cursors }, "", href);
  else history.pushState({ cursors }, "", href);
  noteAddress();
}

/** Changes filters or the search, and shows the first page. */
export function setFilter(changes: Query, options?: Pick<StepOptions, "isReplacing">): void {
  setQuery({ ...changes, after: undefined, page: undefined }, options);
}

/** The browser has already gone back or forward. Whoever stays gets a new entry of the history in place of the left one. */
function follow(): void {
  const { fragment, cursors } = address.value;
  const { name, id } = splitFragment(location.hash.slice(1));
  const isSamePage = name === parts.value.name && id === parts.value.id;
  if (!isSamePage && !mayLeave()) history.pushState({ cursors }, "", `#${fragment}`);
  noteAddress();
}

function noteAddress(): void {
  noteStep();
  address.value = readAddress();
}

function readAddress(): { fragment: string; cursors: string[] | undefined } {
  const state = history.state as { cursors?: string[] } | null;
  return { fragment: location.hash.slice(1), cursors: state?.cursors };
}

function splitFragment(fragment: string): { name: string; id: string | undefined; query: URLSearchParams } {
  const mark = fragment.indexOf("?");
  const path = mark === -1 ? fragment : fragment.slice(0, mark);
  const slash = path.indexOf("/");
  return {
    name: slash === -1 ? path : path.slice(0, slash),
    id: slash === -1 ? undefined : decode(path.slice(slash + 1)),
    query: new URLSearchParams(mark === -1 ? "" : fragment.slice(mark + 1)),
  };
}

/** An address that was typed by hand may be malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
