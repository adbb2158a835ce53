// The workloads: each entry says what is requested, which responses are good, and which targets hold. Add new ones here.

import { encodeCursor } from "../src/domain/basics/cursor.ts";
import type { Answer } from "../test/harness/clients/call.ts";
import { COMMON_WORD, RARE_ANIMALS, rareWord } from "./data/animals.ts";
import type { Server } from "./servers/process.ts";

/**
 * The place where a workload runs, and its reference.
 * node: one node with the large store, compared with the bare server, beside a peer.
 * sizes: one node with each store, compared with `get by id` on the same node, and the sizes with each other.
 * network: three nodes behind nginx, compared with the previous release. PostgreSQL only.
 * import: a node during the command `import`, compared with the same node before it.
 */
export type Setting = "node" | "sizes" | "network" | "import";

export interface Workload {
  /** With spaces instead of hyphens, the title. */
  name: string;
  meaning: string;
  setting: Setting;
  kinds: Kind[];
  /** The number of each kind in a hundred requests; absent if there is only one kind. */
  shares?: number[];
  /** The least rate compared with the reference, in the order of the engines. */
  least?: Targets;
  /** False where only the service has such a page. */
  hasPeer?: boolean;
  /** A few more connections time the hot list: the highest 99th percentile compared with the reference. */
  probe?: Targets;
}

export type Targets = Array<number | undefined>;

export interface Kind {
  isGood(answer: Answer): boolean;
  /** `index` counts from 0: requests that no cache may answer differ by it. */
  build(target: Target, index: number): string | Request;
}

/** A server, and the ETag of its first page, empty if it sends none. */
type Target = Pick<Server, "animals" | "pageAfter"> & { etag: string };

export interface Request {
  path: string;
  headers?: Record<string, string>;
  /** Absent: a GET; otherwise a POST. */
  body?: object;
}

const PAGE_ITEMS = 20;
const SEARCHES = [0.1, 0.08];
export const FIRST_PAGE = "/v1/pets?status=available";
/** A prime step through the ids: all of them are visited before one repeats. */
const STEP = 618_029;

const hot: Kind = { isGood: hasItems(PAGE_ITEMS), build: () => FIRST_PAGE };
const unchanged: Kind = {
  isGood: ({ status, text }) => status === 304 && text === "",
  build: ({ etag }) => ({ path: FIRST_PAGE, headers: { "If-None-Match": etag } }),
};
const fromOrigin: Kind = {
  isGood: (answer) => hot.isGood(answer) && "access-control-allow-origin" in answer.headers,
  build: () => ({ path: FIRST_PAGE, headers: { Origin: "https://adopt.example.org" } }),
};
const cold: Kind = { isGood: hot.isGood, build: (server, i) => server.pageAfter(spread(server.animals, i)) };
const get: Kind = { isGood: isPet(200), build: ({ animals }, i) => `/v1/pets/${spread(animals, i)}` };
const pet = { name: "Rex", categoryId: 3, status: "available" };
const create: Kind = { isGood: isPet(201), build: () => ({ path: "/v1/pets", body: pet }) };
const publicPage = visit(() => "/animals");
const publicSearch = visit((i) => `/animals?q=${rareWord(i)}xx`);
// The hot list is first: the probe asks the bare server for its first response.
const mixed = [hot, get, create];
const first = search(PAGE_ITEMS, () => "");
const filtered = searchPage("status=available&species=dog&sex=female&size=large", (id) => id);
const rare = search(RARE_ANIMALS, (i, animals) => `status=any&q=${rareWord(i % (animals / RARE_ANIMALS))}`);
const absent = search(0, (i) => `q=${rareWord(i)}xx`);
// No name has the word: after the names, the cursors of a search are negative.
const common = searchPage(`status=available&q=${COMMON_WORD}`, (id) => -id);

