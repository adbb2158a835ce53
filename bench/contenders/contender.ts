// What stands at the start: a server that runs, how to ask it, and what it cannot do.

import type { Addresses } from "../load/requests.ts";
import type { WorkName } from "../load/works.ts";
import type { ServerProcess } from "./server-process.ts";

/** The peers in the order of the tables; the bare server is what all others are a share of. */
export const CONTENDERS = {
  bare: "bare `node:http`",
  service: "Animal Store",
  fastify: "Fastify",
  express: "Express",
  "json-server": "json-server",
  prism: "Prism",
} as const;
export type ContenderName = keyof typeof CONTENDERS;

export interface Contender {
  name: string;
  server: ServerProcess;
  key: string;
  addresses: Addresses;
  /** How many animals it holds, where it must not be those of the work. */
  animals?: number;
  /** Rejects when the server is not in full health. */
  checkHealth?(): Promise<void>;
}

/** Why a peer is not in a table, in words for its footnote. */
export const CANNOT: Partial<Record<ContenderName, Partial<Record<WorkName, string>>>> = {
  "json-server": {
    "cold-list": "a million animals are too many for it: it keeps them in one JSON file",
    create: "answers before anything is on disk",
    mix: "answers creates before anything is on disk",
  },
  prism: {
    "cold-list": "has no animals: it answers examples, whatever the page",
    create: "keeps nothing",
    mix: "keeps nothing",
  },
};

/** What is to be known of a number that a peer does have. */
export const REMARKS: Partial<Record<ContenderName, string>> = {
  "json-server":
    "json-server has no keys and no limits, and holds 10,000 animals instead: it looks at each of them for a filter.",
  prism:
    "Prism has no animals: it checks the request by docs/openapi.json and answers an example, here one of 20 animals.",
};
