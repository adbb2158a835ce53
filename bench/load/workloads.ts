// The workloads, and the kinds of requests in each.

/**
 * hot: the first page. unchanged: the same with If-None-Match. origin: the same with Origin. cold: a page that was not
 * requested recently.
 */
export const KINDS = ["hot", "unchanged", "origin", "cold", "get", "create"] as const;
export type Kind = (typeof KINDS)[number];

interface Workload {
  title: string;
  /** Description in the document. */
  meaning: string;
  /** Number of requests of each kind in a hundred. */
  parts: Partial<Record<Kind, number>>;
}

export const WORKLOADS = {
  "hot-list": {
    title: "hot list",
    meaning: "`GET /v1/pets?status=available`: the first page, 20 animals, the same for every request",
    parts: { hot: 100 },
  },
  "unchanged-list": {
    title: "unchanged list",
    meaning:
      "the hot list with `If-None-Match`, as clients send it that keep the last response: 304 without a body",
    parts: { unchanged: 100 },
  },
  "origin-list": {
    title: "origin list",
    meaning:
      "the hot list with an `Origin` header, as browsers send it from pages of other sites; any origin is allowed",
    parts: { origin: 100 },
  },
  "cold-list": {
    title: "cold list",
    meaning: "`GET /v1/pets?cursor=…`: 20 animals, a different page with every request",
    parts: { cold: 100 },
  },
  get: {
    title: "get by id",
    meaning: "`GET /v1/pets/{petId}`: a different animal with every request",
    parts: { get: 100 },
  },
  create: {
    title: "create",
    meaning: "`POST /v1/pets`: the response is sent after the animal is on disk (fsync)",
    parts: { create: 100 },
  },
  mix: {
    title: "mix",
    meaning: "90 % hot list, 8 % get by id, 2 % create",
    parts: { hot: 90, get: 8, create: 2 },
  },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof WORKLOADS;
export const WORKLOAD_NAMES = Object.keys(WORKLOADS) as WorkloadName[];

export const PAGE_ITEMS = 20;

export function partsOf(workload: WorkloadName): Array<[Kind, number]> {
  return Object.entries(WORKLOADS[workload].parts) as Array<[Kind, number]>;
}
