// What the folder of a test says: its round, and whether it runs few at a time, in a process of its own, or early.

export const ROUNDS = ["test", "long", "faults"] as const;
export type Round = (typeof ROUNDS)[number];

/** Several services and engines at a time. More than a few of them would delay each other beyond the service's deadlines. */
export const HEAVY = listFaults("nodes", "outages", "hostile", "model", "upgrade");
/** They compare latencies of a service under attack. On a busy machine they would measure the other tests: they run last, alone. */
export const QUIET = listFaults("starvation");
/** Their files stop, freeze and flood processes, or forbid the image library to load files, for the whole process. */
export const ALONE = [...HEAVY, ...QUIET, ...listFaults("logging", "images"), "test/long/package/"];
/** The longest files. They start early, so that none of them runs alone at the end. */
export const SLOW = [
  ...ALONE,
  "test/browser/",
  "test/long/browser/",
  "test/cli/",
  "test/long/cli/",
  "test/faults/browser/",
  "test/faults/cli/",
  "test/unit/client/",
  "test/unit/project/",
];

function listFaults(...names: string[]): string[] {
  return names.map((name) => `test/faults/${name}/`);
}

export function isIn(folders: string[], path: string): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

/** The folder of its round, or "test" for all that `npm test` runs. */
export function roundOf(path: string): Round {
  return ROUNDS.find((round) => path.startsWith(`test/${round}/`)) ?? "test";
}
