// The works that contenders are given, and of which kinds of requests each is made.

/** hot: the first page. cold: a page that was not asked for lately. */
export const KINDS = ["hot", "cold", "get", "create"] as const;
export type Kind = (typeof KINDS)[number];

interface Work {
  title: string;
  /** For the document. */
  meaning: string;
  /** How many of a hundred requests are of each kind. */
  parts: Partial<Record<Kind, number>>;
}

export const WORKS = {
  "hot-list": {
    title: "hot list",
    meaning: "`GET /v1/pets?status=available`: the first page, 20 animals, the same for everybody",
    parts: { hot: 100 },
  },
  "cold-list": {
    title: "cold list",
    meaning: "`GET /v1/pets?cursor=…`: 20 animals, with every request another page out of all animals",
    parts: { cold: 100 },
  },
  get: {
    title: "get by id",
    meaning: "`GET /v1/pets/{petId}`: another animal with every request",
    parts: { get: 100 },
  },
  create: {
    title: "create",
    meaning: "`POST /v1/pets`: answered after the animal is on disk (fsync)",
    parts: { create: 100 },
  },
  mix: {
    title: "mix",
    meaning: "90 % hot list, 8 % get by id, 2 % create",
    parts: { hot: 90, get: 8, create: 2 },
  },
} as const satisfies Record<string, Work>;

export type WorkName = keyof typeof WORKS;
export const WORK_NAMES = Object.keys(WORKS) as WorkName[];

export const PAGE_ITEMS = 20;

export function partsOf(work: WorkName): Array<[Kind, number]> {
  return Object.entries(WORKS[work].parts) as Array<[Kind, number]>;
}