const ENTRIES: Record<Setting, Array<Omit<Workload, "setting">>> = {
  node: [
    { name: "hot-list", meaning: "first page of `GET /v1/pets`", kinds: [hot], least: [0.75, 0.65] },
    { name: "unchanged-list", meaning: "with `If-None-Match`: 304", kinds: [unchanged], least: [0.95, 0.6] },
    { name: "origin-list", meaning: "hot list with `Origin`", kinds: [fromOrigin], least: [0.85] },
    { name: "cold-list", meaning: "any page of `GET /v1/pets`", kinds: [cold], least: [0.4, 0.3] },
    { name: "get-by-id", meaning: "any animal", kinds: [get], least: [0.6, 0.35] },
    { name: "create", meaning: "on disk before the response", kinds: [create], least: [0.4, 0.3] },
    {
      name: "public-page",
      meaning: "`GET /animals`, uncompressed",
      kinds: [publicPage],
      least: [0.6, 0.45],
      hasPeer: false,
    },
    {
      name: "public-search",
      meaning: "`/animals?q=` with ever new words",
      // The hot list is first, as in the mix.
      kinds: [hot, publicSearch],
      shares: [1, 99],
      probe: [3],
      hasPeer: false,
    },
    { name: "mix", meaning: "90 % hot, 8 % get, 2 % create", kinds: mixed, shares: [90, 8, 2], probe: [3] },
  ],
  sizes: [
    { name: "first-page", meaning: "first page of `GET /v1/listings`", kinds: [first] },
    { name: "filtered-page", meaning: "any page of 3 filters", kinds: [filtered], least: [0.25, 0.15] },
    { name: "rare-word", meaning: "any word of 10 animals", kinds: [rare], least: SEARCHES },
    { name: "absent-word", meaning: "any word of no animal", kinds: [absent], least: SEARCHES },
    { name: "common-word", meaning: "any page of a word of a third", kinds: [common], least: SEARCHES },
  ],
  network: [
    { name: "network-create", meaning: "create on 3 nodes", kinds: [create], least: [undefined, 0.95] },
    { name: "network-hot-list", meaning: "hot list on 3 nodes", kinds: [hot], least: [undefined, 0.95] },
  ],
  import: [{ name: "import", meaning: "the command beside clients of the hot list", kinds: [hot] }],
};

export const WORKLOADS: Workload[] = Object.entries(ENTRIES).flatMap(([setting, entries]) =>
  entries.map((entry) => ({ ...entry, setting: setting as Setting })),
);

export function getWorkload(name: string): Workload {
  return WORKLOADS.find((workload) => workload.name === name) as Workload;
}

/** A public page. Each address may read 120 a minute, so every request has another one. */
function visit(pathOf: (index: number) => string): Kind {
  return {
    isGood: ({ status, text }) => status === 200 && text.startsWith("<!doctype html>"),
    build(_target, index) {
      const parts = [index >> 16, index >> 8, index].map((part) => part & 255);
      return { path: pathOf(index), headers: { "X-Forwarded-For": `10.${parts.join(".")}` } };
    },
  };
}

/** A page of listings with this number of items. */
function search(items: number, query: (index: number, animals: number) => string): Kind {
  return { isGood: hasItems(items), build: ({ animals }, i) => `/v1/listings?${query(i, animals)}` };
}

/** Starts in the newer half, so that every page is full. */
function searchPage(filters: string, toPlace: (id: number) => number): Kind {
  return search(PAGE_ITEMS, (index, animals) => {
    const place = toPlace(animals - ((index * 7) % Math.floor(animals / 2)));
    return `${filters}&cursor=${encodeCursor(`listings?${filters}`, BigInt(place))}`;
  });
}

/** A page that starts after this animal is full and has a next page, so that all responses have the same form. */
function spread(animals: number, index: number): number {
  return 1 + ((index * STEP) % (animals - PAGE_ITEMS - 1));
}

function hasItems(items: number): Kind["isGood"] {
  return ({ status, text }) => status === 200 && JSON.parse(text).length === items;
}

function isPet(wanted: number): Kind["isGood"] {
  return ({ status, text }) => status === wanted && typeof JSON.parse(text).id === "number";
}
